/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bridge.HugePages;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Slabs mapped from the system; {@link SmallSlabs} if they are small.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class MappedSlabAllocator implements SlabAllocator {
    static final SlabAllocator INSTANCE = new MappedSlabAllocator();
    /** True if the system may give huge pages. It may do so where it does not show its setting. */
    static final boolean HUGE_PAGES = !"never".equals(HugePages.kernelSetting());
    private static final Path MOST_MAPPINGS = Path.of("/proc/sys/vm/max_map_count");
    /* Of a slab that has its beginning on small pages and is populated ahead, with as many for others. */
    private static final long MAPPINGS_PER_SLAB = 4;
    /** A process that reaches the system's limit cannot start threads nor extend its heap, and ends. */
    private static final long MOST_SLABS = mostMappings() / MAPPINGS_PER_SLAB;
    private static final AtomicLong OPEN_SLABS = new AtomicLong();

    private MappedSlabAllocator() {
    }

    @Override
    public Slab allocate(final long bytes) {
        if (bytes <= 0 || bytes > Slab.MAX_BYTES) {
            throw new SpaceExhaustedException(
                "expected a slab of 1 to " + Slab.MAX_BYTES + " bytes, the limit on this JDK, but was " + bytes);
        }
        if (bytes <= SmallSlabs.BYTES) {
            return SmallSlabs.allocate();
        }
        final long pages = (bytes + MemoryBudget.SLAB_BYTES - 1) / MemoryBudget.SLAB_BYTES;
        return map(pages * MemoryBudget.SLAB_BYTES);
    }

    /** Maps a slab, unless there are so many that the process may come near the system's limit of mappings. */
    static Slab map(final long bytes) {
        if (OPEN_SLABS.incrementAndGet() > MOST_SLABS) {
            OPEN_SLABS.decrementAndGet();
            throw new SpaceExhaustedException("expected at most " + MOST_SLABS + " slabs at once but was one more: each takes up"
                + " to " + MAPPINGS_PER_SLAB + " of the mappings that the system allows a process (vm.max_map_count)");
        }
        Slab slab = null;
        try {
            slab = Slab.map(bytes);
            final Runnable unmap = slab.release;
            final boolean[] counted = {true};
            slab.release = () -> {
                if (counted[0]) {
                    counted[0] = false;
                    OPEN_SLABS.decrementAndGet();
                }
                unmap.run(); // last: if a call behind it failed, it would be repeated
            };
            return slab;
        } catch (final Throwable e) {
            OPEN_SLABS.decrementAndGet();
            if (slab != null) {
                slab.close();
            }
            throw e;
        }
    }

    private static long mostMappings() {
        try (InputStream in = Files.newInputStream(MOST_MAPPINGS)) {
            // One read: this file ends behind its first read, and Files.readString begins with one byte.
            final byte[] text = new byte[Long.SIZE];
            return Long.parseLong(new String(text, 0, Math.max(0, in.read(text)), StandardCharsets.US_ASCII).strip());
        } catch (final IOException | NumberFormatException e) {
            return Long.MAX_VALUE; // another system
        }
    }

    @Override
    public long maxSlabBytes() {
        return Slab.MAX_BYTES;
    }

    @Override
    public boolean lazy() {
        return Slab.isLazy();
    }
}
