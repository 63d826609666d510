/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

/** The verifier finds damage of every kind and names the invariant. */
class WormholeVerifierTest {
    private static final int KEYS = 400;

    private final HeapKeySource keys = new HeapKeySource();
    private Wormhole index;
    private Slab slab;

    @BeforeEach
    void fill() {
        final long bytes = 16L << 20;
        index = new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(bytes), new EpochReclaimer(), keys, bytes), KeyHash.ofSeed(3));
        slab = index.leaves.slab();
        for (int i = 0; i < KEYS; i++) {
            final byte[] key = ("key" + i * 7919 % 1000).getBytes(StandardCharsets.US_ASCII);
            keys.register(i, key);
            index.put(key, 0, key.length, i);
        }
        index.verify();
    }

    @AfterEach
    void close() {
        index.close();
    }

    private void assertBroken(final int invariant) {
        final IllegalStateException found = assertThrows(IllegalStateException.class, index::verify);
        assertTrue(found.getMessage().startsWith("invariant " + invariant + ":"), found.getMessage());
    }

    private long first() {
        return LeafLayout.offset(slab.getInt(TableLayout.FIRST_LEAF_OFFSET));
    }

    private long second() {
        return LeafLayout.offset(index.leaves.next(first()));
    }

    private long firstSlot(final long leaf) {
        return leaf + LeafLayout.slotOffset(slab.getByte(leaf + LeafLayout.ORDER_OFFSET));
    }

    private long root() {
        return TableLayout.target(slab.getLong(TableLayout.ROOT_OFFSET));
    }

    @Test
    void verifyNamesTheListWhenALinkIsWrong() {
        slab.putInt(second() + LeafLayout.PREVIOUS_OFFSET, LeafLayout.reference(second()));
        assertBroken(1);
    }

    @Test
    void verifyNamesTheListWhenAChangeIsUnderWay() {
        slab.putLong(TableLayout.VERSION_OFFSET, slab.getLong(TableLayout.VERSION_OFFSET) + 1);
        assertBroken(1);
    }

    @Test
    void verifyNamesTheOrderingConditionWhenAnAnchorIsTooHigh() {
        slab.putByte(second() + LeafLayout.ANCHOR_BYTES_OFFSET, (byte) 'z');
        assertBroken(2);
    }

    @Test
    void verifyNamesTheCountWhenItIsWrong() {
        slab.putLong(second(), slab.getLong(second()) + 1);
        assertBroken(4);
    }

    @Test
    void verifyNamesTheCountWhenATakenSlotIsSaidToBeFree() {
        final int slot = slab.getByte(second() + LeafLayout.ORDER_OFFSET);
        final long taken = second() + LeafLayout.TAKEN_OFFSET + (slot >> LeafLayout.LINE_SLOTS_SHIFT);
        slab.putByte(taken, (byte) (slab.getByte(taken) ^ 1 << (slot & LeafLayout.LINE_SLOTS - 1)));
        assertBroken(4);
    }

    @Test
    void verifyNamesTheListOrderWhenTwoSlotsAreSwapped() {
        final long order = second() + LeafLayout.ORDER_OFFSET;
        final byte slot = slab.getByte(order);
        slab.putByte(order, slab.getByte(order + 1));
        slab.putByte(order + 1, slot);
        assertBroken(5);
    }

    @Test
    void verifyNamesTheTagOrderWhenATagIsWrong() {
        final long slot = firstSlot(second());
        slab.putLong(slot, slab.getLong(slot) ^ 1L << LeafLayout.TAG_SHIFT);
        assertBroken(6);
    }

    @Test
    void verifyNamesTheDiscriminatorsWhenOneIsWrong() {
        final long leaf = second();
        final long at = leaf + LeafLayout.discriminatorOffset(0);
        slab.putShort(at, (short) (slab.getShort(at) + 1));
        assertBroken(7);
    }

    private int discriminator(final long leaf, final int position) {
        return slab.getShort(leaf + LeafLayout.discriminatorOffset(position)) & 0xFFFF;
    }

    /** Makes a leaf say that its keys share as many bits of a byte as can be said, with discriminators that agree with that. */
    private void shareMore(final long leaf) {
        final long state = slab.getLong(leaf);
        assertTrue(LeafLayout.sharedBits(state) < LeafLayout.SHARED_BITS_MASK);
        slab.putLong(leaf, state | (long) LeafLayout.SHARED_BITS_MASK << LeafLayout.SHARED_BITS_SHIFT);
        final LeafOrder order = new LeafOrder(index.leaves);
        for (int i = 0; i < LeafLayout.count(state); i++) {
            final int slot = order.slot(leaf, i);
            final byte[] key = new byte[16];
            final int length = keys.copyKey(
                index.leaves.payload(slab.getLong(leaf + LeafLayout.slotOffset(slot))), key, 0);
            order.set(leaf, i, slot, index.leaves.discriminatorOf(leaf, key, 0, length));
        }
    }

    @Test
    void verifyNamesTheDiscriminatorsWhenTheyLeaveOutABitThatIsNotShared() {
        shareMore(second());
        assertBroken(7);
    }

    @Test
    void verifyNamesTheDiscriminatorsWhenTheFirstLeafLeavesOutABitThatIsNotShared() {
        shareMore(first());
        assertBroken(7);
    }

    @Test
    void verifyNamesTheDiscriminatorsWhenTheLastLeafLeavesOutABit() {
        shareMore(LeafLayout.offset(slab.getInt(TableLayout.LAST_LEAF_OFFSET)));
        assertBroken(7);
    }

    @Test
    void verifyNamesTheDiscriminatorsWhenTheyDescend() {
        final long leaf = second();
        int position = 1;
        while (discriminator(leaf, position) == discriminator(leaf, position - 1)) {
            position++;
        }
        slab.putShort(leaf + LeafLayout.discriminatorOffset(position), (short) (discriminator(leaf, position - 1) - 1));
        final IllegalStateException found = assertThrows(IllegalStateException.class, index::verify);
        assertTrue(found.getMessage().contains("lower discriminator"), found.getMessage());
    }

    @Test
    void verifyNamesThePrefixesWhenALeafStandsBehindTheTokensOfANode() {
        for (long bucket = 0;; bucket++) {
            for (final long item : index.table.chain(index.table.offsetOf(bucket))) {
                final int sizeClass = TableLayout.sizeClass(item);
                final int count = slab.getShort(TableLayout.target(item) + WormholeNodeLayout.COUNT_OFFSET)
                    & WormholeNodeLayout.COUNT_MASK;
                if (count < WormholeNodeLayout.capacity(sizeClass)) {
                    slab.putInt(TableLayout.target(item) + WormholeNodeLayout.leafOffset(sizeClass, count),
                        LeafLayout.reference(second()));
                    assertBroken(9);
                    return;
                }
            }
        }
    }

    @Test
    void verifyNamesThePrefixesWhenAWideNodeHasABitTooMany() {
        for (int i = 0; i < 100 * KEYS; i++) {
            final byte[] key = {(byte) (i * 31 % 200), (byte) (i >>> Byte.SIZE), (byte) i};
            keys.register(KEYS + i, key);
            index.put(key, 0, key.length, KEYS + i);
        }
        index.verify();
        final int sizeClass = TableLayout.sizeClass(slab.getLong(TableLayout.ROOT_OFFSET));
        assertTrue(WormholeNodeLayout.isWide(sizeClass));
        final long at = root() + WormholeNodeLayout.bitmapOffset(sizeClass, WormholeNodeLayout.BITMAP_WORDS - 1);
        slab.putLong(at, slab.getLong(at) | Long.MIN_VALUE); // behind all tokens
        assertBroken(9);
    }

    @Test
    void verifyNamesTheTableWhenANodeIsInAWrongBucket() {
        for (long bucket = TableLayout.LAST_LEAF_OFFSET;; bucket++) {
            final long at = index.table.offsetOf(bucket % index.table.buckets());
            final long item = slab.getLong(at);
            if (item != 0) {
                slab.putLong(at, 0);
                slab.putLong(index.table.offsetOf((bucket + 1) % index.table.buckets()) + 7 * Long.BYTES, item);
                assertBroken(8);
                return;
            }
        }
    }

    @Test
    void verifyNamesThePrefixesWhenAFloorIsWrong() {
        slab.putInt(root() + WormholeNodeLayout.FLOOR_OFFSET, LeafLayout.reference(second()));
        assertBroken(9);
    }

    @Test
    void verifyNamesThePrefixesWhenAnAnchorIsNotMarked() {
        final long at = root() + WormholeNodeLayout.COUNT_OFFSET;
        slab.putShort(at, (short) (slab.getShort(at) ^ WormholeNodeLayout.TERMINAL));
        assertBroken(9);
    }

    @Test
    void shouldFindTheKeysThatTheTestDamages() {
        assertEquals(KEYS, index.entryCount());
        assertTrue(index.leaves.next(second()) != 0);
    }
}
