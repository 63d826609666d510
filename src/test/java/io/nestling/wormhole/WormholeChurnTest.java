/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Leaves that are divided and joined over and over, anchors of every shape, and what a Wormhole looks like then. */
class WormholeChurnTest {
    private final HeapKeySource keys = new HeapKeySource();
    private final TreeMap<byte[], Long> model = new TreeMap<>(Arrays::compareUnsigned);
    private long payloads;

    private Wormhole open(final long bytes) {
        return new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(bytes), new EpochReclaimer(), keys, bytes), KeyHash.ofSeed(11));
    }

    private void put(final Wormhole index, final byte[] key) {
        final long payload = payloads++;
        keys.register(payload, key);
        final Long before = model.put(key, payload);
        assertEquals(before == null ? PointIndex.NONE : before, index.put(key, 0, key.length, payload));
    }

    private void remove(final Wormhole index, final byte[] key) {
        final Long before = model.remove(key);
        assertEquals(before == null ? PointIndex.NONE : before, index.remove(key, 0, key.length));
    }

    private void check(final Wormhole index) {
        index.verify();
        assertEquals(model.size(), index.entryCount());
        try (EntryCursor cursor = index.cursor()) {
            boolean found = cursor.first();
            for (final Map.Entry<byte[], Long> entry : model.entrySet()) {
                assertTrue(found);
                assertEquals(entry.getValue(), cursor.payload());
                found = cursor.next();
            }
            assertTrue(!found);
        }
        for (final byte[] key : model.keySet()) {
            assertEquals(model.get(key), index.get(key, 0, key.length));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 256})
    void shouldStayWholeWhileLeavesAreDividedAndJoined(final int symbols) {
        final Random random = new Random(Seeds.seed("WormholeChurn.dividedAndJoined" + symbols));
        try (Wormhole index = open(64L << 20)) {
            for (int round = 0; round < 6; round++) {
                final boolean grow = round % 2 == 0;
                for (int i = 0; i < 2500; i++) {
                    if (model.isEmpty() || random.nextInt(8) > 0 == grow) {
                        put(index, key(random, symbols));
                    } else {
                        remove(index, anyKey(random));
                    }
                    if (i % 250 == 0) {
                        index.verify();
                    }
                }
                check(index);
            }
            for (final byte[] key : new ArrayList<>(model.keySet())) {
                remove(index, key);
            }
            check(index);
            assertEquals(1L, leaves(index).get("count"), "leaves of an index without entries");
        }
    }

    private static byte[] key(final Random random, final int symbols) {
        final byte[] key = new byte[symbols == 1 ? random.nextInt(1500) : random.nextInt(24)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(symbols) - (symbols > 4 ? 0 : symbols / 2));
        }
        return key;
    }

    private byte[] anyKey(final Random random) {
        final byte[] probe = new byte[3];
        random.nextBytes(probe);
        final byte[] key = random.nextBoolean() ? model.ceilingKey(probe) : model.floorKey(probe);
        return key != null ? key : model.firstKey();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> leaves(final Wormhole index) {
        return (Map<String, Object>) index.figures().get("leaves");
    }

    /* In the paper these make a fat leaf, as no anchor could stand between them. */
    @Test
    void shouldDivideLeavesOfKeysThatDifferInTrailingZeroesOnly() {
        try (Wormhole index = open(64L << 20)) {
            final List<Integer> lengths = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                lengths.add(i);
            }
            Collections.shuffle(lengths, new Random(5));
            for (final int length : lengths) {
                final byte[] key = new byte[length + 1];
                key[0] = 1;
                put(index, key);
            }
            check(index);
            assertTrue((long) leaves(index).get("count") >= 2000 / LeafLayout.MAX_ENTRIES);
        }
    }

    @Test
    void shouldFillLeavesWhereKeysComeInOrder() {
        try (Wormhole up = open(64L << 20); Wormhole down = open(64L << 20)) {
            for (long i = 0; i < 20_000; i++) {
                put(up, ByteBuffer.allocate(Long.BYTES).putLong(i).array());
            }
            check(up);
            model.clear();
            for (long i = 20_000; i > 0; i--) {
                put(down, ByteBuffer.allocate(Long.BYTES).putLong(i).array());
            }
            check(down);
            for (final Wormhole index : List.of(up, down)) {
                assertTrue((double) leaves(index).get("entriesPerLeaf") > 70,
                    () -> leaves(index).get("entriesPerLeaf") + " entries a leaf");
            }
        }
    }

    @Test
    void shouldTakeAnchorsOfAllLengths() {
        final Random random = new Random(Seeds.seed("WormholeChurn.anchorsOfAllLengths"));
        try (Wormhole index = open(256L << 20)) {
            final byte[] shared = new byte[60_000];
            random.nextBytes(shared);
            for (int i = 0; i < 3000; i++) {
                final int length = 1 << random.nextInt(16);
                final byte[] key = Arrays.copyOf(shared, Math.min(shared.length, length) + random.nextInt(3));
                if (key.length > 0) {
                    key[key.length - 1] = (byte) random.nextInt();
                }
                put(index, key);
            }
            check(index);
        }
    }

    @Test
    void shouldReachLeavesForWhoseAnchorsThereIsNoMemory() {
        final Random random = new Random(Seeds.seed("WormholeChurn.noMemoryForAnchors"));
        // Anchors of 50,000 bytes, whose nodes alone would need more memory than there is.
        try (Wormhole index = open(640L << 10)) {
            final byte[] shared = new byte[50_000];
            int fits = 0;
            try {
                for (; fits < 1000; fits++) {
                    final byte[] key = Arrays.copyOf(shared, shared.length + 4);
                    ByteBuffer.wrap(key).putInt(shared.length, random.nextInt());
                    keys.register(payloads, key);
                    index.put(key, 0, key.length, payloads);
                    model.put(key, payloads++);
                }
            } catch (final SpaceExhaustedException e) {
                assertTrue(e.getMessage().matches(".*\\d.*"));
                payloads++;
            }
            assertTrue(fits > 3 * LeafLayout.MAX_ENTRIES, fits + " keys fit");
            assertTrue((long) leaves(index).get("unindexed") > 0);
            check(index);
            final KeyBatch batch = KeyBatch.of(model.keySet().toArray(new byte[0][]));
            final long[] found = new long[batch.size()];
            index.getAll(batch, found);
            for (int i = 0; i < found.length; i++) {
                assertEquals(model.get(batch.array(i)), found[i]);
            }
            for (final byte[] key : new ArrayList<>(model.keySet())) {
                remove(index, key);
            }
            check(index);
        }
    }

    @Test
    void shouldShowItsStructure() throws Exception {
        try (Wormhole index = open(16L << 20)) {
            for (int i = 0; i < 300; i++) {
                put(index, String.format(Locale.ROOT, "k%03d", i).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            final StringBuilder text = new StringBuilder();
            index.dump(text);
            final String[] lines = text.toString().split("\n");
            final long leaves = (long) leaves(index).get("count");
            assertEquals(leaves, Arrays.stream(lines).filter(line -> line.startsWith("leaf ")).count());
            assertTrue(lines[0].startsWith("node \"\" anchor floor "), lines[0]);
            @SuppressWarnings("unchecked")
            final Map<String, Object> nodes = (Map<String, Object>) index.figures().get("nodes");
            assertEquals(nodes.get("count"), Arrays.stream(lines).filter(line -> line.startsWith("node ")).count());
            assertEquals(300L, leaves(index).get("entries"));
        }
    }

    @Test
    @Tag("long")
    void shouldHoldMillionsOfKeys() {
        final Random random = new Random(Seeds.seed("WormholeChurn.millionsOfKeys"));
        final HeapKeySource computed = new HeapKeySource(payload ->
            ByteBuffer.allocate(Long.BYTES).putLong(payload * 0x9E3779B97F4A7C15L).array());
        final int count = 4_000_000;
        try (Wormhole index = new Wormhole(new IndexContext(SlabAllocator.direct(),
            MemoryBudget.ofBytes(1L << 30), new EpochReclaimer(), computed, 1L << 30))) {
            final byte[] key = new byte[Long.BYTES];
            for (long i = 0; i < count; i++) {
                ByteBuffer.wrap(key).putLong(i * 0x9E3779B97F4A7C15L);
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, i));
            }
            index.verify();
            for (int i = 0; i < count / 2; i++) {
                final long payload = random.nextInt(count);
                ByteBuffer.wrap(key).putLong(payload * 0x9E3779B97F4A7C15L);
                final long before = index.remove(key, 0, key.length);
                assertTrue(before == payload || before == PointIndex.NONE);
            }
            index.verify();
            long seen = 0;
            long beforeKey = Long.MIN_VALUE;
            try (EntryCursor cursor = index.cursor()) {
                for (boolean found = cursor.first(); found; found = cursor.next()) {
                    final long own = cursor.payload() * 0x9E3779B97F4A7C15L ^ Long.MIN_VALUE;
                    assertTrue(seen == 0 || own > beforeKey);
                    beforeKey = own;
                    seen++;
                }
            }
            assertEquals(index.entryCount(), seen);
        }
    }
}
