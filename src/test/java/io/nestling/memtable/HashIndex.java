/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.ConcurrentIndex;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * An index for many writers without order: a hash map of the JDK. It counts what it holds against the budget.
 */
class HashIndex implements ConcurrentIndex {
    private static final long ENTRY_BYTES = 48;

    private final IndexContext context;
    private final ConcurrentMap<ByteBuffer, Long> map = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private long reserved;
    private volatile boolean closed;

    HashIndex(final IndexContext context) {
        this.context = context;
    }

    /** A factory of hash indexes. */
    static IndexFactory factory() {
        return factory("hash", HashIndex::new);
    }

    /** A factory of what a function makes. */
    static IndexFactory factory(final String name, final Function<IndexContext, PointIndex> maker) {
        return new Factory(name, maker);
    }

    private ByteBuffer slice(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        if (closed) {
            throw new IllegalStateException("the index is closed");
        }
        return ByteBuffer.wrap(java.util.Arrays.copyOfRange(key, offset, offset + length));
    }

    private static long payload(final Long held) {
        return held == null ? NONE : held;
    }

    private synchronized void acquire(final long wanted) {
        final long setAside = Math.min(reserved, wanted);
        if (bytes.get() + wanted > context.maxBytes() || !context.budget().tryAcquire(wanted - setAside)) {
            throw new SpaceExhaustedException(wanted + " bytes do not fit beside " + bytes.get());
        }
        reserved -= setAside;
        bytes.addAndGet(wanted);
    }

    private void release(final long held) {
        context.budget().release(held);
        bytes.addAndGet(-held);
    }

    /** Checks that a payload leads to the key. */
    private long checked(final long payload, final byte[] key, final int offset, final int length) {
        if (payload != NONE && context.keys().compareKey(payload, key, offset, length) != 0) {
            throw new AssertionError("payload " + payload + " leads to another key");
        }
        return payload;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        return checked(payload(map.get(slice(key, offset, length))), key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        for (int i = 0; i < keys.size(); i++) {
            payloads[i] = get(keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        final long before = putIfAbsent(key, offset, length, payload);
        return before == NONE ? NONE : payload(map.put(slice(key, offset, length), payload));
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        final ByteBuffer slice = slice(key, offset, length);
        checked(payload, key, offset, length);
        final Long present = map.get(slice);
        if (present != null) {
            return present;
        }
        acquire(ENTRY_BYTES + length);
        final long before = payload(map.putIfAbsent(slice, payload));
        if (before != NONE) {
            release(ENTRY_BYTES + length);
        }
        return before;
    }

    @Override
    public boolean replace(
        final byte[] key, final int offset, final int length, final long expected, final long payload) {
        checked(payload, key, offset, length);
        return map.replace(slice(key, offset, length), expected, payload);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        throw new AssertionError("memtables never remove");
    }

    @Override
    public synchronized void reserve(final int entries, final long keyBytes) {
        final long wanted = entries * ENTRY_BYTES + keyBytes;
        context.budget().release(reserved);
        reserved = 0;
        if (bytes.get() + wanted > context.maxBytes() || !context.budget().tryAcquire(wanted)) {
            throw new SpaceExhaustedException(entries + " entries do not fit");
        }
        reserved = wanted;
    }

    @Override
    public long entryCount() {
        return map.size();
    }

    @Override
    public long bytesUsed() {
        return bytes.get();
    }

    @Override
    public void verify() {
        map.forEach((key, payload) -> checked(payload, key.array(), 0, key.remaining()));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            map.clear();
            release(bytes.get());
            context.budget().release(reserved);
        }
    }

    /** Makes indexes of one kind. */
    private record Factory(String indexName, Function<IndexContext, PointIndex> maker) implements IndexFactory {
        @Override
        public PointIndex create(final IndexContext context) {
            return maker.apply(context);
        }

        @Override
        public boolean ordered() {
            return false;
        }

        @Override
        public boolean storesKeys() {
            return false;
        }

        @Override
        public boolean concurrentWriters() {
            return true;
        }

        @Override
        public String toString() {
            return indexName;
        }
    }
}
