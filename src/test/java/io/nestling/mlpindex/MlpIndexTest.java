/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MlpIndexTest {
    private static final int BUDGET_BYTES = 256 << 20;

    private static MlpIndex open(final KeySource keys) {
        return new MlpIndex(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BUDGET_BYTES), new EpochReclaimer(), keys, BUDGET_BYTES));
    }

    private static byte[] key(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }

    private static long put(final MlpIndex index, final byte[] key, final long payload) {
        return index.put(key, 0, key.length, payload);
    }

    private static long remove(final MlpIndex index, final long word) {
        return index.remove(key(word), 0, Long.BYTES);
    }

    /** Key number {@code i} of a shape of data. */
    private static long word(final String shape, final Random random, final int i) {
        switch (shape) {
            case "random":
                return random.nextLong() & 0x07FF_FFFF_FFFF_FFFFL;
            case "dense": // nodes of 16 and more children at level 3, leaves below
                return random.nextLong() & 0x000F_FFFF_FFFF_FFFFL;
            case "sequential":
                return 0x4000_0000_0000_0000L + i;
            case "decimal":
                long word = 0;
                for (int at = 0; at < Long.BYTES; at++) {
                    word = word << Byte.SIZE | (at < 6 ? 40 * random.nextInt(6) : 2 * random.nextInt(100));
                }
                return word;
            default: // nodes of all sizes: some 20 children at one level, some 10 at the next
                return (long) random.nextInt(20) << 56 | (long) random.nextInt(10) << 44 | (long) random.nextInt(20) << 36
                    | (long) random.nextInt(3) << 28 | (long) random.nextInt(20) << 17 | random.nextInt(10);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "sequential", "decimal", "mixed", "dense"})
    void shouldFillNineTenthsOfItsTable(final String shape) {
        fill(shape, 1, Seeds.seed("MlpIndexTest.shouldFillNineTenthsOfItsTable"));
    }

    /** With a number of buckets between two powers of two some are called for twice as often as others. */
    @ParameterizedTest
    @ValueSource(strings = {"mixed", "dense"})
    void shouldFillNineTenthsOfATableThatHasHalfDoubled(final String shape) {
        fill(shape, 3, Seeds.seed("MlpIndexTest.shouldFillNineTenthsOfATableThatHasHalfDoubled"));
    }

    /** Keys where both buckets of a leaf are taken by nodes of two cells that no single move gives room to. */
    @Test
    void shouldMoveWideNodesOutOfTheWay() {
        fill("mixed", 1, 7932);
    }

    /** A node that has to become wider is given the cells that its neighbours have left, also if it cannot move itself. */
    @Test
    void shouldWidenANodeInItsPlace() {
        fill("dense", 1, 1);
        fill("dense", 1, 9);
    }

    private static void fill(final String shape, final int slabs, final long seed) {
        final Random random = new Random(seed);
        final long bytes = slabs * MemoryBudget.SLAB_BYTES;
        try (MlpIndex index = new MlpIndex(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BUDGET_BYTES), new EpochReclaimer(), KeySource.NONE, bytes))) {
            final SpaceExhaustedException full = assertThrows(SpaceExhaustedException.class, () -> {
                for (int i = 0; i < 1_000_000; i++) {
                    put(index, key(word(shape, random, i)), i);
                }
            });
            index.verify();
            final double load = (double) index.writer().cellsUsed() / (index.lookup().table().buckets() * MlpNodeLayout.CELLS);
            assertTrue(load >= 0.9, () -> "load " + load + ": " + full.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "sequential", "decimal", "mixed"})
    void shouldGrowAndShrink(final String shape) {
        growAndShrink(shape, Seeds.seed("MlpIndexTest.shouldGrowAndShrink"));
    }

    /** Keys where a wide child had no room in the place of its parent and became narrow later. */
    @Test
    void shouldShortenAPathWhenAWideNodeBecomesNarrow() {
        growAndShrink("mixed", 784);
    }

    /** Wide nodes that a removal leaves alone below a node in whose place they have no room, and that puts split then. */
    @Test
    void shouldLeaveNoNarrowNodeAloneBelowAnother() {
        final Random random = new Random(Seeds.seed("MlpIndexTest.shouldLeaveNoNarrowNodeAloneBelowAnother"));
        final List<Long> words = new ArrayList<>();
        try (MlpIndex index = open(KeySource.NONE)) {
            for (int round = 0; round < 100; round++) {
                while (words.size() < 4_000) {
                    final long word = aloneOrBelow(random);
                    if (put(index, key(word), 1) == PointIndex.NONE) {
                        words.add(word);
                    }
                }
                index.verify();
                Collections.shuffle(words, random);
                while (words.size() > 2_000) {
                    assertEquals(1, remove(index, words.remove(words.size() - 1)));
                }
                index.verify();
            }
        }
    }

    /** A word below a node of 20 children, one beside that node, or one that splits it. */
    private static long aloneOrBelow(final Random random) {
        final long group = (long) random.nextInt(250) << 40;
        if (random.nextInt(20) == 0) {
            return group | 1L << 32;
        }
        return random.nextInt(20) == 0 ? group | 1L << Byte.SIZE * (1 + random.nextInt(3)) : group | random.nextInt(20);
    }

    private void growAndShrink(final String shape, final long seed) {
        final Random random = new Random(seed);
        final Set<Long> words = new HashSet<>();
        try (MlpIndex index = open(KeySource.NONE)) {
            final long empty = index.bytesUsed();
            for (int i = 0; i < 40_000; i++) {
                final long word = word(shape, random, i);
                assertEquals(words.add(word), put(index, key(word), word & 0xFF) == PointIndex.NONE);
            }
            index.verify();
            final long full = index.bytesUsed();
            assertTrue(full < 80L * words.size(), () -> full + " bytes for " + words.size() + " keys");
            int left = words.size();
            for (final long word : words) {
                assertEquals(word & 0xFF, remove(index, word));
                if (--left % 10_000 == 0) {
                    index.verify();
                }
            }
            assertEquals(0, index.entryCount());
            assertEquals(0, index.writer().cellsUsed());
            assertTrue(index.bytesUsed() < empty + full / 8, () -> index.bytesUsed() + " bytes left");
        }
    }

    @Test
    void shouldCompressThePathAgain() throws IOException {
        try (MlpIndex index = open(KeySource.NONE)) {
            put(index, key(0x1122_3344_5566_7788L), 1);
            final String before = dumpWithoutPlaces(index);
            put(index, key(0x1122_3344_5566_7799L), 2);
            put(index, key(0x1122_3344_AA00_0000L), 3);
            assertEquals(String.join("\n",
                "112233|44 node of 1 cell: 55 aa",
                "  1122334455|6677 node of 1 cell: 88 99",
                "    1122334455667788| exact 1",
                "    1122334455667799| exact 2",
                "  11223344aa|000000 exact 3", ""), dumpWithoutPlaces(index));
            index.verify();
            assertEquals(3, remove(index, 0x1122_3344_AA00_0000L));
            index.verify();
            assertEquals(2, remove(index, 0x1122_3344_5566_7799L));
            index.verify();
            assertEquals(before, dumpWithoutPlaces(index));
        }
    }

    private static String dumpWithoutPlaces(final MlpIndex index) throws IOException {
        final StringBuilder text = new StringBuilder();
        index.dump(text);
        return text.substring(text.indexOf("\n") + 1).replaceAll("\\[\\d+\\.\\d\\] ", "");
    }

    @Test
    void shouldTellFigures() {
        try (MlpIndex index = open(KeySource.NONE)) {
            for (int i = 0; i < 300; i++) {
                put(index, key(i), i);
            }
            final Map<String, Object> figures = index.figures();
            assertEquals(300L, figures.get("entries"));
            assertEquals(index.bytesUsed(), figures.get("bytesUsed"));
            assertEquals(Map.of("exact", 300L, "single", 0L, "run", 0L, "boxed", 0L), figures.get("leaves"));
            // One node for the byte before the last, two bitmaps for the last one.
            assertEquals(Map.of("nodesOf6", 1L, "nodesOf16", 0L, "nodesOf256", 2L), figures.get("nodes"));
            assertEquals(Map.of("8", 300L), figures.get("leavesByLevel"));
        }
    }

    @Test
    void putThrowsIllegalArgumentExceptionWhenThereAreNoRecordsToFindALongKeyBy() {
        try (MlpIndex index = open(KeySource.NONE)) {
            final IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> put(index, new byte[9], 1));
            assertTrue(e.getMessage().contains("9 bytes") && e.getMessage().contains("8 bytes"), e.getMessage());
            assertEquals(0, index.entryCount());
            index.verify();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHoldManyKeysThatShareEightBytes(final boolean ascending) {
        final int count = 60_000;
        final byte[][] keys = new byte[count][];
        final Random random = new Random(Seeds.seed("MlpIndexTest.shouldHoldManyKeysThatShareEightBytes"));
        for (int i = 0; i < count; i++) {
            keys[i] = Arrays.copyOf(key(77), 12);
            ByteBuffer.wrap(keys[i]).putInt(8, ascending ? i : Integer.reverse(i));
        }
        try (MlpIndex index = open(new HeapKeySource(payload -> keys[(int) payload]))) {
            for (int i = 0; i < count; i++) {
                assertEquals(PointIndex.NONE, put(index, keys[i], i));
            }
            index.verify();
            assertTrue(index.bytesUsed() < 24L * count, () -> index.bytesUsed() + " bytes");
            final byte[][] sorted = keys.clone();
            Arrays.sort(sorted, Arrays::compareUnsigned);
            walk(index, sorted, 1);
            for (int i = 0; i < count; i++) {
                if (i % 16 != 0) {
                    assertEquals(i, index.remove(keys[i], 0, 12));
                }
            }
            index.verify();
            walk(index, Arrays.stream(keys).filter(key -> index.get(key, 0, 12) >= 0).sorted(Arrays::compareUnsigned)
                .toArray(byte[][]::new), 16);
            assertTrue(index.bytesUsed() < 6L * count, () -> index.bytesUsed() + " bytes after removals");
            assertEquals(PointIndex.NONE, index.get(keys[1 + 16 * random.nextInt(100)], 0, 12));
        }
    }

    private static void walk(final MlpIndex index, final byte[][] sorted, final int share) {
        try (EntryCursor cursor = index.cursor()) {
            assertTrue(cursor.first());
            for (int i = 0; i < sorted.length; i++) {
                assertEquals(0, Arrays.compareUnsigned(sorted[i], cursor.key()), "key " + i + " of a " + share + "th");
                assertEquals(i + 1 < sorted.length, cursor.next());
            }
        }
    }

    @Test
    void shouldFindLeavesAtEveryLevelAndInBatches() {
        try (MlpIndex index = open(KeySource.NONE)) {
            final KeyBatch batch = new KeyBatch();
            int count = 0;
            for (int length = 3; length < Long.BYTES; length++) {
                for (int i = 0; i < 200; i++) {
                    final long word = KeyWord.extend((long) length << 56 | 0x0055_5555_5555_5555L, length, i);
                    put(index, key(word), count++);
                    batch.add(key(word), 0, Long.BYTES);
                }
            }
            index.verify();
            final long[] payloads = new long[count];
            index.getAll(batch, payloads);
            for (int i = 0; i < count; i++) {
                assertEquals(i, payloads[i]);
                assertEquals(i, index.get(batch.array(i), 0, Long.BYTES));
            }
        }
    }

    @Test
    @Tag("long")
    void shouldHoldMillionsOfKeys() {
        final long seed = Seeds.seed("MlpIndexTest.shouldHoldMillionsOfKeys");
        final int count = 4_000_000;
        final long[] words = new Random(seed).longs(count).toArray();
        try (MlpIndex index = open(KeySource.NONE)) {
            final byte[] key = new byte[Long.BYTES];
            for (int i = 0; i < count; i++) {
                KeyWord.write(words[i], key);
                put(index, key, i);
            }
            index.verify();
            assertTrue(index.bytesUsed() < 40L * count, () -> index.bytesUsed() + " bytes");
            for (int i = 0; i < count; i++) {
                KeyWord.write(words[i], key);
                assertEquals(i, index.get(key, 0, Long.BYTES));
            }
            final long[] sorted = words.clone();
            Arrays.setAll(sorted, i -> sorted[i] ^ Long.MIN_VALUE);
            Arrays.sort(sorted);
            try (EntryCursor cursor = index.cursor()) {
                boolean found = cursor.first();
                for (int i = 0; i < count; i++, found = cursor.next()) {
                    assertTrue(found);
                    assertEquals(sorted[i] ^ Long.MIN_VALUE, KeyWord.of(cursor.keyBuffer(), 0, Long.BYTES));
                }
            }
            for (int i = 0; i < count; i += 2) {
                KeyWord.write(words[i], key);
                assertEquals(i, index.remove(key, 0, Long.BYTES));
            }
            index.verify();
        }
    }
}
