/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.Slab;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class CuckooTrieLayoutTest {
    private static final long TAIL_MASK = (1L << (BucketLayout.CELL_BYTES - Long.BYTES) * Byte.SIZE) - 1;

    @Test
    void shouldFillTheBucketLine() {
        assertEquals(BucketLayout.VERSION_OFFSET, BucketLayout.CELLS * BucketLayout.CELL_BYTES);
        assertEquals(BucketLayout.BUCKET_BYTES, BucketLayout.VERSION_OFFSET + Integer.BYTES);
        assertEquals(0, BucketLayout.BUCKETS_OFFSET % BucketLayout.BUCKET_BYTES);
        assertEquals(BucketLayout.BUCKETS_OFFSET, BucketLayout.TOP_OFFSET + BucketLayout.TOP_NAMES);
    }

    @Test
    void shouldDoAsTheBucketExampleSays() {
        final long line = BucketLayout.bucketOffset(5);
        assertEquals(33_182, BucketLayout.cellOffset(line, 2));
        assertEquals(33_212, line + BucketLayout.VERSION_OFFSET);
        assertEquals(5, BucketLayout.bucketAt(line));
    }

    @Test
    void shouldGiveEachTopNameAByte() {
        final boolean[] taken = new boolean[BucketLayout.TOP_NAMES];
        for (int name = 0; name < BucketLayout.TOP_NAMES; name++) {
            final long at = BucketLayout.topWord(name) + (BucketLayout.topShift(name) >> 3);
            assertEquals(0, BucketLayout.topWord(name) % Integer.BYTES);
            assertFalse(taken[(int) (at - BucketLayout.TOP_OFFSET)]);
            taken[(int) (at - BucketLayout.TOP_OFFSET)] = true;
        }
    }

    @Test
    void shouldDoAsTheEntryExampleSays() {
        final long head = withTag(leafHead(0, 65) | identity(FIRST_CODE + 3, 1, 2), 5, false);
        assertEquals(0x04000001_21140005L, head);
        assertEquals(1, leafTail(65));
        assertEquals(65, payload(head, leafTail(65)));
        assertEquals(LEAF, type(head));
        assertEquals(5, code(head));
        assertEquals(1, parentColor(head));
        assertEquals(2, color(head));
        assertEquals(5, tag(head));
    }

    @Test
    void shouldKeepAllFieldsApart() {
        final Random random = new Random(2);
        for (int i = 0; i < 10_000; i++) {
            final int code = 1 + random.nextInt(33);
            final int parent = random.nextInt(16);
            final int color = random.nextInt(14);
            final int tag = random.nextInt(1 << TAG_BITS);
            final boolean secondary = random.nextBoolean();
            final long payload = random.nextLong() >>> 2;
            final int suffix = random.nextInt(1 << 24);
            final long head =
                withTag(leafHead(suffix, payload) | identity(code, parent, color) & 0xFFFF_FFFFL, tag, secondary);
            assertEquals(code, code(head));
            assertEquals(parent, parentColor(head));
            assertEquals(color, color(head));
            assertEquals(tag, tag(head));
            assertEquals(secondary, isSecondary(head));
            assertEquals(LEAF, type(head));
            assertEquals(suffix, suffix(head));
            assertEquals(payload, payload(head, leafTail(payload)));
            assertTrue(leafTail(payload) <= TAIL_MASK);
            assertTrue(isUsed(head));
            assertEquals(parent ^ 15, parentColor(withParentColor(head, parent ^ 15)));
            assertEquals(head, withParentColor(withParentColor(head, 3), parent));
        }
    }

    @Test
    void shouldKeepChildrenAndHints() {
        final Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            final long children = random.nextLong() & CHILDREN_MASK;
            final long hints = random.nextLong() & CHILDREN_MASK;
            final long head = bitmapHead(hints);
            final long tail = bitmapTail(children, hints);
            assertEquals(BITMAP, type(head));
            assertEquals(children, children(tail));
            assertEquals(hints, hints(head, tail));
            assertTrue(tail <= TAIL_MASK);
            assertEquals(0, tail & CHECKPOINT);
            assertEquals(children, children(tail | CHECKPOINT));
            assertEquals(hints, hints(head, tail | CHECKPOINT));
        }
        assertEquals(END_CODE, lowestCode(childBit(END_CODE) | childBit(FIRST_CODE + 31)));
        assertEquals(FIRST_CODE + 31, highestCode(childBit(END_CODE) | childBit(FIRST_CODE + 31)));
    }

    @Test
    void shouldKeepLabels() {
        final Random random = new Random(4);
        for (int count = 1; count <= MAX_LABELS; count++) {
            final int[] labels = random.ints(count, 0, 32).toArray();
            final JumpLabels jump = new JumpLabels();
            jump.clear();
            for (int i = 0; i < count; i++) {
                jump.add(labels[i]);
            }
            final long head = jump.head();
            final long tail = jump.tail(9);
            assertEquals(JUMP, type(head));
            assertEquals(count, labelCount(tail));
            assertEquals(9, childColor(tail));
            assertEquals(0, tail & CHECKPOINT);
            assertEquals(9, childColor(tail | CHECKPOINT));
            assertEquals(count, labelCount(tail | CHECKPOINT));
            assertEquals(13, childColor(JumpLabels.withChild(tail, 13)));
            for (int i = 0; i < count; i++) {
                assertEquals(labels[i], label(head, tail, i));
            }
            final int from = random.nextInt(count);
            jump.clear();
            jump.addAll(head, tail, from, count);
            final long partHead = jump.head();
            final long partTail = jump.tail(9);
            assertEquals(count - from, labelCount(partTail));
            for (int i = from; i < count; i++) {
                assertEquals(labels[i], label(partHead, partTail, i - from));
            }
            assertTrue(tail <= TAIL_MASK);
        }
    }

    @Test
    void shouldMoveSuffixesDownAndUp() {
        final byte[] key = {0x12, 0x34, 0x56, 0x78, (byte) 0x9A};
        final int count = Symbols.count(key.length);
        for (int depth = 0; depth <= count + 1; depth++) {
            final int suffix = Symbols.suffix(key, 0, key.length, depth);
            assertEquals(Math.max(0, Math.min(MAX_SUFFIX, count - depth)), suffixCount(suffix));
            assertEquals(depth + MAX_SUFFIX >= count, suffixEnds(suffix));
            for (int i = 0; i < suffixCount(suffix); i++) {
                assertEquals(Symbols.at(key, 0, key.length, depth + i), suffixSymbol(suffix, i));
            }
            if (depth > 0) {
                final int code = Symbols.codeAt(key, 0, key.length, depth - 1, count);
                final int above = suffixAfter(code, suffix);
                assertEquals(Symbols.suffix(key, 0, key.length, depth - 1), above);
            }
            final int below = suffixWithout(suffix, 1);
            assertEquals(suffixEnds(suffix), suffixEnds(below));
            for (int i = 0; i < suffixCount(below); i++) {
                assertEquals(suffixSymbol(suffix, i + 1), suffixSymbol(below, i));
            }
        }
    }

    @Test
    void shouldSpellKeysAsTheExampleSays() {
        final byte[] a = {'a'};
        assertEquals(2, Symbols.count(1));
        assertEquals(0b01100, Symbols.at(a, 0, 1, 0));
        assertEquals(0b00100, Symbols.at(a, 0, 1, 1));
        assertEquals(END_CODE, Symbols.codeAt(a, 0, 1, 2, 2));
        final byte[] longer = {'a', 0};
        assertEquals(4, Symbols.count(2));
        assertEquals(0, Symbols.at(longer, 0, 2, 2));
        assertEquals(0, Symbols.at(longer, 0, 2, 3));
        assertEquals(END_CODE, Symbols.codeAt(longer, 0, 2, 4, 4));
        assertEquals(104_856, Symbols.count(65_535));
    }

    @Test
    void shouldTellTypesByBits() {
        assertEquals(0, innerBit(leafHead(0, 65)));
        assertEquals(0, innerBit(checkpointHead(leafHead(0, 65))));
        assertEquals(1, innerBit(bitmapHead(0)));
        assertEquals(1, innerBit(jumpHead()));
    }

    @Test
    void shouldPeelWhatItAppends() {
        final Random random = new Random(5);
        for (final long buckets : new long[] {16, 1 << 14, 1 << 20, 33_554_000, 1L << 30}) {
            final NameHash names = new NameHash(random.nextLong(), buckets);
            long differences = 0;
            for (int i = 0; i < 2_000; i++) {
                final long hash = random.nextLong() & (1L << names.bits) - 1;
                final int code = 1 + random.nextInt(33);
                final long child = names.append(hash, code);
                assertEquals(hash, names.peel(child, code));
                assertEquals(0, child >>> names.bits);
                final long other = names.alternate(hash);
                assertNotEquals(hash & 1, other & 1);
                assertEquals(hash, names.alternate(other));
                differences |= hash ^ other;
                assertEquals(0, other >>> names.bits);
                assertEquals(hash, names.hashAt(hash & names.minBuckets() * 8 - 1, names.tag(hash)));
            }
            final long bucketBits = Long.highestOneBit(2 * buckets - 1) - 1;
            assertEquals(bucketBits, differences & bucketBits, "some bit of a bucket is the same in both");
            assertTrue(names.tag((1L << names.bits) - 1) < 1 << TAG_BITS);
            assertTrue(names.minBuckets() <= Math.max(16, buckets));
        }
    }

    @Test
    void shouldWriteLittleEndian() {
        try (Slab slab = io.nestling.offheap.SlabAllocator.direct().allocate(4096)) {
            slab.putLong(0, 0x04000001_21140005L);
            assertEquals(5, slab.getByte(0));
            assertEquals(4, slab.getByte(7));
        }
    }
}
