/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

/**
 * An index that does not store keys, with the records that do, as a memtable uses it: a put appends a record with the
 * key and a value of eight bytes, and a read continues from the index to the record's value.
 * <p> A put to a present key also appends a record, like a new version; the space of the old one is not reused.
 * <h2>Thread safety</h2>
 * That of the index.
 */
class RecordIndex implements PointIndex, BatchedPuts {
    private static final long WORD = RecordLayout.versionWord(1, EntryKind.VALUE.code(), false, true);

    private final PointIndex index;
    private final RecordStore records;

    RecordIndex(final PointIndex index, final RecordStore records) {
        this.index = index;
        this.records = records;
    }

    @Override
    public final long get(final byte[] key, final int offset, final int length) {
        return value(index.get(key, offset, length));
    }

    @Override
    public final void getAll(final KeyBatch keys, final long[] payloads) {
        index.getAll(keys, payloads);
        final int size = keys.size();
        for (int i = 0; i < size; i++) {
            if (payloads[i] != NONE) {
                records.prefetch(payloads[i]);
            }
        }
        for (int i = 0; i < size; i++) {
            payloads[i] = value(payloads[i]);
        }
    }

    @Override
    public final long put(final byte[] key, final int offset, final int length, final long payload) {
        final long record = records.appendLong(WORD, key, offset, length, payload);
        return value(index.put(key, offset, length, record));
    }

    @Override
    public final long putAll(final KeyBatch keys, final int[] payloads, final int from) {
        index.prefetchAll(keys);
        long sum = 0;
        for (int i = 0; i < keys.size(); i++) {
            sum += put(keys.array(i), keys.offset(i), keys.length(i), payloads[from + i]);
        }
        return sum;
    }

    @Override
    public final long remove(final byte[] key, final int offset, final int length) {
        return value(index.remove(key, offset, length));
    }

    private long value(final long record) {
        return record == NONE ? NONE : records.valueAsLong(record);
    }

    @Override
    public final void reserve(final int entries, final long keyBytes) {
        index.reserve(entries, keyBytes);
    }

    @Override
    public final long entryCount() {
        return index.entryCount();
    }

    @Override
    public final long bytesUsed() {
        return index.bytesUsed();
    }

    @Override
    public final void verify() {
        index.verify();
    }

    @Override
    public final void close() {
        index.close();
    }

    /** Records beside an ordered index. */
    static final class Ordered extends RecordIndex implements OrderedIndex {
        private final OrderedIndex ordered;
        private final RecordStore records;

        Ordered(final OrderedIndex index, final RecordStore records) {
            super(index, records);
            this.ordered = index;
            this.records = records;
        }

        @Override
        public EntryCursor cursor() {
            return new ForwardedCursor(ordered.cursor()) {
                @Override
                public long payload() {
                    return records.valueAsLong(cursor().payload());
                }
            };
        }
    }
}
