/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

@Tag("jdk")
class SkipListNodeLayoutTest {
    @Test
    void shouldAddUp() {
        assertEquals(UNIT_BYTES, 1 << UNIT_SHIFT);
        assertEquals(META_OFFSET, PAYLOAD_OFFSET + Long.BYTES);
        assertEquals(LINK_OFFSET, META_OFFSET + Integer.BYTES);
        assertEquals(CHUNK_OFFSET, LINK_OFFSET + Integer.BYTES);
        assertEquals(LINKS_OFFSET, CHUNK_OFFSET + Long.BYTES);
        assertEquals(0, PAYLOAD_OFFSET % Long.BYTES, "payloads are changed by CAS");
        assertEquals(0, CHUNK_OFFSET % Long.BYTES, "chunks are changed as a whole");
        assertEquals(0, LINKS_OFFSET % Integer.BYTES, "links are changed by CAS");
        assertEquals(offset(HEAD) + LINK_OFFSET, linkOffset(HEAD, 0));
        assertEquals(offset(HEAD) + LINKS_OFFSET, linkOffset(HEAD, 1));
        assertEquals(offset(HEAD) + LINKS_OFFSET + 30 * Integer.BYTES, linkOffset(HEAD, 31));
        assertEquals(LOW_UNITS, units(1));
        assertEquals(SMALL_UNITS, units(2));
        assertEquals(SMALL_UNITS, units(SMALL_HEIGHT));
        assertEquals(LINE_UNITS, units(SMALL_HEIGHT + 1));
        assertEquals(LINE_UNITS, units(11));
        assertEquals(12, units(12));
        assertEquals(20, MAX_UNITS);
        assertTrue(HEAD + MAX_UNITS <= FIRST_UNIT);
        assertEquals(0, FIRST_UNIT % LINE_UNITS);
        assertEquals((16L << 30) - (2L << 20), MAX_BYTES);
    }

    @Test
    void shouldHaveRoomForAllLinksOfEachHeight() {
        for (int height = 1; height <= MAX_HEIGHT; height++) {
            final long bytes = (long) units(height) << UNIT_SHIFT;
            assertTrue(linkOffset(0, height - 1) + Integer.BYTES <= bytes, "height " + height);
            assertTrue(CHUNK_OFFSET + CHUNK_BYTES <= bytes, "height " + height);
        }
    }

    @Test
    void shouldTellWhichNodesTwoLinesHaveAPartIn() {
        for (int node = 64; node < 64 + 2 * LINE_UNITS; node++) {
            final long line = offset(node) >>> 6;
            final long last = offset(node + LOW_UNITS) - 1 >>> 6;
            assertEquals(line != last, isSplit(node), "node " + node);
            assertEquals(last, secondOffset(node) >>> 6, "node " + node);
            assertEquals(line != linkOffset(node, 0) >>> 6, isLinkApart(node), "node " + node);
        }
    }

    /** The example of the class comment. */
    @Test
    void shouldLayOutTheExample() {
        final byte[] key = "skip list".getBytes(StandardCharsets.US_ASCII);
        try (Slab slab = SlabAllocator.direct().allocate(1 << 21)) {
            final int node = 4;
            slab.putLong(offset(node) + CHUNK_OFFSET, KeyChunk.at(key, 0, key.length, 1));
            slab.putLong(offset(node) + PAYLOAD_OFFSET, 7);
            slab.putInt(offset(node) + META_OFFSET, meta(1, 1, key.length));
            slab.putInt(linkOffset(node, 0), 5);
            final StringBuilder hex = new StringBuilder();
            for (int i = 0; i < LOW_UNITS * UNIT_BYTES; i++) {
                hex.append(String.format(Locale.ROOT, "%02x ", slab.getByte(offset(node) + i)));
            }
            assertEquals(
                "07 00 00 00 00 00 00 00 01 06 01 00 05 00 00 00 74 73 69 6c 20 70 69 6b ", hex.toString());
        }
    }

    @Test
    void shouldKeepEachFieldOfTheMetaWord() {
        for (int height = 1; height <= MAX_HEIGHT; height++) {
            for (final int place : new int[] {0, 1, 8, 65_535}) {
                for (final int rest : new int[] {0, 1, 8, 9, 100}) {
                    final int meta = meta(height, place, place + rest);
                    assertEquals(height, height(meta));
                    assertEquals(place, chunkPosition(meta));
                    assertEquals(Math.min(rest, GOES_ON), chunkEnd(meta));
                    assertEquals(height == 1, (meta & LINKED) != 0, "nobody links the upper levels of a low node");
                    assertEquals(0, meta & UNLINKED);
                    final int flagged = meta | LINKED | UNLINKED;
                    assertEquals(height, height(flagged));
                    assertEquals(place, chunkPosition(flagged));
                    assertEquals(Math.min(rest, GOES_ON), chunkEnd(flagged));
                }
            }
        }
    }

    @Test
    void shouldDrawHeightsAsOftenAsItSays() {
        final Random random = new Random(5);
        final int draws = 1 << 20;
        final int[] atLeast = new int[MAX_HEIGHT + 2];
        for (int i = 0; i < draws; i++) {
            final int height = height(random.nextLong());
            for (int h = 1; h <= height; h++) {
                atLeast[h]++;
            }
        }
        assertEquals(draws, atLeast[1]);
        final double[] share = {0, 1, 1.0 / 16, 1.0 / 128, 1.0 / 256, 1.0 / 512, 1.0 / 1024};
        for (int h = 1; h < share.length; h++) {
            assertEquals(share[h], (double) atLeast[h] / draws, share[h] * 0.1, "nodes of height " + h + " and more");
        }
        assertEquals(MAX_HEIGHT, height(-1L & ~(7 << 4)));
    }
}
