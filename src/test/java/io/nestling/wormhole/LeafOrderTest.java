/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Positions of a leaf beside a list: nothing is lost, doubled or moved out of the header. */
class LeafOrderTest {
    private Wormhole index;
    private Slab slab;
    private LeafOrder order;
    private long leaf;

    @BeforeEach
    void open() {
        index = new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(16L << 20), new EpochReclaimer(), new HeapKeySource(), 16L << 20),
            KeyHash.ofSeed(1));
        slab = index.leaves.slab();
        order = new LeafOrder(index.leaves);
        leaf = offset(slab.getInt(TableLayout.FIRST_LEAF_OFFSET));
    }

    @AfterEach
    void close() {
        index.close();
    }

    private void assertPlaces(final List<int[]> expected) {
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i)[0], order.slot(leaf, i), "slot at position " + i);
            assertEquals(expected.get(i)[1], order.discriminator(leaf, i), "discriminator at position " + i);
        }
    }

    @Test
    void shouldMakeRoomAndCloseUpAsAListDoes() {
        final Random random = new Random(Seeds.seed("LeafOrder.asAListDoes"));
        final List<int[]> model = new ArrayList<>();
        slab.putByte(leaf + ORDER_OFFSET - 1, (byte) 77);
        slab.putLong(leaf + ENTRIES_OFFSET, 0x1234_5678_9ABC_DEFFL);
        for (int round = 0; round < 3000; round++) {
            final boolean grows = random.nextInt(MAX_ENTRIES) >= model.size() / 2;
            if (grows && model.size() < MAX_ENTRIES) {
                final int position = random.nextInt(model.size() + 1);
                final int[] entry = {random.nextInt(SLOTS), random.nextInt(1 << Short.SIZE)};
                order.insert(leaf, position, model.size(), entry[0], entry[1]);
                model.add(position, entry);
            } else if (!model.isEmpty()) {
                final int position = random.nextInt(model.size());
                order.remove(leaf, position, model.size());
                model.remove(position);
            }
            assertPlaces(model);
        }
        assertEquals(77, slab.getByte(leaf + ORDER_OFFSET - 1), "the anchor is as it was");
        assertEquals(0x1234_5678_9ABC_DEFFL, slab.getLong(leaf + ENTRIES_OFFSET), "the entries are as they were");
    }

    @Test
    void shouldCountDiscriminatorsBelowAGivenOne() {
        for (int count = 0; count <= MAX_ENTRIES; count++) {
            if (count > 0) {
                order.set(leaf, count - 1, count - 1, (count - 1) / 3 * 700 + 5);
            }
            for (int wanted = 0; wanted <= 1 << Short.SIZE; wanted += wanted < 30_000 ? 5 : 1777) {
                int expected = 0;
                while (expected < count && expected / 3 * 700 + 5 < wanted) {
                    expected++;
                }
                assertEquals(expected, LeafOrder.rank(slab, leaf, count, wanted), wanted + " among " + count);
            }
        }
        assertEquals(MAX_ENTRIES, LeafOrder.rank(slab, leaf, MAX_ENTRIES, 1 << Short.SIZE));
        assertEquals(33, order.positionOf(leaf, 33));
    }
}
