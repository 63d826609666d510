/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.netty.NettyMemory;
import io.nestling.offheap.SlabAllocator;
import io.netty.buffer.ByteBufAllocator;

/** The slabs behind {@link NettyMemory}. */
public final class NettySlabs {
    private NettySlabs() {
    }

    public static SlabAllocator of(final ByteBufAllocator allocator) {
        return (SlabAllocator) NettyMemory.of(allocator);
    }
}
