/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Epochs and blocks alone, without an index: readers that enter, follow a word to a block, read it and exit; a writer that
 * replaces the block and retires the one before; others that move the epoch. No reader may meet a block that was given back, or
 * is another one by now.
 */
final class ReclamationScenario implements Scenario {
    private static final long MAX_BYTES = 1L << 20;
    private static final int BLOCK_BYTES = 64;
    private static final long ROOT = 0;
    private static final int WORDS = 2;

    /** The task that a fiber repeats. */
    private enum Role { READER, WRITER, MOVER }

    private final long seed;
    private final List<Role> roles = new ArrayList<>();
    private final List<Integer> counts = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private EpochReclaimer epochs;
    private BlockAllocator blocks;
    private Slab slab;
    private long serial;

    ReclamationScenario(final long seed) {
        this.seed = seed;
        final Random random = new Random(seed);
        add(Role.WRITER, 2 + random.nextInt(2));
        add(Role.READER, 1);
        if (random.nextInt(4) > 0) {
            add(Role.MOVER, 3);
        } else {
            add(Role.READER, 1 + random.nextInt(2));
        }
    }

    private void add(final Role role, final int count) {
        roles.add(role);
        counts.add(count);
    }

    @Override
    public void setUp() {
        wrong.clear();
        serial = 0;
        epochs = new EpochReclaimer();
        blocks = new BlockAllocator(SlabAllocator.direct(), MemoryBudget.ofBytes(MAX_BYTES), epochs, MAX_BYTES, BLOCK_BYTES);
        slab = blocks.slab();
        replace();
        epochs.tryAdvance(); // the scheduler knows all guards now
    }

    private void replace() {
        final long block = blocks.allocate(0);
        serial++;
        Scheduler.at(9);
        for (int i = 0; i < WORDS; i++) {
            slab.putLong(block + 8L * i, serial << 32 | block);
        }
        Scheduler.at(1);
        final long before = slab.getLong(ROOT);
        slab.putLongRelease(ROOT, block);
        if (before != 0) {
            blocks.retire(before, 0);
        }
    }

    private void read() {
        final int guard = epochs.enter();
        Scheduler.at(2);
        final long block = slab.getLongAcquire(ROOT);
        long first = 0;
        for (int i = 0; i < WORDS; i++) {
            Scheduler.at(3 + i);
            final long word = slab.getLong(block + 8L * i);
            first = i == 0 ? word : first;
            if (word != first || (int) word != block) {
                wrong.add("ANOTHER BLOCK: " + Long.toHexString(word) + " stands in word " + i + " of block "
                    + Long.toHexString(block) + ", " + Long.toHexString(first) + " in its first one");
            }
        }
        epochs.exit(guard);
    }

    @Override
    public String[] names() {
        final String[] names = new String[roles.size()];
        Arrays.setAll(names, i -> roles.get(i).name().toLowerCase(java.util.Locale.ROOT) + i);
        return names;
    }

    @Override
    public Runnable[] bodies() {
        final Runnable[] bodies = new Runnable[roles.size()];
        Arrays.setAll(bodies, fiber -> () -> {
            for (int i = 0; i < counts.get(fiber); i++) {
                Trace.add("== " + roles.get(fiber) + ' ' + fiber + " begins operation " + i);
                switch (roles.get(fiber)) {
                    case READER -> read();
                    case WRITER -> replace();
                    default -> epochs.tryAdvance();
                }
                Scheduler.betweenOperations();
            }
        });
        return bodies;
    }

    @Override
    public int[] operations() {
        return counts.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public int samples() {
        return 2_000;
    }

    @Override
    public String judge() {
        blocks.close();
        return wrong.isEmpty() ? null : wrong.get(0);
    }

    @Override
    public String toString() {
        return "epochs and blocks, scenario " + seed + ": " + roles + ' ' + counts;
    }
}
