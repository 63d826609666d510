/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;

import java.util.Arrays;

/**
 * Some successive entries of an index, taken out of it together, so that their records are fetched from
 * memory at the same time. First entries are added, which asks for their records, then all are resolved,
 * which reads them.
 * <p>
 * Of each key only the bytes are kept in which it differs from the one before.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class EntryRun {
    /** Most entries. */
    static final int MAX_ENTRIES = 32;
    private static final int MAX_SUFFIX_BYTES = 16 << 10;
    private static final int INITIAL_SUFFIX_BYTES = 256;

    private final MemtableShard shard;
    private final RecordStore store;
    private final int[] prefixes = new int[MAX_ENTRIES];
    private final int[] suffixEnds = new int[MAX_ENTRIES];
    private final long[] coverings = new long[MAX_ENTRIES];
    private final long[] records = new long[MAX_ENTRIES];
    private final long[] versionWords = new long[MAX_ENTRIES];
    private final int[] valueLengths = new int[MAX_ENTRIES];
    private byte[] suffixes = new byte[INITIAL_SUFFIX_BYTES];
    private int size;

    EntryRun(final MemtableShard shard) {
        this.shard = shard;
        this.store = shard.records();
    }

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /** Whether no more entries should be added. */
    boolean isFull(final int mostEntries) {
        return size >= mostEntries || size > 0 && suffixEnds[size - 1] >= MAX_SUFFIX_BYTES;
    }

    /** Adds the entry under a cursor, and the newest range tombstone that covers its key. */
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
            final long record = shard.visible(records[i], visible);
            records[i] = record;
            if (record != RecordLayout.NO_RECORD) {
                versionWords[i] = store.versionWord(record);
                valueLengths[i] = store.valueLength(record);
            }
        }
    }

    /** Bytes that a key shares with the one before. */
    int prefix(final int i) {
        return prefixes[i];
    }

    /** Bytes of a key. */
    int keyLength(final int i) {
        return prefixes[i] + suffixEnds[i] - (i == 0 ? 0 : suffixEnds[i - 1]);
    }

    /** Turns the key before, in a buffer that is large enough, into this one. */
    void copySuffix(final int i, final byte[] key) {
        final int start = i == 0 ? 0 : suffixEnds[i - 1];
        System.arraycopy(suffixes, start, key, prefixes[i], suffixEnds[i] - start);
    }

    /** Pointer of an entry's record, or {@link RecordLayout#NO_RECORD} if it has none that is visible. */
    long record(final int i) {
        return records[i];
    }

    long versionWord(final int i) {
        return versionWords[i];
    }

    int valueLength(final int i) {
        return valueLengths[i];
    }

    /** Sequence number of the newest range tombstone that covers the key, or 0. */
    long covering(final int i) {
        return coverings[i];
    }
}
