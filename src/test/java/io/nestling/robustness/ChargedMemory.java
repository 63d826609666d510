/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.bridge.NativeBridges;
import io.nestling.catalog.IndexType;
import io.nestling.memtable.ChargedHeap;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Main class of {@link ChargedMemoryTest}: compares what memtables are charged with what the process grew by, which is the
 * resident memory of their slabs' mappings and the heap that is reachable. Prints a line a stage, and ends with 1 if all of it
 * or the heap alone differs by more than 5 % and 2 MiB.
 */
final class ChargedMemory {
    private static final long MIB = 1 << 20;
    private static final double SHARE = 0.05;
    private static final int VALUE_BYTES = 50;
    private static final int HEX = 16;
    /* More than a small shard takes. */
    private static final int FEW_KEYS = 200;
    private static final int SETTLING_MILLIS = 30;
    /* Pages that are charged are populated by another thread, which a busy machine may keep waiting. */
    private static final long MOST_SETTLING_NANOS = 20_000_000_000L;
    private static final int COLLECTIONS = 4;
    /* Odd: keys that are multiples of it differ, and lie anywhere. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final List<String> WRONG = new ArrayList<>();

    private final Recording slabs = new Recording();
    private final List<Memtable> memtables = new ArrayList<>();
    private final String name;
    private final long heapBefore;

    private ChargedMemory(final String name) throws InterruptedException {
        this.name = name;
        Thread.sleep(SETTLING_MILLIS); // for what others leave
        this.heapBefore = heap();
    }

    /** Remembers where slabs lie. */
    private static final class Recording implements SlabAllocator {
        private final List<long[]> ranges = new ArrayList<>();

        @Override
        public synchronized Slab allocate(final long bytes) {
            final Slab slab = SlabAllocator.direct().allocate(bytes);
            if (slab.address(0) != 0) {
                ranges.add(new long[] {slab.address(0), slab.address(0) + slab.size()});
            }
            return slab;
        }

        @Override
        public long maxSlabBytes() {
            return SlabAllocator.direct().maxSlabBytes();
        }

        @Override
        public boolean lazy() {
            return SlabAllocator.direct().lazy();
        }

        /** Returns the resident bytes of the mappings that slabs lie in. */
        synchronized long resident() throws IOException {
            long kib = 0;
            boolean ours = false;
            for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
                final int colon = line.indexOf(':');
                if (colon < 0 || line.indexOf('-') >= 0 && line.indexOf('-') < colon) {
                    final String[] range = line.substring(0, line.indexOf(' ')).split("-");
                    ours = line.contains("nestling") && line.contains(".slab")
                        || overlaps(Long.parseUnsignedLong(range[0], HEX), Long.parseUnsignedLong(range[1], HEX));
                } else if (ours && line.startsWith("Rss:")) {
                    kib += Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            return kib << 10;
        }

        private boolean overlaps(final long start, final long end) {
            return ranges.stream().anyMatch(range -> Long.compareUnsigned(range[0], end) < 0
                && Long.compareUnsigned(start, range[1]) < 0);
        }
    }

    /** Returns the reachable heap. One collection may leave dead objects where they are. */
    private static long heap() {
        final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        memory.getHeapMemoryUsage(); // the first call leaves some 2 MB
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }

    private void open(final IndexType index, final long capacity, final int shards) {
        memtables.add(Memtable.open(MemtableOptions.builder().index(index).capacityBytes(capacity).shards(shards)
            .memory(slabs).build()));
    }

    /** Compares all that is charged, or only what is charged for the heap, when what is populated ahead has been populated. */
    private void compare(final long keys, final boolean withSlabs) throws Exception {
        final long charged = memtables.stream().mapToLong(memtable -> memtable.stats().reservedBytes()).sum();
        final long chargedHeap = ChargedHeap.of(memtables);
        final long start = System.nanoTime();
        long resident;
        long heap;
        boolean right;
        do {
            Thread.sleep(SETTLING_MILLIS);
            resident = slabs.resident();
            heap = heap() - heapBefore;
            right = withSlabs ? isNear(charged, resident + heap) : isNear(chargedHeap, heap);
        } while (!right && System.nanoTime() - start < MOST_SETTLING_NANOS);
        final long grown = resident + heap;
        final String line = String.format(Locale.ROOT,
            "%-28s %8d keys: charged %8.2f MiB, slabs %8.2f, heap %6.2f of %6.2f, difference %+7.2f, %+6.1f %%", name, keys,
            (double) charged / MIB, (double) resident / MIB, (double) heap / MIB, (double) chargedHeap / MIB,
            (double) (charged - grown) / MIB, 100.0 * (charged - grown) / grown);
        System.out.println(line);
        if (!right) {
            WRONG.add(line);
        }
    }

