/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.SlabAllocator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.HashMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class UnreadMemoryTest {
    @BeforeAll
    static void start() {
        CassandraProcess.start();
    }

    private static ShardMemory memory() {
        final ShardMemory memory = new ShardMemory(MemtableParameters.takeFrom(new HashMap<>()), SlabAllocator.direct());
        memory.arena.allocate(100);
        return memory;
    }

    @Test
    void shouldGiveBackMemoryThatNobodyReads() {
        final ShardMemory memory = memory();
        memory.epochs.exit(memory.epochs.enter());
        assertNotEquals(0, memory.bytes());
        UnreadMemory.closeOnceUnread(memory);
        assertEquals(0, memory.bytes());
    }

    @Test
    void shouldKeepMemoryUntilItsLastReaderHasLeft() {
        final ShardMemory memory = memory();
        final int guard = memory.epochs.enter();
        UnreadMemory.closeOnceUnread(memory);
        assertNotEquals(0, memory.bytes());
        UnreadMemory.closeOnceUnread(memory());
        assertNotEquals(0, memory.bytes());
        memory.epochs.exit(guard);
        UnreadMemory.closeOnceUnread(memory());
        assertEquals(0, memory.bytes());
    }
}
