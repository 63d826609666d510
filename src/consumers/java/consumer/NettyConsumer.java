/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package consumer;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.netty.NettyMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

import java.nio.charset.StandardCharsets;

/** Opens a memtable in memory of Netty's and puts its buffers. */
public final class NettyConsumer {
    private NettyConsumer() {
    }

    public static void main(final String[] args) {
        final MemtableOptions options = MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(16 << 20)
            .memory(NettyMemory.of(PooledByteBufAllocator.DEFAULT)).build();
        final ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(8);
        buffer.writeCharSequence("netty", StandardCharsets.UTF_8);
        try (Memtable memtable = Memtable.open(options)) {
            memtable.put(buffer.nioBuffer(), buffer.nioBuffer());
            if (memtable.get("netty".getBytes(StandardCharsets.UTF_8)).length != 5) {
                throw new AssertionError("the memtable lost a key");
            }
        } finally {
            buffer.release();
        }
        System.out.println("netty module=" + Memtable.class.getModule().getName());
    }
}
