/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.index.SmallIndexes;
import io.nestling.sstable.SmallTables;
import io.nestling.testing.Effort;
import io.nestling.testing.Limit;
import io.nestling.testing.LimitsLoader;
import io.nestling.testing.Seeds;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Very many small indexes, memtables and tables, the former with secret numbers of their own: finds what goes wrong with one of
 * thousands of secrets, or at a size that no other test has.
 * <p>
 * Planted faults:
 * <ul>
 * <li>MlpIndex does not widen a node whose two buckets are one: found after 3,800 lives of indexes of the lowest limits, among
 * them 19,000 of MlpIndexes; with the usual limits, where it takes one of some 5,000 secrets and nodes of more than 16
 * children, not found in 29,700 lives;</li>
 * <li>the Cuckoo Trie refuses a key if no entry can make room: found after 4 lives;</li>
 * <li>a memtable is full when a fifth of its capacity is in use: found after 3 lives;</li>
 * <li>a filter that is made smaller forgets keys: found after 55 tables.</li>
 * </ul>
 * Not found in 1,450 lives: a memtable that is full only once a write was refused, since space for the largest record so far
 * stays reserved.
 */
@Tag("robustness")
class ManyInstancesTest {
    private static final int TESTS = 5;

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldMakeIndexesThatDoWhatASortedMapDoes() throws Exception {
        live(SmallIndexes.class, Map.of());
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldMakeIndexesOfTheLowestLimits() throws Exception {
        live(SmallIndexes.class, Limit.lowest());
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldMakeMemtablesThatDoWhatTheirModelDoes() throws Exception {
        live(SmallMemtables.class, Map.of());
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldMakeMemtablesOfTheLowestLimits() throws Exception {
        live(SmallMemtables.class, Limit.lowest());
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldReadTheTablesThatWereWritten() throws Exception {
        live(SmallTables.class, Map.of());
    }

    /** Has one life after another, each from a seed of its own, until the time is over; a seed that is given has one life. */
    private static void live(final Class<? extends LongConsumer> lives, final Map<String, Integer> limits) throws Exception {
        final String name = lives.getSimpleName() + (limits.isEmpty() ? "" : " of the lowest limits");
        final long first = Seeds.seed(name);
        final boolean replay = System.getProperty(Seeds.SEED_PROP_NAME) != null;
        LimitsLoader.with(limits, () -> {
            final LongConsumer life = (LongConsumer) Class.forName(lives.getName(), true, LimitsLoader.sharingBridge())
                .getConstructor().newInstance();
            final long end = System.nanoTime() + Effort.seconds(3, 30, 600).toNanos() / TESTS;
            long seed = first;
            try {
                do {
                    life.accept(seed++);
                } while (!replay && System.nanoTime() < end);
            } catch (final RuntimeException | Error e) {
                throw new AssertionError(name + ", life " + (seed - first) + ": replay with -D" + Seeds.SEED_PROP_NAME + "="
                    + (seed - 1) + ": " + e, e);
            }
            System.out.println(name + ": " + (seed - first) + " lives");
        });
    }
}
