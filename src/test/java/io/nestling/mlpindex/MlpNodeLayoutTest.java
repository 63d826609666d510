/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MlpNodeLayoutTest {
    private static final int CHANGES = 600;

    @Test
    void shouldFillALine() {
        assertEquals(BUCKET_BYTES, CELLS * CELL_BYTES);
        assertEquals(1 << BUCKET_SHIFT, BUCKET_BYTES);
        assertEquals(1 << CELL_SHIFT, CELL_BYTES);
        assertEquals(CELL_BYTES, CHILDREN_OFFSET);
        assertEquals(MEDIUM_CHILDREN, (MEDIUM_CELLS - 1) * CELL_BYTES);
        assertEquals(ChildMap.CHILDREN, (LARGE_CELLS - 1) * CELL_BYTES * Byte.SIZE);
        assertEquals(3 * BUCKET_BYTES + 2 * CELL_BYTES, cellOffset(3, 2));
        assertEquals(3, bucketAt(cellOffset(3, 2)));
        assertEquals(2, cellAt(cellOffset(3, 2)));
    }

    @Test
    void shouldPackTheNodeOfTheExample() {
        final Node node = new Node();
        node.setInner(3, 4, 0x1122_3344_5000_0000L, 0x60, 0x50);
        assertEquals(0x2A02_6060_6060_6050L, node.meta);
        assertEquals(0x1122_3344_5000_0000L, node.key);
        assertFalse(isLeaf(node.meta));
        assertEquals(3, level(node.meta));
        assertEquals(4, fullKeyLen(node.meta));
        assertEquals(2, count(node.meta));
        assertEquals(SMALL_CELLS, cells(node.meta));
        assertEquals(0x50, node.firstChild());
        assertEquals(0x60, node.otherChild(0x50));
    }

    @Test
    void shouldKeepTheFieldsOfALeafApart() {
        for (int kind = EXACT; kind <= BOXED; kind++) {
            for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
                for (final long payload : new long[] {0, 1, MAX_LEAF_PAYLOAD}) {
                    final long meta = leaf(kind, level, payload);
                    assertTrue(isLeaf(meta));
                    assertEquals(kind, kind(meta));
                    assertEquals(level, level(meta));
                    assertEquals(payload, payload(meta));
                    assertEquals(SMALL_CELLS, cells(meta));
                    assertEquals(1, isSingle(meta));
                    assertEquals(leaf(kind, LAST_LEVEL, payload), withLevel(meta, LAST_LEVEL));
                }
            }
        }
        assertEquals(0, isSingle(FREE));
        assertEquals(0, isSingle(wide(MEDIUM_CELLS, 3, 3, 9)));
        assertEquals(0, isSingle(wide(LARGE_CELLS, 8, 7, 256)));
        assertEquals(1, isSingle(small(8, 7, 6, 0)));
    }

    @Test
    void shouldGrowAndShrinkLikeASet() {
        final long seed = Seeds.seed("MlpNodeLayoutTest.shouldGrowAndShrinkLikeASet");
        final Random random = new Random(seed);
        for (int run = 0; run < 20; run++) {
            final Node node = new Node();
            final TreeSet<Integer> model = new TreeSet<>();
            while (model.size() < 2) {
                model.add(random.nextInt(256));
            }
            node.setInner(5, 6, 0, model.first(), model.last());
            for (int i = 0; i < CHANGES; i++) {
                change(node, model, random, random.nextInt(CHANGES) > i);
            }
            while (model.size() > 1) {
                change(node, model, random, false);
            }
        }
    }

    private static void change(final Node node, final TreeSet<Integer> model, final Random random, final boolean add) {
        final int child = random.nextInt(256);
        final int cells = cells(node.meta);
        if (add && !model.contains(child)) {
            final boolean full = node.isFull();
            if (full) {
                node.widen();
            }
            node.addChild(child);
            model.add(child);
            assertEquals(full ? cells + 1 : cells, cells(node.meta), "cells after a child more");
        } else if (!add && model.size() > 1 && model.contains(child)) {
            final boolean fewer = node.removeChild(child);
            model.remove(child);
            assertEquals(cells(node.meta) != cells, fewer, "what removeChild says");
        }
        assertEquals(model.size(), count(node.meta));
        assertEquals(5, level(node.meta));
        assertEquals(6, fullKeyLen(node.meta));
        final long[] bits = new long[ChildMap.WORDS];
        node.copyBits(bits, 0);
        assertEquals(model.size(), ChildMap.size(bits));
        for (int i = 0; i < 256; i++) {
            assertEquals(model.contains(i), node.contains(i), "child " + i);
            assertEquals(orNone(model.ceiling(i)), ChildMap.ceiling(bits, i));
        }
    }

    private static int orNone(final Integer child) {
        return child == null ? -1 : child;
    }

    @Test
    void shouldOrderWordsAsBytes() {
        assertEquals(0x6162_0000_0000_0000L, KeyWord.of(new byte[] {'a', 'b'}, 0, 2));
        assertEquals(0, KeyWord.of(new byte[0], 0, 0));
        assertEquals(0x0102_0304_0506_0708L, KeyWord.of(new byte[] {9, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 9));
        assertEquals(0x0102_0304_0500_0000L, KeyWord.extend(0x0102_0304_FFFF_FFFFL, 4, 5));
        assertEquals(3, KeyWord.commonPrefix(0x0102_0304_0000_0000L, 0x0102_0305_0000_0000L));
        assertTrue(KeyWord.sharePrefix(0x0102_0304_0000_0000L, 0x0102_0305_0000_0000L, 3));
        assertFalse(KeyWord.sharePrefix(0x0102_0304_0000_0000L, 0x0102_0305_0000_0000L, 4));
    }
}
