/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package consumer;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Uses a memtable, without tables and without Netty. */
public final class MemtableConsumer {
    private MemtableConsumer() {
    }

    public static void main(final String[] args) {
        for (final IndexType index : IndexType.values()) {
            final MemtableOptions options =
                MemtableOptions.builder().index(index).shards(2).capacityBytes(16 << 20).build();
            try (Memtable memtable = Memtable.open(options)) {
                for (int i = 0; i < 1_000; i++) {
                    memtable.put(bytes("key " + i), bytes("value " + i));
                }
                memtable.put(ByteBuffer.wrap(bytes("key 7")), ByteBuffer.wrap(bytes("seven")));
                memtable.delete(bytes("key 8"));
                memtable.freeze();
                if (!"seven".equals(new String(memtable.get(bytes("key 7")), StandardCharsets.UTF_8))
                    || memtable.get(bytes("key 8")) != null) {
                    throw new AssertionError(index + " lost a write");
                }
            }
        }
        System.out.println("memtable module=" + Memtable.class.getModule().getName());
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
