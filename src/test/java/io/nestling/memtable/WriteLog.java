/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What several threads have written to a memtable and which numbers they were told, what snapshots have shown,
 * and whether both agree: a snapshot shows exactly the writes up to its number, a flush of all versions exactly
 * all writes, and numbers grow from one write to another that began after it had returned.
 */
final class WriteLog {
    /** One write. */
    record Write(byte[] key, byte[] value, long sequence, long calledAt, long returnedAt) {
    }

    /** The values that a snapshot has shown, by key. */
    record Shown(long sequence, NavigableMap<byte[], byte[]> content) {
    }

    private final List<Write> writes = Collections.synchronizedList(new ArrayList<>());
    private final List<long[]> batches = Collections.synchronizedList(new ArrayList<>());
    private final List<Shown> shown = Collections.synchronizedList(new ArrayList<>());

    /** Puts a value, or deletes the key if it is null. */
    long write(final Memtable memtable, final byte[] key, final byte[] value) {
        final long calledAt = System.nanoTime();
        final long sequence = value == null ? memtable.delete(key) : memtable.put(key, value);
        writes.add(new Write(key, value, sequence, calledAt, System.nanoTime()));
        return sequence;
    }

    /** Puts one value with several keys in a batch. */
    void writeBatch(final Memtable memtable, final byte[][] keys, final byte[] value) {
        final WriteBatch batch = new WriteBatch();
        for (final byte[] key : keys) {
            batch.put(key, value);
        }
        final long calledAt = System.nanoTime();
        final long last = memtable.write(batch);
        final long returnedAt = System.nanoTime();
        for (int i = 0; i < keys.length; i++) {
            writes.add(new Write(keys[i], value, last - keys.length + 1 + i, calledAt, returnedAt));
        }
        batches.add(new long[] {last - keys.length + 1, last});
    }

    /** Notes what a snapshot shows, if a cursor and gets agree. */
    void readSnapshot(final Memtable memtable) {
        final NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
        try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
            byte[] before = null;
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                final byte[] key = cursor.key();
                check(before == null || Arrays.compareUnsigned(before, key) < 0, "a scan is out of order");
                check(cursor.sequence() <= snapshot.sequence(), "a scan shows a later write");
                check(Arrays.equals(cursor.value(), snapshot.get(key)), "scan and get differ");
                content.put(key, cursor.value());
                before = key;
            }
            shown.add(new Shown(snapshot.sequence(), content));
        }
    }

    List<Write> writes() {
        return writes;
    }

    private static void check(final boolean right, final String message) {
        if (!right) {
            throw new AssertionError(message);
        }
    }

    /** Checks everything; no writer is at work. The memtable keeps all versions. */
    void checkAll(final Memtable memtable) {
        final List<Write> ordered = new ArrayList<>(writes);
        ordered.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        for (int i = 1; i < ordered.size(); i++) {
            check(ordered.get(i - 1).sequence < ordered.get(i).sequence, "two writes have number " + ordered.get(i).sequence);
        }
        checkRealTime(ordered);
        checkShown(ordered);
        checkFlush(memtable, ordered);
    }

    private static void checkRealTime(final List<Write> ordered) {
        long firstReturn = Long.MAX_VALUE;
        for (int i = ordered.size() - 1; i >= 0; i--) {
            check(ordered.get(i).calledAt <= firstReturn,
                "write " + ordered.get(i).sequence + " began after a later one had returned");
            firstReturn = Math.min(firstReturn, ordered.get(i).returnedAt);
        }
    }

    private void checkShown(final List<Write> ordered) {
        final List<Shown> states = new ArrayList<>(shown);
        states.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        final NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
        int next = 0;
        for (final Shown state : states) {
            for (final long[] batch : batches) {
                check(state.sequence < batch[0] || state.sequence >= batch[1], "a snapshot at " + state.sequence
                    + " shows a part of the batch from " + batch[0] + " to " + batch[1]);
            }
            for (; next < ordered.size() && ordered.get(next).sequence <= state.sequence; next++) {
                final Write write = ordered.get(next);
                if (write.value == null) {
                    content.remove(write.key);
                } else {
                    content.put(write.key, write.value);
                }
            }
            check(content.keySet().equals(state.content.keySet()), "the snapshot at " + state.sequence + " shows "
                + state.content.size() + " keys, " + content.size() + " were written");
            content.forEach((key, value) -> check(
                Arrays.equals(value, state.content.get(key)), "a wrong value in the snapshot at " + state.sequence));
        }
    }

    private static void checkFlush(final Memtable memtable, final List<Write> ordered) {
        final Map<Long, Write> left = new HashMap<>();
        ordered.forEach(write -> left.put(write.sequence, write));
        memtable.flush(new EntrySink() {
            @Override
            public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
                check(entryCount == ordered.size(), entryCount + " entries for " + ordered.size() + " writes");
            }

            @Override
            public void entry(final EntryView entry) {
                final Write write = left.remove(entry.sequence());
                check(write != null, "no write has the number " + entry.sequence());
                check(Arrays.equals(write.key, entry.key()), "another key has the number " + entry.sequence());
                check((entry.kind() == EntryKind.TOMBSTONE) == (write.value == null)
                    && (write.value == null || Arrays.equals(write.value, entry.value())), "another value");
            }

            @Override
            public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
                throw new AssertionError("there is none");
            }

            @Override
            public void end() {
                check(left.isEmpty(), left.size() + " writes are missing");
            }
        });
        memtable.flush(new CollectingSink());
    }
}
