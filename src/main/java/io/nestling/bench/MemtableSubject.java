/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;
import io.nestling.index.KeyBatch;
import io.nestling.index.LookupResult;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableStats;
import io.nestling.memtable.ValueReader;
import io.nestling.memtable.WriteBatch;

import java.util.Arrays;

/**
 * A whole memtable as a subject, and as its index: the measurements include sequence numbers, snapshots, shards and records. A
 * payload is the first eight bytes of a value. A put does not look up the previous payload, so it always returns {@link #NONE}.
 * <h2>Thread safety</h2>
 * That of the memtable, which guards its readers itself: all methods but {@code close} may be called by any thread.
 */
final class MemtableSubject implements Subject, OrderedIndex, BatchedPuts {
    private final Memtable memtable;
    private final Values values;
    private final ThreadLocal<Scratch> scratches;

    MemtableSubject(final Memtable memtable, final Values values) {
        this.memtable = memtable;
        this.values = values;
        this.scratches = ThreadLocal.withInitial(() -> new Scratch(values.of(0)));
    }

    /** Reused arrays of a thread's calls. */
    private static final class Scratch {
        private final byte[] value;
        private final ValueReader copy;
        private byte[] key = new byte[0];
        private byte[][] keys = new byte[0][];
        private byte[][] values = new byte[0][];

        Scratch(final byte[] value) {
            this.value = value;
            this.copy = (found, sequence) -> found.get(0, value);
        }

        byte[] key(final byte[] array, final int offset, final int length) {
            if (key.length != length) {
                key = new byte[length];
            }
            System.arraycopy(array, offset, key, 0, length);
            return key;
        }
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        final Scratch scratch = scratches.get();
        final LookupResult.Kind found = memtable.read(scratch.key(key, offset, length), scratch.copy);
        return found == LookupResult.Kind.VALUE ? Values.payload(scratch.value) : NONE;
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        final Scratch scratch = scratches.get();
        if (scratch.keys.length != keys.size()) {
            scratch.values = new byte[keys.size()][]; // first: if memory runs out, the next call finds the old length of the keys
            scratch.keys = new byte[keys.size()][0];
        }
        for (int i = 0; i < keys.size(); i++) {
            if (scratch.keys[i].length != keys.length(i)) {
                scratch.keys[i] = new byte[keys.length(i)];
            }
            System.arraycopy(keys.array(i), keys.offset(i), scratch.keys[i], 0, keys.length(i));
        }
        memtable.getAll(scratch.keys, scratch.values);
        for (int i = 0; i < keys.size(); i++) {
            final byte[] value = scratch.values[i];
            payloads[i] = value == null ? NONE : Values.payload(value);
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        final Scratch scratch = scratches.get();
        values.write(payload, scratch.value);
        memtable.put(scratch.key(key, offset, length), scratch.value);
        return NONE;
    }

    @Override
    public long putAll(final KeyBatch keys, final int[] payloads, final int from) {
        final WriteBatch batch = new WriteBatch();
        for (int i = 0; i < keys.size(); i++) {
            batch.put(Arrays.copyOfRange(keys.array(i), keys.offset(i), keys.offset(i) + keys.length(i)),
                values.of(payloads[from + i]));
        }
        memtable.write(batch);
        return NONE * keys.size();
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        memtable.delete(Arrays.copyOfRange(key, offset, offset + length));
        return NONE;
    }

    @Override
    public EntryCursor cursor() {
        final byte[] value = values.of(0);
        return new ForwardedCursor(memtable.cursor()) {
            @Override
            public long payload() {
                cursor().copyValue(value, 0);
                return Values.payload(value);
            }
        };
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        // A memtable reserves space itself.
    }

    @Override
    public long entryCount() {
        return memtable.stats().entries();
    }

    @Override
    public long bytesUsed() {
        return memtable.stats().indexBytes();
    }

    @Override
    public PointIndex index() {
        return this;
    }

    @Override
    public long indexBytes() {
        return bytesUsed();
    }

    @Override
    public long totalBytes() {
        final MemtableStats stats = memtable.stats();
        return stats.indexBytes() + stats.recordBytes();
    }

    @Override
    public void freeze() {
        memtable.freeze();
    }

    @Override
    public long flush(final EntrySink sink, final long keyBytes) {
        return memtable.flush(sink).entries();
    }

    @Override
    public void verify() {
        throw new UnsupportedOperationException("a memtable is verified by its parts");
    }

    @Override
    public void close() {
        memtable.close();
    }
}
