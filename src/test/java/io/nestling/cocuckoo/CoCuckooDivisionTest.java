/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;
import io.nestling.testing.RegisterHistory;
import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Regions that keep half of their keys and give the others to a new one, under the eyes of readers and writers. */
class CoCuckooDivisionTest {
    /** Enough for regions to be divided where they are. */
    private static final int MANY = 20_000;
    private static final int HOT = 40;
    private static final int ROUNDS = 8;
    private static final int OPERATIONS = 54;
    private static final int NEW_KEYS = 5_000;

    private static byte[] random(final Random random) {
        final byte[] key = new byte[8];
        random.nextBytes(key);
        return key;
    }

    private static long region(final CoCuckooFixture fixture, final byte[] key) {
        return fixture.index().directory().region(CoCuckooFixture.hash(key));
    }

    /** Without the directory, which doubles if a region of its depth is divided. */
    private static long bytesOfRegions(final CoCuckooFixture fixture) {
        return fixture.index().bytesUsed() - fixture.index().directory().bytesUsed() - MoveCounts.BYTES;
    }

    @Test
    void shouldKeepHalfOfTheKeysInTheirPlaces() {
        final Random random = Seeds.random("shouldKeepHalfOfTheKeysInTheirPlaces");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            final List<byte[]> keys = new ArrayList<>();
            while (keys.size() < MANY) {
                keys.add(random(random));
                fixture.put(keys.get(keys.size() - 1), keys.size());
            }
            final long regions = (Long) fixture.index().figures().get("regions");
            final long bytes = bytesOfRegions(fixture);
            final long[] before = keys.stream().mapToLong(key -> region(fixture, key)).toArray();
            final long[] slots = new long[MANY];
            for (int i = 0; i < MANY; i++) {
                slots[i] = slot(fixture, keys.get(i));
            }
            while ((Long) fixture.index().figures().get("regions") == regions) {
                keys.add(random(random));
                fixture.put(keys.get(keys.size() - 1), keys.size());
            }
            fixture.index().verify();
            // Mostly one; the put divides its region again if all keys of its buckets have stayed or left.
            final long more = (Long) fixture.index().figures().get("regions") - regions;
            assertEquals(bytes + more * RegionLayout.regionBytes(RegionLayout.LAST_CLASS),
                bytesOfRegions(fixture), "one region more, and none that waits for its readers");
            int moved = 0;
            int same = 0;
            for (int i = 0; i < MANY; i++) {
                assertEquals(i + 1, fixture.get(keys.get(i)));
                if (region(fixture, keys.get(i)) != before[i]) {
                    moved++;
                } else {
                    same += slot(fixture, keys.get(i)) == slots[i] ? 1 : 0;
                }
            }
            assertTrue(moved > 2 * RegionLayout.SLOTS_PER_BUCKET, moved + " keys have moved"); // half of one region
            assertTrue(same > MANY * 9 / 10, same + " keys are where they were");
        }
    }

    private static long slot(final CoCuckooFixture fixture, final byte[] key) {
        return fixture.index().reader().slotOf(region(fixture, key), CoCuckooFixture.hash(key), key, 0, key.length);
    }

    /** A key goes to the new region behind the back of a reader that is just looking for it in the old one. */
    @Test
    void shouldFindAKeyWhoseRegionIsDividedWhileItIsLookedFor() {
        final Random random = Seeds.random("shouldFindAKeyWhoseRegionIsDividedWhileItIsLookedFor");
        final List<byte[]> twins = CoCuckooTest.keysOfOneHash(2);
        final AtomicReference<Runnable> onCompare = new AtomicReference<>(() -> { });
        try (CoCuckooFixture fixture = new CoCuckooFixture(() -> onCompare.get().run())) {
            for (int i = 0; i < MANY; i++) {
                fixture.put(random(random), 10 + i);
            }
            fixture.put(twins.get(0), 0);
            fixture.put(twins.get(1), 1);
            final long region = region(fixture, twins.get(0));
            final int primary = RegionLayout.primary(CoCuckooFixture.hash(twins.get(0)), RegionLayout.MAX_BUCKETS);
            final long from = RegionLayout.bucketOffset(RegionLayout.base(region), primary);
            final long[] distance = new long[2];
            for (int i = 0; i < 2; i++) {
                final long offset = slot(fixture, twins.get(i)) - from;
                distance[i] = offset < 0 ? Long.MAX_VALUE : offset; // the first bucket is looked at first
            }
            final int last = distance[0] < distance[1] ? 1 : 0;
            final AtomicInteger compared = new AtomicInteger();
            onCompare.set(() -> {
                if (compared.incrementAndGet() == 2) { // once at a glance, once slot by slot
                    for (int i = 0; region(fixture, twins.get(0)) == region; i++) {
                        fixture.put(random(random), 10 + MANY + i);
                    }
                }
            });
            assertEquals(last, fixture.get(twins.get(last)));
            assertTrue(compared.get() > 2);
            assertNotEquals(region, region(fixture, twins.get(0)), "the keys have moved");
            fixture.index().verify();
        }
    }

    /** Keys that are written all the time while regions are divided, and keys that stay and are always found. */
    @Test
    void shouldExplainHotKeysInRegionsThatAreDivided() throws Exception {
        final Random random = Seeds.random("shouldExplainHotKeysInRegionsThatAreDivided");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            final List<byte[]> keys = new ArrayList<>();
            while (keys.size() < MANY) {
                keys.add(random(random));
                fixture.put(keys.get(keys.size() - 1), keys.size() - 1);
            }
            final long regions = (Long) fixture.index().figures().get("regions");
            int next = MANY;
            for (int round = 0; round < ROUNDS; round++) {
                final List<byte[]> added = new ArrayList<>();
                while (added.size() < NEW_KEYS) {
                    added.add(random(random));
                }
                final int first = next;
                final long[] initial = new long[HOT];
                final RegisterHistory[] histories = new RegisterHistory[HOT];
                for (int i = 0; i < HOT; i++) {
                    initial[i] = fixture.get(keys.get(i));
                    histories[i] = new RegisterHistory();
                }
                final long seed = random.nextLong();
                final long payloads = 2_000_000L * (1 + round);
                Threads.runTogether(5, thread -> {
                    if (thread < 2) {
                        for (int i = thread; i < NEW_KEYS; i += 2) {
                            assertEquals(PointIndex.NONE, fixture.put(added.get(i), first + i));
                        }
                    } else if (thread < 4) {
                        writeHotKeys(fixture, keys, histories, new Random(seed + thread), payloads + 1_000_000L * (thread - 2));
                    } else {
                        for (int i = HOT; i < MANY; i++) {
                            assertEquals(i, fixture.get(keys.get(i)));
                        }
                    }
                });
                next += NEW_KEYS;
                for (int i = 0; i < HOT; i++) {
                    assertTrue(histories[i].isLinearizable(initial[i]), "key " + i + " in round " + round + ":\n" + histories[i]);
                }
                fixture.index().verify();
            }
            assertTrue((Long) fixture.index().figures().get("regions") > regions * 3 / 2, "regions were divided");
        }
    }

    private static void writeHotKeys(
        final CoCuckooFixture fixture, final List<byte[]> keys, final RegisterHistory[] histories, final Random random,
        final long payloads) {
        for (int i = 0; i < HOT * OPERATIONS / 2; i++) {
            final int number = i % HOT;
            final byte[] key = keys.get(number);
            final long calledAt = System.nanoTime();
            final int choice = random.nextInt(4);
            final long result = choice == 0 ? fixture.remove(key)
                : choice == 1 ? fixture.put(key, payloads + i) : fixture.get(key);
            final Kind kind = choice == 0 ? Kind.REMOVE : choice == 1 ? Kind.PUT : Kind.GET;
            histories[number].add(new Operation(kind, payloads + i, result, calledAt, System.nanoTime()));
        }
    }
}
