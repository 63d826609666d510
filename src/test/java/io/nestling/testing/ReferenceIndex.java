/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What an index should do, on a sorted map of the JDK: the oracle of tests, and a right implementation to try
 * contract tests on. It charges a fixed number of bytes per entry to the budget, so that it runs out of space
 * like a real one.
 * <h2>Thread safety</h2>
 * That of the map: {@link #factory} makes indexes for one thread, {@link #concurrentFactory} for one writer
 * and many readers.
 */
public final class ReferenceIndex implements OrderedIndex {
    /** Bytes that an empty index takes. */
    public static final long BASE_BYTES = 64;
    /** Bytes that an entry takes besides its key. */
    public static final long ENTRY_BYTES = 48;

    private final NavigableMap<byte[], Long> map;
    private final IndexContext context;
    private long bytesUsed;
    /* Charged to the budget for entries to come. */
    private long reserved;
    private volatile boolean closed;

    /**
     * Makes an index.
     *
     * @param context budget and limit; nothing else of it is used
     * @param map an empty map in the order of the keys
     */
    public ReferenceIndex(final IndexContext context, final NavigableMap<byte[], Long> map) {
        this.context = context;
        this.map = map;
        acquire(BASE_BYTES);
    }

    /**
     * A factory of indexes for one thread.
     *
     * @return a factory
     */
    public static IndexFactory factory() {
        return new Factory(false);
    }

    /**
     * A factory of indexes that readers may use beside the writer.
     *
     * @return a factory
     */
    public static IndexFactory concurrentFactory() {
        return new Factory(true);
    }

    private void acquire(final long bytes) {
        final long missing = Math.max(0, bytes - reserved);
        if (bytesUsed + bytes > context.maxBytes() || !context.budget().tryAcquire(missing)) {
            throw new SpaceExhaustedException(
                bytes + " bytes do not fit: " + bytesUsed + " of " + context.maxBytes()
                    + " are used, the budget has "
                    + context.budget().remaining());
        }
        reserved -= bytes - missing;
        bytesUsed += bytes;
    }

    private void release(final long bytes) {
        context.budget().release(bytes);
        bytesUsed -= bytes;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        checkOpen();
        final Long payload = map.get(slice(key, offset, length));
        return payload == null ? NONE : payload;
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        checkOpen();
        if (payloads.length < keys.size()) {
            throw new IllegalArgumentException(
                keys.size() + " keys, but room for " + payloads.length + " payloads");
        }
        for (int i = 0; i < keys.size(); i++) {
            payloads[i] = get(keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkOpen();
        if (length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                "a key of " + length + " bytes exceeds the limit of " + MAX_KEY_BYTES);
        }
        if (payload < 0 || payload > MAX_PAYLOAD) {
            throw new IllegalArgumentException("expected a payload of 0 to " + MAX_PAYLOAD + " but was " + payload);
        }
        final byte[] copy = slice(key, offset, length);
        if (!map.containsKey(copy)) {
            acquire(ENTRY_BYTES + length);
        }
        final Long before = map.put(copy, payload);
        return before == null ? NONE : before;
    }

    private static byte[] slice(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        return Arrays.copyOfRange(key, offset, offset + length);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        checkOpen();
        final Long before = map.remove(slice(key, offset, length));
        if (before == null) {
            return NONE;
        }
        release(ENTRY_BYTES + length);
        return before;
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        final long bytes = entries * ENTRY_BYTES + keyBytes;
        if (bytesUsed + bytes > context.maxBytes() || !context.budget().tryAcquire(Math.max(0, bytes - reserved))) {
            throw new SpaceExhaustedException(
                entries + " entries with " + keyBytes + " bytes of keys do not fit");
        }
        context.budget().release(Math.max(0, reserved - bytes));
        reserved = bytes;
    }

    @Override
    public long entryCount() {
        return map.size();
    }

    @Override
    public long bytesUsed() {
        return bytesUsed;
    }

    @Override
    public void verify() {
        checkOpen();
        long bytes = BASE_BYTES;
        for (final byte[] key : map.keySet()) {
            bytes += ENTRY_BYTES + key.length;
        }
        if (bytes != bytesUsed) {
            throw new IllegalStateException(
                bytesUsed + " bytes are accounted for, the entries take " + bytes);
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new Cursor();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            map.clear();
            context.budget().release(reserved);
            reserved = 0;
            release(bytesUsed);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index is closed");
        }
    }

    /** Stands on a copy of one entry and asks the map for the one beside it. */
    private final class Cursor implements EntryCursor {
        private static final byte[] NO_KEY = {};
        private byte[] key;
        private long payload;
        private int commonPrefix;
        private boolean cursorClosed;

        private boolean moveTo(final Map.Entry<byte[], Long> entry, final byte[] before) {
            if (entry == null) {
                key = null;
                return false;
            }
            key = entry.getKey();
            payload = entry.getValue();
            final int mismatch = Arrays.mismatch(before, key);
            commonPrefix = mismatch < 0 ? key.length : mismatch;
            return true;
        }

        private void checkPositionable() {
            checkOpen();
            if (cursorClosed) {
                throw new IllegalStateException("the cursor is closed");
            }
        }

        @Override
        public boolean first() {
            checkPositionable();
            return moveTo(map.firstEntry(), NO_KEY);
        }

        @Override
        public boolean last() {
            checkPositionable();
            return moveTo(map.lastEntry(), NO_KEY);
        }

        @Override
        public boolean seek(final byte[] target, final int offset, final int length) {
            checkPositionable();
            return moveTo(map.ceilingEntry(slice(target, offset, length)), NO_KEY);
        }

        @Override
        public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
            checkPositionable();
            return moveTo(map.lowerEntry(slice(target, offset, length)), NO_KEY);
        }

        @Override
        public boolean next() {
            checkOpen();
            return key != null && moveTo(map.higherEntry(key), key);
        }

        @Override
        public boolean previous() {
            checkOpen();
            return key != null && moveTo(map.lowerEntry(key), key);
        }

        @Override
        public boolean valid() {
            return key != null;
        }

        private void checkValid() {
            if (key == null) {
                throw new IllegalStateException("the cursor is not on an entry");
            }
        }

        @Override
        public byte[] keyBuffer() {
            checkValid();
            return key;
        }

        @Override
        public int keyLength() {
            checkValid();
            return key.length;
        }

        @Override
        public int commonPrefix() {
            checkValid();
            return commonPrefix;
        }

        @Override
        public long payload() {
            checkValid();
            return payload;
        }

        @Override
        public void close() {
            key = null;
            cursorClosed = true;
        }
    }

    private record Factory(boolean concurrent) implements IndexFactory {
        @Override
        public PointIndex create(final IndexContext context) {
            return new ReferenceIndex(
                context,
                concurrent ? new ConcurrentSkipListMap<>(Arrays::compareUnsigned)
                    : new TreeMap<>(Arrays::compareUnsigned));
        }

        @Override
        public String indexName() {
            return "reference";
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public boolean storesKeys() {
            return true;
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }
}
