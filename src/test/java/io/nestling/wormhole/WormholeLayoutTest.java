/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Sizes and bits of leaves, nodes and buckets, and the examples that their classes give. */
class WormholeLayoutTest {
    private static final long NODE = 4096;

    @Test
    void shouldFillALeafExactly() {
        assertEquals(TAKEN_OFFSET, ANCHOR_BYTES_OFFSET + ANCHOR_BYTES);
        assertEquals(ORDER_OFFSET, TAKEN_OFFSET + TAKEN_BYTES);
        assertTrue(LINES <= TAKEN_BYTES && LINE_SLOTS == Byte.SIZE);
        assertEquals((1 << LINE_SLOTS) - 1, FULL_LINE);
        assertEquals(DISCRIMINATORS_OFFSET, ORDER_OFFSET + SLOTS);
        assertEquals(ENTRIES_OFFSET, DISCRIMINATORS_OFFSET + SLOTS * Short.BYTES);
        assertEquals(LEAF_BYTES, ENTRIES_OFFSET + LINES * LINE_BYTES);
        assertEquals(0, ENTRIES_OFFSET % LINE_BYTES);
        assertEquals(0, DISCRIMINATORS_OFFSET % Short.BYTES);
        assertTrue(MAX_ENTRIES <= SLOTS && MERGE_ENTRIES < MAX_ENTRIES);
        assertTrue(SLOTS <= COUNT_MASK);
    }

    @Test
    void shouldDoAsTheExampleOfALeafSays() {
        final long hash = 0x8000_1234_5678_9ABCL;
        assertEquals(5, homeLine(hash));
        assertEquals(640, lineOffset(5));
        assertEquals(0x8000_8000_0000_0005L, probe(hash) | PRESENT | 5);
        assertEquals(5, homeLine(probe(hash)));
    }

    @Test
    void shouldSpreadTagsOverAllLines() {
        final int[] tags = new int[LINES];
        for (long tag = 0; tag < 1 << TAG_BITS; tag++) {
            tags[homeLine(tag << TAG_SHIFT)]++;
        }
        for (final int count : tags) {
            assertEquals((1 << TAG_BITS) / (double) LINES, count, 1);
        }
        assertEquals(0, nextLine(LINES - 1));
    }

    @Test
    void shouldKeepTheFieldsOfAStateApart() {
        final long state = withCount(nextVersion(0) | CHAINED | 7L << SHARED_BITS_SHIFT, 85);
        assertEquals(85, count(state));
        assertEquals(7, sharedBits(state));
        assertEquals(86, count(state + 1));
        assertTrue(sameVersion(state, state + 1));
        assertFalse(sameVersion(state, nextVersion(state)));
        assertFalse(sameVersion(state, state | REWRITING));
        assertEquals(CHAINED, withCount(state, 1) & (CHAINED | UNINDEXED | DEAD | REWRITING));
        assertEquals(0, nextVersion(state | REWRITING) & REWRITING);
        // The words of an entry do not overlap.
        assertEquals(-1L, (-1L << TAG_SHIFT) ^ PRESENT ^ IN_BLOCK ^ OVERFLOW ^ PAYLOAD_MASK);
    }

    @Test
    void shouldTakeDiscriminatorsFromTheBitsBehindTheShared() {
        final byte[] key = {'a', 'b', 0x12, 0x34, 0x56};
        assertEquals(0x1234, Leaves.discriminator(0, 2, key, 0, key.length));
        assertEquals(0x2345, Leaves.discriminator(4L << SHARED_BITS_SHIFT, 2, key, 0, key.length));
        assertEquals(0x5600, Leaves.discriminator(0, 4, key, 0, key.length), "zeroes behind the end");
        assertEquals(0, Leaves.discriminator(0, 5, key, 0, key.length));
        assertEquals(0x3400, Leaves.discriminator(0, 1, key, 2, 2), "the key is a part of the array");
        assertEquals(0x2345, behind(4, 0x1234_5600_0000_0000L));
    }

