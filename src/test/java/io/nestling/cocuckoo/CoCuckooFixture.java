/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

/** An index for tests, with keys that the test chooses. Closing it checks that it gives back its budget. */
final class CoCuckooFixture implements AutoCloseable {
    /** The hash of all indexes of these tests, which choose keys by it. */
    static final KeyHash HASH = KeyHash.ofSeed(0);
    private static final long BYTES = 64L << 20;

    private final HeapKeySource keys = new HeapKeySource();
    private final IndexContext context;
    private final CoCuckoo index;

    CoCuckooFixture() {
        this(null);
    }

    /** With a key source that is asked first. */
    CoCuckooFixture(final Runnable onCompare) {
        final KeySource source = new KeySource() {
            @Override
            public int keyLength(final long payload) {
                return keys.keyLength(payload);
            }

            @Override
            public int copyKey(final long payload, final byte[] destination, final int offset) {
                return keys.copyKey(payload, destination, offset);
            }

            @Override
            public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
                if (onCompare != null) {
                    onCompare.run();
                }
                return keys.compareKey(payload, key, offset, length);
            }

            @Override
            public long address(final long payload) {
                return 0;
            }
        };
        context = new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), source, BYTES);
        index = new CoCuckoo(context, HASH);
    }

    static long hash(final byte[] key) {
        return HASH.hash(key, 0, key.length);
    }

    CoCuckoo index() {
        return index;
    }

    long put(final byte[] key, final long payload) {
        keys.register(payload, key);
        return index.put(key, 0, key.length, payload);
    }

    boolean replace(final byte[] key, final long expected, final long payload) {
        keys.register(payload, key);
        return index.replace(key, 0, key.length, expected, payload);
    }

    long get(final byte[] key) {
        return index.get(key, 0, key.length);
    }

    long remove(final byte[] key) {
        return index.remove(key, 0, key.length);
    }

    @Override
    public void close() {
        index.close();
        assertEquals(0, context.budget().used());
    }
}
