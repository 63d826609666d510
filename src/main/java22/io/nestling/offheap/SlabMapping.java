/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;

/**
 * Maps memory for slabs, on JDK 22 and later.
 * <h2>Thread safety</h2>
 * Any thread.
 */
final class SlabMapping {
    private static final NativeBridge BRIDGE = NativeBridges.get();

    private SlabMapping() {
    }

    static Slab map(final long bytes) {
        final Arena arena = Arena.ofShared();
        try {
            return BRIDGE.isNative() ? mapNative(bytes, arena) : new Slab(mapManaged(bytes, arena), true, () -> close(arena));
        } catch (final OutOfMemoryError | IOException e) {
            arena.close();
            throw new SpaceExhaustedException("the system gives no " + bytes + " bytes of address space: " + e.getMessage());
        } catch (final RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /* Closing the arena invalidates the segment but does not unmap the memory, so that unmapping can be repeated if it fails. */
    @SuppressWarnings("restricted") // mapped with this size, unmapped after the arena has ended
    private static Slab mapNative(final long bytes, final Arena arena) {
        final long mapped = BRIDGE.map(bytes);
        try {
            return new Slab(MemorySegment.ofAddress(mapped).reinterpret(bytes, arena, null), true, () -> {
                close(arena);
                BRIDGE.unmap(mapped, bytes);
            });
        } catch (final RuntimeException | Error e) {
            BRIDGE.unmap(mapped, bytes);
            throw e;
        }
    }

    private static MemorySegment mapManaged(final long bytes, final Arena arena) throws IOException {
        return TemporaryFiles.LAZY
            ? TemporaryFiles.map(channel -> channel.map(FileChannel.MapMode.PRIVATE, 0, bytes, arena))
            : arena.allocate(bytes, MemoryBudget.SLAB_BYTES);
    }

    /** Closes an arena that an earlier attempt may have closed. */
    private static void close(final Arena arena) {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
