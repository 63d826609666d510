/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

/** A trie whose blocks lie beyond the 2 GiB that an int reaches, on JDKs where a slab can be as large. */
class LargeTrieTest {
    private static final long GIB = 1L << 30;
    private static final int KEY_BYTES = 60_000;
    private static final int KEYS = 40_000;

    @Test
    void shouldHaveSlabsOfMoreThanTwoGibibytesOnNewerJdks() {
        assumeTrue(Runtime.version().feature() >= 22 && isPacked(), "the variant for JDK 22 is in the jar alone");
        assertTrue(Slab.MAX_BYTES >= 64 * GIB, "slabs end at " + Slab.MAX_BYTES);
        assertEquals(Slab.MAX_BYTES, SlabAllocator.direct().maxSlabBytes());
        assumeTrue(SlabAllocator.direct().lazy());
        try (Slab slab = SlabAllocator.direct().allocate(6 * GIB)) {
            for (long offset = GIB / 2; offset < 6 * GIB; offset += GIB) {
                slab.putLongRelease(offset, offset);
            }
            for (long offset = GIB / 2; offset < 6 * GIB; offset += GIB) {
                assertEquals(offset, slab.getLongAcquire(offset));
                assertEquals(0, slab.getLong(offset + GIB / 4));
            }
        }
    }

    private static boolean isPacked() {
        return Slab.class.getProtectionDomain().getCodeSource().getLocation().getPath().endsWith(".jar");
    }

    @Test
    @Tag("long")
    void shouldUseMoreThanTwoGibibytesInOneShard() {
        assumeTrue(Slab.MAX_BYTES > 2 * GIB, "slabs end at 2 GiB on this JDK");
        assumeTrue(SlabAllocator.direct().lazy());
        try (InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(4 * GIB))) {
            final ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
            for (int i = 0; i < KEYS; i++) {
                assertEquals(-1, trie.put(key.putInt(0, spread(i)).array(), 0, KEY_BYTES, i));
            }
            assertTrue(trie.bytesUsed() > 5 * GIB / 2, trie.bytesUsed() + " bytes");
            for (int i = 0; i < KEYS; i += 7) {
                assertEquals(i, trie.get(key.putInt(0, spread(i)).array(), 0, KEY_BYTES));
            }
            int count = 0;
            try (EntryCursor cursor = trie.cursor()) {
                for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
                    assertEquals(spread((int) cursor.payload()), ByteBuffer.wrap(cursor.keyBuffer()).getInt(0));
                    count++;
                }
            }
            assertEquals(KEYS, count);
            trie.verify();
            for (int i = 0; i < KEYS; i++) {
                assertEquals(i, trie.remove(key.putInt(0, spread(i)).array(), 0, KEY_BYTES));
            }
            assertEquals(0, trie.entryCount());
            trie.verify();
        }
    }

    /** Spreads numbers over all four bytes, one to one. */
    private static int spread(final int number) {
        return number * 0x9E37_79B1;
    }
}
