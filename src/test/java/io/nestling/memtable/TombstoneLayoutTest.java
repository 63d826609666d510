/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TombstoneLayoutTest {
    @Test
    void shouldLieOneBehindTheOther() {
        assertEquals(128, TombstoneLayout.SEQUENCES_OFFSET);
        assertEquals(248, TombstoneLayout.COUNT_OFFSET);
        assertEquals(252, TombstoneLayout.STAMP_OFFSET);
        assertEquals(256, TombstoneLayout.BOUNDS_OFFSET);
        assertEquals(316, TombstoneLayout.LINKS_OFFSET);
        assertEquals(376, TombstoneLayout.OLDER_OFFSET);
        assertEquals(448, TombstoneLayout.NODE_BYTES);
        assertEquals(TombstoneLayout.TOMBSTONE_BYTES, TombstoneLayout.SAME_START_OFFSET + Integer.BYTES);
    }

    /** The example of {@link TombstoneLayout}, with a third slot where the range ends. */
    @Test
    void shouldLookAsInTheExample() {
        final SequenceGate gate = new SequenceGate(7, new WriteFailure());
        final RangeTombstones tombstones = new RangeTombstones(
            SlabAllocator.direct(), MemoryBudget.ofBytes(1 << 20), new EpochReclaimer(), 1 << 20, new SnapshotRegistry(gate),
            false);
        final RangeTombstones.Change change = tombstones.change();
        change.add("ab".getBytes(StandardCharsets.UTF_8), "b".getBytes(StandardCharsets.UTF_8), 0);
        change.prepare();
        change.publish(7);
        final Slab slab = tombstones.newest().slab();
        final int node = tombstones.newest().root();
        final long at = TombstoneLayout.offset(node);
        assertEquals(0, slab.getLong(at));
        assertEquals(0x6162000000000000L, slab.getLong(at + 8));
        assertEquals(0x62L << 56, slab.getLong(at + 16));
        assertEquals(-1, slab.getLong(at + 24));
        assertEquals(0, slab.getLong(at + 128));
        assertEquals(7, slab.getLong(at + 136));
        assertEquals(0, slab.getLong(at + 144));
        assertEquals(3, slab.getInt(at + 248));
        assertEquals(-1, slab.getInt(at + 256));
        assertEquals(-3, slab.getInt(at + 260));
        assertEquals(-2, slab.getInt(at + 264));
        final long tombstone = TombstoneLayout.offset(slab.getInt(at + 316 + 4));
        assertEquals(7, slab.getLong(tombstone));
        assertEquals(0x62L << 56, slab.getLong(tombstone + 8));
        assertEquals(-2, slab.getInt(tombstone + 16));
        assertEquals(0, slab.getInt(tombstone + 20));
        tombstones.close();
    }
}
