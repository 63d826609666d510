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
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.LimitedAllocator;
import io.nestling.testing.NettySlabs;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** What every index does when its memory runs out. */
public abstract class IndexSpaceContract extends IndexContract {
    private static final int ENOUGH_KEYS = 150_000;
    private static final int KEYS_AFTER_THE_LIMIT = 2_000;

    @TestFactory
    public Stream<DynamicTest> shouldStayWholeWhenSpaceRunsOut() {
        final long seed = seed("shouldStayWholeWhenSpaceRunsOut");
        return Stream.of(
            dynamicTest("limit of the index", () -> fillUpAndEmpty(
                new IndexFixture(factory(), tightBytes(), 4 * tightBytes()), new Random(seed))),
            dynamicTest("limit of the budget", () -> fillUpAndEmpty(
                new IndexFixture(factory(), maxBytes(), tightBytes()), new Random(seed))));
    }

    private void fillUpAndEmpty(final IndexFixture opened, final Random random) {
        try (IndexFixture fixture = opened) {
            final List<byte[]> keys = distinctKeys(random, ENOUGH_KEYS);
            final int limit = fillUp(fixture, keys);
            fixture.check();
            pressOn(fixture, keys, limit, random);
            fixture.check();
            removeAll(fixture);
            fixture.check();
            // What fitted before fits again, but for some fragments.
            for (final byte[] key : keys.subList(0, limit / 2)) {
                fixture.put(key);
            }
            fixture.check();
            assertTrue(fillUp(fixture, keys) > 0);
            fixture.check();
        }
    }

    /** Puts keys until one does not fit; returns its number. */
    private static int fillUp(final IndexFixture fixture, final List<byte[]> keys) {
        for (int i = 0; i < keys.size(); i++) {
            if (!tryPut(fixture, keys.get(i))) {
                return i;
            }
        }
        throw new AssertionError(
            keys.size() + " keys fit into " + fixture.context().maxBytes() + " bytes with a budget of "
            + fixture.context().budget().capacity());
    }

    private static boolean tryPut(final IndexFixture fixture, final byte[] key) {
        final long payload = fixture.nextPayload(key);
        try {
            if (payload % 3 == 0) {
                final long present = fixture.index().putIfAbsent(key, 0, key.length, payload);
                assertEquals(IndexFixture.orNone(fixture.model().putIfAbsent(key, payload)), present);
            }
            final long before = fixture.index().put(key, 0, key.length, payload);
            assertEquals(IndexFixture.orNone(fixture.model().put(key, payload)), before);
            return true;
        } catch (final SpaceExhaustedException e) {
            assertTrue(e.getMessage() != null && e.getMessage().matches("(?s).*\\d.*"),
                () -> "\"" + e.getMessage() + "\" should name the limit");
            assertEquals(fixture.model().size(), fixture.index().entryCount(), "entryCount after a put that did not fit");
            fixture.checkGet(key);
            return false;
        }
    }

    /** Goes on writing at the limit: each write happens as a whole or not at all. */
    private static void pressOn(
        final IndexFixture fixture, final List<byte[]> keys, final int limit, final Random random) {
        for (int i = 0; i < KEYS_AFTER_THE_LIMIT; i++) {
            final int others = Math.min(limit, keys.size() - limit);
            final byte[] key =
                keys.get(random.nextInt(2) == 0 ? random.nextInt(limit) : limit + random.nextInt(others));
            if (random.nextInt(4) > 0) {
                tryPut(fixture, key);
            } else {
                tryRemove(fixture, key);
            }
            if (i % 1_000 == 0) {
                fixture.check();
            }
        }
    }

    private static boolean tryRemove(final IndexFixture fixture, final byte[] key) {
        try {
            fixture.remove(key);
            return true;
        } catch (final SpaceExhaustedException e) {
            fixture.checkGet(key);
            return false;
        }
    }

    /** Removes everything; a remove that finds no space is tried again after the others. */
    private static void removeAll(final IndexFixture fixture) {
        while (!fixture.model().isEmpty()) {
            final int before = fixture.model().size();
            for (final byte[] key : new ArrayList<>(fixture.model().keySet())) {
                tryRemove(fixture, key);
            }
            assertTrue(
                fixture.model().size() < before,
                () -> "none of " + before + " keys can be removed from a full index");
        }
    }

    @Test
    public void shouldKeepWhatReservePromises() {
        final Random random = new Random(seed("shouldKeepWhatReservePromises"));
        try (IndexFixture fixture = new IndexFixture(factory(), tightBytes(), tightBytes())) {
            final List<byte[]> keys = new ArrayList<>(distinctKeys(random, ENOUGH_KEYS));
            for (final KeyCorpus corpus : corpora()) {
                if (corpus.keyBytes() / corpus.size() < 1_000) {
                    keys.addAll(random.nextInt(200), corpus.thinnedTo(200).keys());
                }
            }
            int from = 0;
            while (true) {
                final List<byte[]> part = keys.subList(from, from + 1 + random.nextInt(30));
                try {
                    fixture.index().reserve(part.size(), part.stream().mapToLong(key -> key.length).sum());
                } catch (final SpaceExhaustedException e) {
                    break;
                }
                part.forEach(fixture::put);
                from += part.size();
                if (random.nextInt(3) == 0) {
                    tryRemove(fixture, keys.get(random.nextInt(from)));
                }
            }
            assertTrue(from > 0, "nothing could be reserved");
            fixture.check();
        }
    }

    @Test
    public void reserveThrowsSpaceExhaustedExceptionWhenItCannotPromise() {
        try (IndexFixture fixture = new IndexFixture(factory(), tightBytes(), tightBytes())) {
            distinctKeys(new Random(16), 100).forEach(fixture::put);
            final long bytes = fixture.index().bytesUsed();
            final PointIndex index = fixture.index();
            assertThrows(SpaceExhaustedException.class, () -> index.reserve(Integer.MAX_VALUE, 1L << 45));
            assertThrows(SpaceExhaustedException.class, () -> index.reserve(10_000_000, 80_000_000L));
            assertEquals(bytes, fixture.index().bytesUsed());
            fixture.check();
            fixture.put(distinctKeys(new Random(17), 1).get(0));
            fixture.check();
        }
    }

    /** An index that takes several slabs gives back those that it has got if the next one cannot be had. */
    @Test
    public void shouldGiveEverythingBackWhenItCannotBeMade() {
        final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true);
        for (final boolean heapEnds : new boolean[] {false, true}) {
            for (int slabs = 0; !isMade(new LimitedAllocator(NettySlabs.of(source), slabs, heapEnds)); slabs++) {
                assertEquals(0, source.metric().usedDirectMemory(), "bytes left of " + slabs + " slabs");
            }
            assertEquals(0, source.metric().usedDirectMemory());
        }
    }

    private boolean isMade(final SlabAllocator allocator) {
        final MemoryBudget budget = MemoryBudget.ofBytes(maxBytes());
        final IndexContext context = new IndexContext(
            allocator, budget, new EpochReclaimer(), KeySource.NONE, maxBytes());
        try (PointIndex index = factory().create(context)) {
            assertEquals(0, index.entryCount());
            return true;
        } catch (final SpaceExhaustedException | OutOfMemoryError e) {
            return false;
        } finally {
            assertEquals(0, budget.used());
        }
    }
}
