/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.ConcurrentIndexContract;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoCuckooWritersTest extends ConcurrentIndexContract {
    /** Enough for regions of 48 buckets. */
    private static final int MANY = 160;
    /** With 28 keys, 48 buckets are in many subgraphs, which one key more or less merges or splits. */
    private static final int STAYING = 28;
    private static final int COMING = 16;
    private static final int STEPS = Effort.count(20_000, 60_000, 60_000);

    @Override
    protected IndexFactory factory() {
        return CoCuckooFactory.INSTANCE;
    }

    private static byte[] key(final int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Nearly all keys of full regions are in one subgraph; here there are many, in each of two regions. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldKeepSubgraphsThatMergeAndFallApart(final int writers) throws Exception {
        final long seed = Seeds.seed("shouldKeepSubgraphsThatMergeAndFallApart");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            for (int i = 0; i < MANY; i++) {
                fixture.put(key(i), i);
            }
            final List<Integer> staying = new ArrayList<>();
            final int[] left = {STAYING, STAYING};
            for (int i = 0; i < MANY; i++) {
                if (left[(int) CoCuckooFixture.hash(key(i)) & 1]-- > 0) {
                    staying.add(i);
                } else {
                    assertEquals(i, fixture.remove(key(i)));
                }
            }
            Threads.runTogether(writers + 1, thread -> {
                final Random random = new Random(seed + thread);
                if (thread == writers) {
                    for (int i = 0; i < STEPS; i++) {
                        final int number = staying.get(random.nextInt(staying.size()));
                        assertEquals(number, fixture.get(key(number)), "a key that stays");
                    }
                    return;
                }
                final boolean[] there = new boolean[COMING];
                for (int i = 0; i < STEPS; i++) {
                    final int at = random.nextInt(COMING / writers);
                    final int number = MANY + at * writers + thread;
                    final long expected = there[at] ? number : PointIndex.NONE;
                    assertEquals(expected, there[at] ? fixture.remove(key(number)) : fixture.put(key(number), number));
                    there[at] = !there[at];
                    assertEquals(there[at] ? number : PointIndex.NONE, fixture.get(key(number)));
                }
            });
            fixture.index().verify();
            final Map<String, Object> figures = fixture.index().figures();
            assertEquals(2L, ((Map<?, ?>) figures.get("regionsByBuckets")).get("48"));
            final long subgraphs =
                ((Map<?, ?>) figures.get("subgraphsByBuckets")).values().stream().mapToLong(count -> (Long) count).sum();
            assertTrue(subgraphs > 6, subgraphs + " subgraphs");
        }
    }
}