    private static boolean isNear(final long charged, final long taken) {
        return Math.abs(charged - taken) <= Math.max(2 * MIB, SHARE * taken);
    }

    private void close() {
        memtables.forEach(Memtable::close);
        memtables.clear();
    }

    /** Fills one memtable by stages. */
    private static void fill(final IndexType index, final long capacity, final int shards) throws Exception {
        final ChargedMemory memory = new ChargedMemory(
            index.indexName() + " " + capacity / MIB + " MiB, " + shards + " shards");
        memory.open(index, capacity, shards);
        final Memtable memtable = memory.memtables.get(0);
        final byte[] value = new byte[VALUE_BYTES];
        long keys = 0;
        memory.compare(keys, true);
        for (long stage = 1; !memtable.isFull(); stage *= 10) {
            while (keys < stage && !memtable.isFull()) {
                put(memtable, keys++, value);
            }
            memory.compare(keys, true);
        }
        try {
            while (true) {
                put(memtable, keys++, value);
            }
        } catch (final SpaceExhaustedException e) {
            memory.compare(keys, true);
        }
        memory.close();
    }

    private static void put(final Memtable memtable, final long number, final byte[] value) {
        memtable.put(ByteBuffer.allocate(2 * Long.BYTES).putLong(number * SPREAD).putLong(number).array(), value);
    }

    /** Fills many memtables, each with some rows a shard on average; at least one in each if one is wanted. */
    private static void many(final IndexType index, final int count, final int shards, final int rows) throws Exception {
        final ChargedMemory memory = new ChargedMemory(
            index.indexName() + " " + count + " times " + shards + " shards");
        for (int i = 0; i < count; i++) {
            memory.open(index, 64 * MIB, shards);
        }
        memory.compare(0, true);
        final byte[] value = new byte[VALUE_BYTES];
        for (final Memtable memtable : memory.memtables) {
            for (int i = 0; i < rows * shards || rows == 1 && hasEmptyShard(memtable); i++) {
                put(memtable, i, value);
            }
        }
        // Each slab has a step or a reservation that is not taken: more than 5 % of a shard that has just moved to its index.
        memory.compare((long) count * rows * shards, rows == 1);
        memory.close();
    }

    private static boolean hasEmptyShard(final Memtable memtable) {
        return memtable.stats().shards().stream().anyMatch(shard -> shard.entries() == 0);
    }

    /**
     * Measures.
     *
     * @param args for each measurement index, MiB, shards; or index, count of memtables with an {@code x}, shards, rows a shard
     */
    public static void main(final String[] args) throws Exception {
        System.out.println("bridge " + NativeBridges.get().name());
        warmUp();
        for (int i = 0; i < args.length; i++) {
            final IndexType index = IndexType.ofName(args[i]);
            final String size = args[++i];
            final int shards = Integer.parseInt(args[++i]);
            if (size.endsWith("x")) {
                many(index, Integer.parseInt(size.substring(0, size.length() - 1)), shards, Integer.parseInt(args[++i]));
            } else {
                fill(index, Long.parseLong(size) * MIB, shards);
            }
        }
        WRONG.forEach(line -> System.out.println("WRONG: " + line));
        System.exit(WRONG.isEmpty() ? 0 : 1);
    }

    /** Loads the classes, and fills the pools of the process. */
    private static void warmUp() {
        for (final IndexType index : IndexType.values()) {
            try (Memtable memtable = Memtable.open(
                MemtableOptions.builder().index(index).capacityBytes(MIB).shards(1).build())) {
                for (long number = 0; number < FEW_KEYS; number++) {
                    put(memtable, number, new byte[VALUE_BYTES]);
                }
                memtable.stats();
            }
        }
    }
}
