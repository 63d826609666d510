/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.memory.SharedBudget;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Main class of {@link SharedBudgetRotationsTest}: 64 memtables share a budget, and whichever is largest is flushed,
 * closed and opened again. The process must never take more than the budget and 212 MiB, with a heap of 96.
 */
final class SharedBudgetRotations {
    private static final int MEMTABLES = 64;
    private static final int WRITERS = 2;
    private static final int SHARDS = 4;
    private static final long MIB = 1 << 20;
    /* Of the virtual machine, with a heap of 96 MiB. */
    private static final long OTHER_BYTES = 212 * MIB;
    private static final int MOST_VALUE_BYTES = 4000;
    private static final int KIB_SHIFT = 10;

    private final AtomicReferenceArray<Memtable> memtables = new AtomicReferenceArray<>(MEMTABLES);
    private final ExecutorService flushing = Executors.newSingleThreadExecutor();
    private final SharedBudget<Memtable> budget;
    private final AtomicLong rotations = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong flushed = new AtomicLong();
    private volatile Throwable failure;

    private SharedBudgetRotations(final long budgetBytes) {
        budget = SharedBudget.<Memtable>builder(
            budgetBytes, memtable -> flushing.execute(() -> rotate(memtable))).build();
    }

    /** Counts entries. */
    private static final class Counting implements EntrySink {
        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
        }

        @Override
        public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) {
        }

        @Override
        public void entry(final EntryView entry) {
        }

        @Override
        public void end() {
        }
    }

    private Memtable open(final int slot) {
        return Memtable.open(MemtableOptions.builder().index(IndexType.values()[slot % IndexType.values().length])
            .shards(SHARDS).capacityBytes(64 * MIB).sharedBudget(budget).build());
    }

    private void rotate(final Memtable memtable) {
        try {
            for (int slot = 0; slot < MEMTABLES; slot++) {
                if (memtables.get(slot) == memtable) {
                    memtable.freeze();
                    memtables.set(slot, open(slot));
                }
            }
            flushed.addAndGet(memtable.flush(new Counting()).entries());
            memtable.close();
            rotations.incrementAndGet();
        } catch (final Throwable e) {
            failure = e;
            e.printStackTrace();
        }
    }

    private void write(final long seed, final long until) {
        final Random random = new Random(seed);
        final byte[] value = new byte[MOST_VALUE_BYTES];
        while (rotations.get() < until && failure == null) {
            final byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(random.nextLong()).array();
            final byte[] own = Arrays.copyOf(value, random.nextInt(MOST_VALUE_BYTES));
            for (boolean done = false; !done;) {
                try {
                    memtables.get(random.nextInt(MEMTABLES)).put(key, own);
                    done = true;
                } catch (final IllegalStateException e) {
                    Thread.onSpinWait(); // it is being flushed
                }
            }
            written.incrementAndGet();
        }
    }

    private static long kib(final String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith(name))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElseThrow();
    }

    /**
     * Rotates.
     *
     * @param args MiB of the budget, number of rotations, seed
     */
    public static void main(final String[] args) {
        try {
            run(args);
            System.exit(0);
        } catch (final Exception | Error e) {
            e.printStackTrace();
            System.exit(1); // other threads may still write
        }
    }

    private static void run(final String[] args) throws Exception {
        final long until = Long.parseLong(args[1]);
        final long seed = Long.parseLong(args[2]);
        final SharedBudgetRotations all = new SharedBudgetRotations(MIB * Long.parseLong(args[0]));
        for (int slot = 0; slot < MEMTABLES; slot++) {
            all.memtables.set(slot, all.open(slot));
        }
        final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        final Future<?>[] writing = new Future<?>[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            final long own = seed + i;
            writing[i] = writers.submit(() -> all.write(own, until));
        }
        for (final Future<?> future : writing) {
            future.get();
        }
        writers.shutdown();
        all.flushing.submit(() -> { }).get(); // rotations under way
        MemtableLife.check(all.failure == null, "no failure but " + all.failure);
        for (int slot = 0; slot < MEMTABLES; slot++) {
            all.rotate(all.memtables.get(slot));
            all.memtables.get(slot).close();
        }
        all.flushing.shutdown();
        final long most = kib("VmHWM:") << KIB_SHIFT;
        System.out.printf(Locale.ROOT, "%d rotations, %d writes: at most %d MiB resident%n", all.rotations.get(),
            all.written.get(), most / MIB);
        MemtableLife.check(all.flushed.get() == all.written.get(), all.written + " entries flushed but " + all.flushed);
        MemtableLife.check(all.budget.used() == 0, "nothing charged at the end but " + all.budget.used());
        final long limit = all.budget.limit() + OTHER_BYTES;
        MemtableLife.check(most <= limit, "at most " + limit + " bytes resident but " + most);
    }
}
