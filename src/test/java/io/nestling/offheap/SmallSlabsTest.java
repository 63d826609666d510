/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("bridge")
class SmallSlabsTest {
    private static final long BYTES = SmallSlabs.BYTES;

    private static Slab allocate() {
        return SlabAllocator.direct().allocate(BYTES);
    }

    @Test
    void shouldShareFewMappings() {
        final int before = SmallSlabs.chunks();
        final List<Slab> slabs = new ArrayList<>();
        final Set<Long> addresses = new HashSet<>();
        try {
            for (int i = 0; i < 1_000; i++) {
                final Slab slab = allocate();
                slabs.add(slab);
                assertEquals(BYTES, slab.size());
                slab.putLong(0, i);
                slab.putLong(BYTES - Long.BYTES, ~i);
                assertTrue(slab.address(0) == 0 || addresses.add(slab.address(0)), "two slabs at one address");
            }
            assertTrue(SmallSlabs.chunks() - before <= 4, SmallSlabs.chunks() + " chunks");
            for (int i = 0; i < slabs.size(); i++) {
                assertEquals(i, slabs.get(i).getLong(0));
                assertEquals(~i, slabs.get(i).getLong(BYTES - Long.BYTES));
            }
        } finally {
            slabs.forEach(Slab::close);
        }
        assertEquals(before, SmallSlabs.chunks(), "chunks without slabs stay");
    }

    @Test
    void shouldReachNoMemoryOnceClosed() {
        final Slab slab = allocate();
        slab.putInt(0, 7);
        slab.close();
        final Slab next = allocate();
        try {
            next.putInt(0, 8);
            assertThrows(RuntimeException.class, () -> slab.getInt(0));
            assertThrows(RuntimeException.class, () -> slab.putInt(0, 9));
            assertEquals(8, next.getInt(0));
        } finally {
            next.close();
        }
    }

    /** A growing slab clears what its user before has left. */
    @Test
    void shouldReadAsZeroesWhereItGrows() {
        for (int round = 0; round < 3; round++) {
            final MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
            try (GrowingSlab growing = new GrowingSlab(SlabAllocator.direct(), budget, BYTES)) {
                assertTrue(growing.growTo(BYTES));
                assertEquals(BYTES, budget.used());
                for (int at = 0; at < BYTES; at += Long.BYTES) {
                    assertEquals(0, growing.slab().getLong(at));
                    growing.slab().putLong(at, -1);
                }
            }
            assertEquals(0, budget.used());
        }
    }

    @Test
    void shouldBeAllocatedAndClosedByManyThreads() throws InterruptedException {
        final int before = SmallSlabs.chunks();
        final StressThreads threads = new StressThreads();
        for (int thread = 0; thread < 4; thread++) {
            final int mark = thread;
            final Random random = Seeds.random("SmallSlabsTest " + thread);
            threads.start("thread " + thread, () -> {
                final ArrayDeque<Slab> slabs = new ArrayDeque<>();
                for (int i = 0; i < 5_000; i++) {
                    if (slabs.size() < 300 && random.nextInt(3) > 0) {
                        final Slab slab = allocate();
                        slab.putLong(0, mark);
                        slabs.add(slab);
                    } else if (!slabs.isEmpty()) {
                        final Slab slab = slabs.poll();
                        assertEquals(mark, slab.getLong(0));
                        slab.close();
                    }
                }
                slabs.forEach(Slab::close);
            });
        }
        threads.join();
        assertEquals(before, SmallSlabs.chunks());
    }

    /** The process itself would end at the limit: it could not map stacks of threads. */
    @Test
    void shouldRefuseSlabsBeforeTheSystemRefusesMappings() throws IOException {
        final Path file = Path.of("/proc/sys/vm/max_map_count");
        assumeTrue(NativeBridges.get().isNative() && Files.exists(file), "needs a system that says its limit");
        final byte[] text = new byte[Long.SIZE];
        final long most;
        try (InputStream in = Files.newInputStream(file)) {
            most = Long.parseLong(new String(text, 0, in.read(text), StandardCharsets.US_ASCII).strip());
        }
        assumeTrue(most < 1 << 18, "the limit is too high to reach it");
        final List<Slab> slabs = new ArrayList<>();
        try {
            final SpaceExhaustedException e = assertThrows(SpaceExhaustedException.class, () -> {
                while (slabs.size() < most) {
                    slabs.add(SlabAllocator.direct().allocate(MemoryBudget.SLAB_BYTES));
                }
            });
            assertTrue(slabs.size() > most / 8 && slabs.size() <= most / 4, slabs.size() + " slabs");
            assertTrue(e.getMessage().contains("vm.max_map_count"), e.getMessage());
            slabs.remove(0).close();
            slabs.add(SlabAllocator.direct().allocate(MemoryBudget.SLAB_BYTES));
        } finally {
            slabs.forEach(Slab::close);
        }
    }
}
