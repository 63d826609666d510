/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

/** Four writers put four million random keys into one list, with keys in records. */
@Tag("long")
class LargeSkipListTest {
    private static final int KEYS = 4_000_000;
    private static final int WRITERS = 4;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static byte[] key(final int number) {
        // The product with an odd number is a permutation.
        return ByteBuffer.allocate(Long.BYTES).putLong(number * SPREAD).array();
    }

    @Test
    void shouldHoldMillionsOfKeysOfManyWriters() throws InterruptedException {
        final MemoryBudget budget = MemoryBudget.ofBytes(1L << 30);
        try (RecordStore records = new RecordStore(SlabAllocator.direct(), budget, 512L << 20)) {
            final IndexContext context = new IndexContext(
                SlabAllocator.direct(), budget, new EpochReclaimer(), records, 512L << 20);
            try (SkipList list = new SkipList(context)) {
                Threads.runTogether(WRITERS, writer -> {
                    for (int i = writer; i < KEYS; i += WRITERS) {
                        final byte[] key = key(i);
                        final long word = RecordLayout.versionWord(i, 0, false, true);
                        final long record = records.append(word, RecordLayout.NO_RECORD, key, 0, key.length, 0);
                        assertEquals(PointIndex.NONE, list.put(key, 0, key.length, record));
                    }
                });
                list.verify();
                assertEquals(KEYS, list.entryCount());
                // Three to five of them are the node index: by when it was renewed last, it has some of the keys or all.
                assertTrue(list.bytesUsed() <= 40L * KEYS, () -> list.bytesUsed() / KEYS + " bytes a key");
                int shown = 0;
                try (EntryCursor cursor = list.cursor()) {
                    for (boolean found = cursor.first(); found; found = cursor.next()) {
                        shown++;
                    }
                }
                assertEquals(KEYS, shown);
                for (int i = 0; i < KEYS; i += 17) {
                    final byte[] key = key(i);
                    final long record = list.get(key, 0, key.length);
                    assertEquals(i, RecordLayout.sequence(records.versionWord(record)));
                }
            }
        }
    }
}
