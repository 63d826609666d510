/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

import java.util.Arrays;

/**
 * Successive entries of an index, taken out of it together, so that their records are loaded from
 * memory at the same time. {@link #add} prefetches the record of an entry, {@link #resolve} reads all records.
 * <p>
 * Of each key only the bytes behind those shared with the key before are kept.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class EntryRun {
    /** Maximum number of entries. */
    static final int MAX_ENTRIES = 32;
    private static final int MAX_SUFFIX_BYTES = 16 << 10;
    private static final int INITIAL_SUFFIX_BYTES = 256;

    private final MemtableShard shard;
    private final RecordStore store;
    private final long now;
    private final int[] prefixes = new int[MAX_ENTRIES];
    private final int[] suffixEnds = new int[MAX_ENTRIES];
    private final long[] coverings = new long[MAX_ENTRIES];
    private final long[] records = new long[MAX_ENTRIES];
    private final long[] versionWords = new long[MAX_ENTRIES];
    private final int[] valueLengths = new int[MAX_ENTRIES];
    private byte[] suffixes = new byte[INITIAL_SUFFIX_BYTES];
    private int size;
    private long values;

    /** Creates an empty run; entries with an expiry up to the time given have expired. */
    EntryRun(final MemtableShard shard, final long now) {
        this.shard = shard;
        this.now = now;
        this.store = shard.records();
    }

    void clear() {
        size = 0;
        values = 0;
    }

    int size() {
        return size;
    }

    /** Returns whether no more entries should be added. */
    boolean isFull(final int mostEntries) {
        return size >= mostEntries || size > 0 && suffixEnds[size - 1] >= MAX_SUFFIX_BYTES;
    }

    /** Adds the entry at a cursor, and the number of the newest range tombstone that covers its key. */
    void add(final EntryCursor index, final long covering) {
        final int prefix = index.commonPrefix();
        final int suffixLength = index.keyLength() - prefix;
        final int start = size == 0 ? 0 : suffixEnds[size - 1];
        if (start + suffixLength > suffixes.length) {
            suffixes = Arrays.copyOf(suffixes, Math.max(2 * suffixes.length, start + suffixLength));
        }
        System.arraycopy(index.keyBuffer(), prefix, suffixes, start, suffixLength);
        prefixes[size] = prefix;
        suffixEnds[size] = start + suffixLength;
        coverings[size] = covering;
        records[size] = MemtableShard.recordOf(index.payload());
        store.prefetch(records[size]);
        size++;
    }

    /** Finds for each entry the newest record at or below a sequence number. */
    void resolve(final long visible) {
        for (int i = 0; i < size; i++) {
            final long record = shard.newestVisible(records[i], visible);
            records[i] = record;
            if (record != RecordLayout.NO_RECORD) {
                final long word = store.versionWord(record);
                versionWords[i] = word;
                valueLengths[i] = store.valueLength(record);
                if (MemtableShard.isAlive(store, record, word, now) && coverings[i] <= RecordLayout.sequence(word)) {
                    values |= 1L << i;
                }
            }
        }
    }

    /** Returns the number of bytes that a key shares with the one before. */
    int prefix(final int i) {
        return prefixes[i];
    }

    /** Returns the length of a key in bytes. */
    int keyLength(final int i) {
        return prefixes[i] + suffixEnds[i] - (i == 0 ? 0 : suffixEnds[i - 1]);
    }

    /** Turns the key before, in a buffer that is large enough, into this one. */
    void copySuffix(final int i, final byte[] key) {
        final int start = i == 0 ? 0 : suffixEnds[i - 1];
        System.arraycopy(suffixes, start, key, prefixes[i], suffixEnds[i] - start);
    }

    /** Returns the pointer of an entry's visible record, or {@link RecordLayout#NO_RECORD} if there is none. */
    long record(final int i) {
        return records[i];
    }

    long versionWord(final int i) {
        return versionWords[i];
    }

    int valueLength(final int i) {
        return valueLengths[i];
    }

    /** Returns whether an entry's visible record is a value that has not expired and that no range tombstone covers. */
    boolean isValue(final int i) {
        return (values >>> i & 1) != 0;
    }

    /** Returns how many of the first entries are values. */
    int valuesAmong(final int first) {
        return Long.bitCount(values & (1L << first) - 1);
    }
}
