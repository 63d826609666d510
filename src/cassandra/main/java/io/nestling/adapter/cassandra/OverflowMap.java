/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keys and payloads on the heap, for keys that an index cannot take.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class OverflowMap {
    /* A node and its share of the levels above it, a number, and the header of an array. */
    private static final int BYTES_PER_ENTRY = 88;

    private final ConcurrentSkipListMap<byte[], Long> entries = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private final AtomicLong bytes = new AtomicLong();

    long get(final byte[] key, final int length) {
        final Long payload = entries.get(Arrays.copyOf(key, length));
        return payload == null ? PointIndex.NONE : payload;
    }

    void put(final byte[] key, final int length, final long payload) {
        if (entries.put(Arrays.copyOf(key, length), payload) == null) {
            bytes.addAndGet(BYTES_PER_ENTRY + length);
        }
    }

    /** Returns the number of bytes on the heap, approximately. */
    long bytes() {
        return bytes.get();
    }

    EntryCursor cursor() {
        return new OverflowCursor();
    }

    /** A cursor over the map. */
    private final class OverflowCursor implements EntryCursor {
        private Map.Entry<byte[], Long> current;
        private int commonPrefix;
        private boolean closed;

        private boolean position(final Map.Entry<byte[], Long> entry) {
            if (closed) {
                throw new IllegalStateException("the cursor is closed");
            }
            current = entry;
            commonPrefix = 0;
            return entry != null;
        }

        private boolean step(final Map.Entry<byte[], Long> entry) {
            final byte[] before = current.getKey();
            current = entry;
            if (entry == null) {
                return false;
            }
            final int mismatch = Arrays.mismatch(before, entry.getKey());
            commonPrefix = mismatch < 0 ? before.length : mismatch;
            return true;
        }

        @Override
        public boolean first() {
            return position(entries.firstEntry());
        }

        @Override
        public boolean last() {
            return position(entries.lastEntry());
        }

        @Override
        public boolean seek(final byte[] key, final int offset, final int length) {
            return position(entries.ceilingEntry(Arrays.copyOfRange(key, offset, offset + length)));
        }

        @Override
        public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
            return position(entries.lowerEntry(Arrays.copyOfRange(key, offset, offset + length)));
        }

        @Override
        public boolean next() {
            return current != null && step(entries.higherEntry(current.getKey()));
        }

        @Override
        public boolean previous() {
            return current != null && step(entries.lowerEntry(current.getKey()));
        }

        @Override
        public boolean valid() {
            return current != null;
        }

        private Map.Entry<byte[], Long> entry() {
            if (current == null) {
                throw new IllegalStateException("the cursor is not on an entry");
            }
            return current;
        }

        @Override
        public byte[] keyBuffer() {
            return entry().getKey();
        }

        @Override
        public int keyLength() {
            return entry().getKey().length;
        }

        @Override
        public int commonPrefix() {
            entry();
            return commonPrefix;
        }

        @Override
        public long payload() {
            return entry().getValue();
        }

        @Override
        public void close() {
            current = null;
            closed = true;
        }
    }
}
