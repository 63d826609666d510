/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;

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
            final MemorySegment mapped = BRIDGE.isNative() ? mapNative(bytes, arena)
                : TemporaryFiles.LAZY ? mapFile(bytes, arena)
                : arena.allocate(bytes, MemoryBudget.SLAB_BYTES);
            return new Slab(mapped, true, arena::close);
        } catch (final OutOfMemoryError | IOException e) {
            arena.close();
            throw new SpaceExhaustedException("the system gives no " + bytes + " bytes of address space: " + e.getMessage());
        } catch (final RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    @SuppressWarnings("restricted") // mapped with this size, unmapped as the arena closes
    private static MemorySegment mapNative(final long bytes, final Arena arena) {
        final long mapped = BRIDGE.map(bytes);
        return MemorySegment.ofAddress(mapped).reinterpret(bytes, arena, ignored -> BRIDGE.unmap(mapped, bytes));
    }

    private static MemorySegment mapFile(final long bytes, final Arena arena) throws IOException {
        return TemporaryFiles.map(channel -> channel.map(FileChannel.MapMode.PRIVATE, 0, bytes, arena));
    }
}
