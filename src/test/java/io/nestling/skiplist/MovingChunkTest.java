/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Whoever compares a node with a key while the node's chunk moves never takes the bytes of one place for those of another. */
@Tag("bridge")
class MovingChunkTest {
    private static final int KEYS = 16;
    private static final int KEY_BYTES = 60_000;
    private static final int STEP_BYTES = 9;
    private static final int READERS = 2;

    private final byte[][] keys = new byte[KEYS][KEY_BYTES];
    /* Keys that are above and below them, and each byte of them. */
    private final byte[][] above = new byte[KEYS][KEY_BYTES];
    private final byte[][] below = new byte[KEYS][KEY_BYTES];
    private final int[] nodeOfKey = new int[KEYS];

    @Test
    void shouldNotBeReadAtAPlaceWhereItIsNot() throws InterruptedException {
        fill(Seeds.random("MovingChunkTest"));
        final IndexContext context = new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(16L << 20),
            new EpochReclaimer(), new HeapKeySource(payload -> keys[(int) payload]), 16L << 20);
        try (SkipList list = new SkipList(context, 2)) {
            for (int i = 0; i < KEYS; i++) {
                list.put(keys[i], 0, KEY_BYTES, i);
            }
            final Nodes nodes = list.nodes();
            for (int node = nodes.next(HEAD, 0); node != NULL; node = nodes.next(node, 0)) {
                nodeOfKey[(int) nodes.payload(node)] = node;
            }
            final AtomicInteger moving = new AtomicInteger();
            final CountDownLatch begun = new CountDownLatch(READERS);
            Threads.runTogether(1 + READERS, thread -> {
                if (thread < READERS) {
                    compare(nodes, moving, begun);
                    return;
                }
                try {
                    assertTrue(begun.await(30, TimeUnit.SECONDS), "nobody compares");
                    assertTrue(move(nodes, moving) > KEYS * MAX_RETREATS * (KEY_BYTES / STEP_BYTES - 2));
                } finally {
                    moving.set(KEYS);
                }
            });
            list.verify();
        }
    }

    private void fill(final Random random) {
        for (int i = 0; i < KEYS; i++) {
            for (int at = 0; at < KEY_BYTES; at++) {
                final int value = 1 + random.nextInt(254);
                keys[i][at] = (byte) value;
                above[i][at] = (byte) (value + 1);
                below[i][at] = (byte) (value - 1);
            }
        }
    }

    /** Moves the nodes' chunks through their keys, one after the other, and returns how often one came to another place. */
    private int move(final Nodes nodes, final AtomicInteger moving) {
        int moves = 0;
        for (int i = 0; i < KEYS; i++) {
            moving.set(i);
            for (int times = 0; times <= MAX_RETREATS; times++) {
                for (int place = 0; place < KEY_BYTES - CHUNK_BYTES; place += STEP_BYTES) {
                    nodes.placeChunk(nodeOfKey[i], place, keys[i], KEY_BYTES);
                    if (chunkPlace(nodes.meta(nodeOfKey[i])) == place) {
                        moves++;
                    }
                }
            }
        }
        return moves;
    }

    private void compare(final Nodes nodes, final AtomicInteger moving, final CountDownLatch begun) {
        for (int i = moving.get(); i < KEYS; i = moving.get()) {
            final int node = nodeOfKey[i];
            // What a search knows of shared bytes does not count here: that the chunk is compared does.
            assertEquals(Nodes.LESS,
                Nodes.order(nodes.compare(node, above[i], 0, KEY_BYTES, chunkPlace(nodes.meta(node)))));
            assertEquals(Nodes.GREATER,
                Nodes.order(nodes.compare(node, below[i], 0, KEY_BYTES, chunkPlace(nodes.meta(node)))));
            assertEquals(Nodes.LESS,
                Nodes.order(nodes.compareExactly(node, above[i], 0, KEY_BYTES, chunkPlace(nodes.meta(node)))));
            assertEquals(Nodes.GREATER,
                Nodes.order(nodes.compareExactly(node, below[i], 0, KEY_BYTES, chunkPlace(nodes.meta(node)))));
            begun.countDown();
        }
    }
}
