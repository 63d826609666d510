/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A Cuckoo Trie over keys that are told by number: the payload of a key is its number. */
final class TestTrie implements AutoCloseable {
    private final List<byte[]> keys = Collections.synchronizedList(new ArrayList<>()); // read by other threads
    private final IndexContext context;
    private final CuckooTrie trie;

    TestTrie(final long maxBytes, final long budgetBytes, final long seed) {
        context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(budgetBytes), new EpochReclaimer(),
            new HeapKeySource(payload -> keys.get((int) payload)), maxBytes);
        trie = new CuckooTrie(context, seed);
    }

    TestTrie(final long maxBytes) {
        this(maxBytes, maxBytes, 1);
    }

    CuckooTrie trie() {
        return trie;
    }

    IndexContext context() {
        return context;
    }

    int put(final byte[] key) {
        keys.add(key);
        assertEquals(PointIndex.NONE, trie.put(key, 0, key.length, keys.size() - 1));
        return keys.size() - 1;
    }

    int put(final String key) {
        return put(key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    void remove(final int number) {
        final byte[] key = keys.get(number);
        assertEquals(number, trie.remove(key, 0, key.length));
    }

    long get(final byte[] key) {
        return trie.get(key, 0, key.length);
    }

    /** Verifies the structure and that these keys are there, and no others. */
    void check(final List<byte[]> expected) {
        trie.verify();
        assertEquals(expected.size(), trie.entryCount());
        for (final byte[] key : expected) {
            final long payload = get(key);
            assertTrue(payload >= 0);
            assertArrayEquals(key, keys.get((int) payload));
        }
        try (EntryCursor cursor = trie.cursor()) {
            int seen = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                seen++;
            }
            assertEquals(expected.size(), seen);
            assertFalse(cursor.valid());
        }
    }

    @Override
    public void close() {
        trie.close();
        assertEquals(0, context.budget().used());
    }
}