    @Test
    void shouldFitNodesIntoTheirBlocks() {
        for (int sizeClass = 0; sizeClass <= WormholeNodeLayout.MAX_CLASS; sizeClass++) {
            final int capacity = WormholeNodeLayout.capacity(sizeClass);
            final int end = WormholeNodeLayout.isWide(sizeClass)
                ? WormholeNodeLayout.bitmapOffset(sizeClass, WormholeNodeLayout.BITMAP_WORDS)
                : WormholeNodeLayout.tokenOffset(sizeClass, capacity);
            assertTrue(end <= WormholeBlockClasses.bytes(sizeClass));
            assertEquals(0, WormholeNodeLayout.bitmapOffset(sizeClass, 0) % Long.BYTES);
            assertTrue(WormholeNodeLayout.bitmapOffset(sizeClass, 0) >= WormholeNodeLayout.leafOffset(sizeClass, capacity));
            assertEquals(sizeClass, WormholeNodeLayout.classOf(capacity));
            assertEquals(16 << sizeClass, WormholeBlockClasses.bytes(sizeClass));
            assertEquals(0, WormholeNodeLayout.leafOffset(sizeClass, 0) % Integer.BYTES);
            assertTrue(WormholeNodeLayout.hashOffset(sizeClass) + Integer.BYTES <= WormholeBlockClasses.bytes(sizeClass));
        }
        assertEquals(WormholeNodeLayout.MAX_TOKENS, WormholeNodeLayout.capacity(WormholeNodeLayout.MAX_CLASS));
        assertEquals(12, WormholeNodeLayout.leafOffset(1, 0));
        assertEquals(28, WormholeNodeLayout.tokenOffset(1, 0));
        assertEquals(12, WormholeNodeLayout.tokenOffset(WormholeNodeLayout.SINGLE_CLASS, 0));
    }

    private static void putTokens(final Slab slab, final int sizeClass, final int[] tokens) {
        for (int i = 0; i < tokens.length && !WormholeNodeLayout.isWide(sizeClass); i++) {
            slab.putByte(NODE + WormholeNodeLayout.tokenOffset(sizeClass, i), (byte) tokens[i]);
        }
        for (int word = 0; word < WormholeNodeLayout.BITMAP_WORDS && WormholeNodeLayout.isWide(sizeClass); word++) {
            final int ofWord = word;
            slab.putLong(NODE + WormholeNodeLayout.bitmapOffset(sizeClass, word), Arrays.stream(tokens)
                .filter(token -> WormholeNodeLayout.wordOf(token) == ofWord).mapToLong(token -> 1L << token).sum());
        }
    }

    @Test
    void shouldCountTokensUpToAGivenOne() {
        final Random random = new Random(1);
        try (Slab slab = SlabAllocator.direct().allocate(MemoryBudget.SLAB_BYTES)) {
            final MetaNodes nodes = new MetaNodes(slab);
            for (int sizeClass = 0; sizeClass <= WormholeNodeLayout.MAX_CLASS; sizeClass++) {
                for (int count = 0; count <= WormholeNodeLayout.capacity(sizeClass); count++) {
                    for (int i = 0; i < WormholeBlockClasses.bytes(sizeClass); i++) {
                        slab.putByte(NODE + i, (byte) random.nextInt()); // what is no token may be anything
                    }
                    final int[] tokens = random.ints(0, WormholeNodeLayout.MAX_TOKENS).distinct().limit(count).sorted().toArray();
                    slab.putShort(NODE + WormholeNodeLayout.COUNT_OFFSET, (short) (count | WormholeNodeLayout.TERMINAL));
                    putTokens(slab, sizeClass, tokens);
                    for (int i = 0; i < count; i++) {
                        assertEquals(tokens[i], nodes.token(NODE, sizeClass, i), "token " + i + " of " + Arrays.toString(tokens));
                    }
                    for (int token = -1; token < WormholeNodeLayout.MAX_TOKENS; token++) {
                        final int wanted = token;
                        final long expected = Arrays.stream(tokens).filter(each -> each <= wanted).count();
                        assertEquals(expected, nodes.rank(NODE, sizeClass, token), token + " among " + Arrays.toString(tokens));
                    }
                }
            }
        }
    }

    @Test
    void shouldFindBucketsAsTheExampleSays() {
        assertEquals(5, TableLayout.bucketOf(13, 6));
        assertEquals(3, TableLayout.bucketOf(7, 6));
        for (long buckets = 1; buckets < 70; buckets++) {
            for (long hash = 0; hash < 200; hash++) {
                final long bucket = TableLayout.bucketOf(hash, buckets);
                assertTrue(bucket < buckets);
                final long next = TableLayout.bucketOf(hash, buckets + 1);
                assertTrue(next == bucket || next == buckets && bucket == buckets - Long.highestOneBit(buckets));
            }
        }
    }

    @Test
    void shouldKeepTheFieldsOfAnItemApart() {
        final long hash = 0xFEDC_BA98_7654_3210L;
        final long item = TableLayout.nodeItem(hash, 7, 0xF_FFFF_FFF0L);
        assertEquals(7, TableLayout.sizeClass(item));
        assertEquals(0xF_FFFF_FFF0L, TableLayout.target(item));
        assertTrue(TableLayout.isTagged(item, hash));
        assertFalse(TableLayout.isTagged(item, hash ^ 1L << TableLayout.TAG_SHIFT));
        assertFalse(TableLayout.isTagged(TableLayout.linkItem(64), 0));
        assertFalse(TableLayout.isTagged(0, 0));
        assertEquals(TableLayout.KIND_LINK, TableLayout.kind(TableLayout.linkItem(64)));
        assertEquals(64, TableLayout.target(TableLayout.linkItem(64)));
    }
}
