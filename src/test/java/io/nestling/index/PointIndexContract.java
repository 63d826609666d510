/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Effort;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.KeyCorpus;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** What every index does with one thread and enough memory. */
@Tag("contract")
public abstract class PointIndexContract extends IndexContract {
    private static final int[] BATCH_SIZES = {0, 1, 2, 7, 32, 33, 200};
    private static final int UPDATES = Effort.count(200_000, 1_000_000, 1_000_000);
    private static final int MOST_KEYS = Effort.count(20_000, Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final long UNTOUCHED = -77;

    @Test
    public void shouldSayWhatItIs() {
        final String name = factory().indexName();
        assertTrue(name.matches("[a-z][a-z0-9_]*"), () -> "index name " + name);
        try (IndexFixture fixture = open()) {
            assertEquals(factory().ordered(), fixture.ordered(), "ordered() and the type of the index");
        }
    }

    @Test
    public void shouldBeEmptyAtFirst() {
        try (IndexFixture fixture = open()) {
            fixture.check();
            for (final KeyCorpus corpus : corpora()) {
                fixture.checkGet(corpus.key(0));
                fixture.remove(corpus.key(0));
            }
            fixture.check();
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldHoldEveryKeyOf() {
        final long seed = seed("shouldHoldEveryKeyOf");
        return corpora().stream().map(corpus -> corpus.thinnedTo(MOST_KEYS))
            .map(corpus -> dynamicTest(corpus.name(), () -> holdEveryKeyOf(corpus, new Random(seed))));
    }

    private void holdEveryKeyOf(final KeyCorpus corpus, final Random random) {
        try (IndexFixture fixture = open()) {
            for (final byte[] key : corpus.keys()) {
                fixture.put(key);
            }
            fixture.check();
            for (final byte[] key : corpus.keys()) {
                final byte[] near = KeyCorpus.neighbour(key, random.nextInt(KeyCorpus.NEIGHBOURS));
                if (accepts(near)) {
                    fixture.checkGet(near);
                    if (!fixture.model().containsKey(near)) {
                        fixture.remove(near); // not there
                    }
                }
            }
            fixture.check();
            final List<byte[]> shuffled = new ArrayList<>(corpus.keys());
            Collections.shuffle(shuffled, random);
            for (int i = 0; i < shuffled.size(); i++) {
                if (i % 2 == 0) {
                    fixture.put(shuffled.get(i)); // a new payload
                } else {
                    fixture.remove(shuffled.get(i));
                }
            }
            fixture.check();
            for (final byte[] key : corpus.keys()) {
                fixture.checkGet(key);
                fixture.remove(key);
                fixture.checkGet(key);
            }
            fixture.check();
            for (final byte[] key : corpus.keys()) {
                fixture.put(key);
            }
            fixture.check();
        }
    }

    @Test
    public void shouldTakeKeysFromTheMiddleOfAnArray() {
        try (IndexFixture fixture = open()) {
            for (final KeyCorpus corpus : corpora()) {
                final byte[] key = corpus.key(corpus.size() / 2);
                final byte[] array = new byte[key.length + 9];
                Arrays.fill(array, (byte) 0xA5);
                System.arraycopy(key, 0, array, 4, key.length);
                final long payload = fixture.nextPayload(key);
                final long before = fixture.index().put(array, 4, key.length, payload);
                assertEquals(IndexFixture.orNone(fixture.model().put(key, payload)), before);
                Arrays.fill(array, (byte) 0x11); // the caller's array is the caller's again
                fixture.checkGet(key);
                System.arraycopy(key, 0, array, 7, key.length);
                assertEquals(payload, fixture.index().get(array, 7, key.length));
            }
            fixture.check();
            final byte[] gone = fixture.model().firstKey();
            final byte[] array = Arrays.copyOf(gone, gone.length + 3);
            assertEquals(fixture.model().remove(gone), fixture.index().remove(array, 0, gone.length));
            fixture.check();
        }
    }

    @Test
    public void shouldPutAKeyOnlyIfItIsAbsent() {
        try (IndexFixture fixture = open()) {
            final PointIndex index = fixture.index();
            final List<byte[]> keys = distinctKeys(new Random(9), 400);
            for (int round = 0; round < 2; round++) {
                for (final byte[] key : keys) {
                    final long payload = fixture.nextPayload(key);
                    final long present = index.putIfAbsent(key, 0, key.length, payload);
                    assertEquals(round == 0 ? PointIndex.NONE : fixture.model().get(key), present);
                    fixture.model().putIfAbsent(key, payload);
                }
                assertEquals(keys.size(), index.entryCount());
                fixture.check();
            }
            final byte[] tooLong = new byte[PointIndex.MAX_KEY_BYTES + 1];
            assertThrows(IllegalArgumentException.class, () -> index.putIfAbsent(tooLong, 0, tooLong.length, 1));
            assertThrows(IllegalArgumentException.class, () -> index.putIfAbsent(keys.get(0), 0, keys.get(0).length, -1));
            assertThrows(
                IllegalArgumentException.class, () -> index.putIfAbsent(new byte[1], 0, 1, PointIndex.MAX_PAYLOAD + 1));
            fixture.check();
        }
    }

    @Test
    public void shouldHoldEveryPayloadUpToTheLimit() {
        final List<byte[]> keys = distinctKeys(new Random(7), IndexFixture.EXTREME_PAYLOADS.length);
        for (int rotation = 0; rotation < keys.size(); rotation++) {
            try (IndexFixture fixture = open()) {
                for (int i = 0; i < keys.size(); i++) {
                    final byte[] key = keys.get(i);
                    final long payload = fixture.payload((i + rotation) % keys.size(), key);
                    fixture.put(key, payload);
                    fixture.put(key, payload); // the same once more
                }
                fixture.check();
            }
        }
    }

    @Test
    public void shouldReplaceAnyPayloadByAnyOther() {
        final byte[] key = distinctKeys(new Random(8), 1).get(0);
        try (IndexFixture fixture = open()) {
            for (int from = 0; from < IndexFixture.EXTREME_PAYLOADS.length; from++) {
                for (int to = 0; to < IndexFixture.EXTREME_PAYLOADS.length; to++) {
                    fixture.put(key, fixture.payload(from, key));
                    fixture.put(key, fixture.payload(to, key));
                    fixture.checkGet(key);
                }
            }
            fixture.check();
        }
    }

    @Test
    public void shouldHoldOnePayloadForSeveralKeysIfItStoresKeys() {
        Assumptions.assumeTrue(factory().storesKeys(), "finds keys by their payloads");
        try (IndexFixture fixture = open()) {
            for (final byte[] key : distinctKeys(new Random(9), 200)) {
                fixture.put(key, 42);
            }
            fixture.check();
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldLookUpBatchesAsSingleKeys() {
        final long seed = seed("shouldLookUpBatchesAsSingleKeys");
        return corpora().stream().map(corpus -> dynamicTest(corpus.name(), () -> {
            final Random random = new Random(seed);
            try (IndexFixture fixture = open()) {
                lookUpBatches(fixture, corpus, random); // all misses
                for (int i = 0; i < corpus.size(); i += 1 + random.nextInt(2)) {
                    fixture.put(corpus.key(i));
                }
                for (int repeat = 0; repeat < Effort.count(2, 5, 5); repeat++) {
                    lookUpBatches(fixture, corpus, random);
                }
            }
        }));
    }

    private void lookUpBatches(final IndexFixture fixture, final KeyCorpus corpus, final Random random) {
        final KeyBatch batch = new KeyBatch();
        for (final int size : BATCH_SIZES) {
            batch.clear();
            final List<byte[]> keys = new ArrayList<>();
            while (keys.size() < size) {
                final byte[] key = KeyCorpus.neighbour(
                    corpus.key(random.nextInt(corpus.size())),
                    random.nextInt(2) * random.nextInt(KeyCorpus.NEIGHBOURS));
                if (accepts(key)) {
                    final int shift = random.nextInt(3);
                    final byte[] array = new byte[key.length + shift + 1];
                    System.arraycopy(key, 0, array, shift, key.length);
                    batch.add(array, shift, key.length);
                    keys.add(key);
                }
            }
            final long[] payloads = new long[size + 2];
            Arrays.fill(payloads, UNTOUCHED);
            fixture.index().getAll(batch, payloads);
            for (int i = 0; i < size; i++) {
                final int at = i;
                assertEquals(IndexFixture.orNone(fixture.model().get(keys.get(i))), payloads[i],
                    () -> "getAll of " + size + ", key " + at + " " + KeyCorpus.text(keys.get(at)));
            }
            assertEquals(UNTOUCHED, payloads[size], "getAll of " + size + " writes behind its last payload");
            assertEquals(UNTOUCHED, payloads[size + 1],
                "getAll of " + size + " writes behind its last payload");
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldNotFindKeysThatAreLongerThanAnyIs() {
        return LongKeys.datasets().entrySet().stream().map(dataset -> dynamicTest(dataset.getKey(), () -> {
            try (IndexFixture fixture = open()) {
                dataset.getValue().stream().filter(this::accepts).forEach(fixture::put);
                final byte[][] queries = LongKeys.longerThan(dataset.getValue());
                for (final byte[] query : queries) {
                    fixture.checkGet(query);
                    fixture.remove(query);
                }
                final long[] payloads = new long[queries.length];
                fixture.index().getAll(KeyBatch.of(queries), payloads);
                for (int i = 0; i < queries.length; i++) {
                    final byte[] query = queries[i];
                    assertEquals(PointIndex.NONE, payloads[i], () -> "getAll, " + KeyCorpus.text(query));
                }
                fixture.check();
            }
        }));
    }

    @Test
    public void shouldStayAsItIsWhenBatchesOfPutsAreAnnounced() {
        try (IndexFixture fixture = open()) {
            final List<byte[]> keys = distinctKeys(new Random(16), 3_000);
            keys.add(new byte[0]);
            keys.add(new byte[PointIndex.MAX_KEY_BYTES]);
            fixture.index().prefetchAll(new KeyBatch());
            for (int from = 0; from < keys.size(); from += 100) {
                final List<byte[]> some = keys.subList(from, Math.min(from + 100, keys.size()));
                final KeyBatch batch = KeyBatch.of(some.toArray(new byte[0][]));
                final long before = fixture.index().bytesUsed();
                fixture.index().prefetchAll(batch);
                assertEquals(before, fixture.index().bytesUsed());
                some.forEach(key -> assertEquals(PointIndex.NONE, fixture.index().get(key, 0, key.length)));
                some.forEach(fixture::put);
                fixture.index().prefetchAll(batch);
            }
            fixture.check();
        }
    }

    @Test
    public void getAllThrowsIllegalArgumentExceptionWhenPayloadsAreTooShort() {
        try (IndexFixture fixture = open()) {
            final List<byte[]> keys = distinctKeys(new Random(10), 5);
            keys.forEach(fixture::put);
            final KeyBatch batch = KeyBatch.of(keys.toArray(new byte[0][]));
            assertThrows(IllegalArgumentException.class, () -> fixture.index().getAll(batch, new long[4]));
            fixture.check();
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldRefuseBadInputAndStayAsItWas() {
        return IntStream.of(0, 1, 300).mapToObj(size -> dynamicTest(size + " entries", () -> {
            try (IndexFixture fixture = open()) {
                final List<byte[]> keys = distinctKeys(new Random(11), size + 1);
                keys.subList(0, size).forEach(fixture::put);
                for (final byte[] key : List.of(keys.get(0), keys.get(size))) {
                    refuseBadPayloads(fixture, key);
                    refuseBadRanges(fixture, key);
                }
                refuseBadKeys(fixture);
            }
        }));
    }

    private static void refuseBadPayloads(final IndexFixture fixture, final byte[] key) {
        final long[] payloads = {-1, -2, Long.MIN_VALUE, PointIndex.MAX_PAYLOAD + 1, Long.MAX_VALUE};
        for (final long payload : payloads) {
            final IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> fixture.index().put(key, 0, key.length, payload));
            assertNames(e, Long.toString(payload));
            if (payload >= 0) {
                assertNames(e, Long.toString(PointIndex.MAX_PAYLOAD), "2^62");
            }
            fixture.check();
        }
    }

    private static void refuseBadRanges(final IndexFixture fixture, final byte[] key) {
        final int[][] ranges =
            {{1, key.length}, {0, key.length + 1}, {-1, key.length}, {0, -1}, {key.length + 1, 0}};
        for (final int[] range : ranges) {
            final RuntimeException e = assertThrows(
                RuntimeException.class, () -> fixture.index().put(key, range[0], range[1], 5),
                () -> "put of range " + Arrays.toString(range) + " of " + key.length + " bytes");
            assertTrue(e instanceof IndexOutOfBoundsException || e instanceof IllegalArgumentException,
                e::toString);
            fixture.check();
        }
    }

    private void refuseBadKeys(final IndexFixture fixture) {
        final byte[] tooLong = new byte[PointIndex.MAX_KEY_BYTES + 1];
        final IllegalArgumentException e = assertThrows(
            IllegalArgumentException.class, () -> fixture.index().put(tooLong, 0, tooLong.length, 5));
        assertNames(e, "65536", "65,536");
        if (accepts(new byte[PointIndex.MAX_KEY_BYTES])) {
            assertNames(e, "65535", "65,535");
        }
        fixture.check();
        assertThrows(NullPointerException.class, () -> fixture.index().put(null, 0, 0, 5));
        assertThrows(NullPointerException.class, () -> fixture.index().put(null, 0, 8, 5));
        assertThrows(NullPointerException.class, () -> fixture.index().get(null, 0, 8));
        assertThrows(NullPointerException.class, () -> fixture.index().remove(null, 0, 8));
        fixture.check();
    }

    private static void assertNames(final Exception e, final String... oneOf) {
        assertTrue(
            e.getMessage() != null && Arrays.stream(oneOf).anyMatch(e.getMessage()::contains),
            () -> "\"" + e.getMessage() + "\" should name " + String.join(" or ", oneOf));
    }

    @Test
    public void shouldCountEntries() {
        try (IndexFixture fixture = open()) {
            final List<byte[]> keys = distinctKeys(new Random(12), 500);
            for (final byte[] key : keys) {
                fixture.put(key);
                fixture.put(key);
                assertEquals(fixture.model().size(), fixture.index().entryCount());
            }
            for (final byte[] key : keys) {
                fixture.remove(key);
                fixture.remove(key);
                assertEquals(fixture.model().size(), fixture.index().entryCount());
            }
            fixture.check();
        }
    }

    @Test
    public void shouldUseNoMoreMemoryAfterManyUpdatesOfOneKey() {
        final List<byte[]> keys = distinctKeys(new Random(13), 20);
        final byte[] key = keys.get(10);
        final KeySource source = new HeapKeySource(payload -> payload < 100 ? keys.get((int) payload) : key);
        try (IndexFixture fixture = new IndexFixture(factory(), tightBytes(), tightBytes(), source)) {
            final PointIndex index = fixture.index();
            for (int i = 0; i < keys.size(); i++) {
                fixture.put(keys.get(i), i);
            }
            final long bytes = index.bytesUsed();
            long before = 10;
            for (int i = 0; i < UPDATES; i++) {
                final long payload = 100 + (i & 1023);
                assertEquals(before, index.put(key, 0, key.length, payload));
                before = payload;
            }
            fixture.model().put(key, before);
            fixture.check();
            assertTrue(index.bytesUsed() <= bytes + 4096,
                () -> bytes + " bytes before, " + index.bytesUsed() + " after");
            for (int i = 0; i < UPDATES / 10; i++) {
                assertEquals(before, index.remove(key, 0, key.length));
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, before));
            }
            fixture.check();
            assertTrue(index.bytesUsed() <= bytes + 4096,
                () -> bytes + " bytes before, " + index.bytesUsed() + " after");
        }
    }

    @Test
    public void shouldUseLittleMemoryAgainWhenEmptied() {
        final Random random = new Random(seed("shouldUseLittleMemoryAgainWhenEmptied"));
        try (IndexFixture fixture = open()) {
            final PointIndex index = fixture.index();
            final List<byte[]> keys = distinctKeys(random, 10_000);
            final long empty = index.bytesUsed();
            keys.forEach(fixture::put);
            final long filled = index.bytesUsed();
            for (int round = 0; round < 3; round++) {
                Collections.shuffle(keys, random);
                keys.forEach(fixture::remove);
                fixture.check();
                assertTrue(index.bytesUsed() <= emptiedBytes(empty, filled),
                    () -> empty + " bytes when new, " + filled + " when full, " + index.bytesUsed()
                        + " when emptied");
                keys.forEach(fixture::put);
                fixture.check();
                assertTrue(index.bytesUsed() <= filled + filled / 4 + 4096,
                    () -> filled + " bytes when first full, " + index.bytesUsed() + " when full again");
            }
        }
    }

    @Test
    public void shouldNotMindBeingClosedTwice() {
        final IndexFixture fixture = open();
        distinctKeys(new Random(14), 100).forEach(fixture::put);
        fixture.close();
        assertDoesNotThrow(fixture::close);
    }

    @Test
    public void everyCallThrowsIllegalStateExceptionWhenClosed() {
        final IndexFixture fixture = open();
        final byte[] key = distinctKeys(new Random(15), 1).get(0);
        fixture.put(key);
        final PointIndex index = fixture.index();
        fixture.close();
        assertThrows(IllegalStateException.class, () -> fixture.get(key));
        assertThrows(IllegalStateException.class, () -> index.getAll(KeyBatch.of(key), new long[1]));
        assertThrows(IllegalStateException.class, () -> index.put(key, 0, key.length, 1));
        assertThrows(IllegalStateException.class, () -> index.remove(key, 0, key.length));
        assertThrows(IllegalStateException.class, () -> index.reserve(1, 8));
        assertThrows(IllegalStateException.class, index::verify);
    }

    @Test
    public void createThrowsSpaceExhaustedExceptionWhenNothingFits() {
        final MemoryBudget budget = MemoryBudget.ofBytes(1);
        final IndexContext context = new IndexContext(
            SlabAllocator.direct(), budget, new EpochReclaimer(), new HeapKeySource(), maxBytes());
        assertThrows(SpaceExhaustedException.class, () -> factory().create(context));
        assertEquals(0, budget.used());
    }
}
