/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.testing.Seeds;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains of versions, walked by their links and one by one. Where no skip word was followed, too many steps were seen. */
class VersionLinksTest {
    private static final int KIND = 1;
    private static final long MIB = 1 << 20;
    private static final int MANY = 200_000;
    private static final int NEWEST = 20_000;

    private final long[] chain = new long[MANY];
    private long steps;
    private long mostSteps;

    /** Appends versions with the numbers 1, 2 and so on, now and then something else, to a store of several slabs. */
    private void append(final RecordStore store, final VersionLinks links, final int count, final Random random) {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        final RecordAppender[] appenders = {new RecordAppender(store, budget), new RecordAppender(store, budget)};
        for (int i = 0; i < count; i++) {
            final long previous = i == 0 ? RecordLayout.NO_RECORD : chain[i - 1];
            final long word = RecordLayout.versionWord(0, KIND, false, false) | (i == 0 ? 0 : links.flags(previous));
            chain[i] = appenders[random.nextInt(2)].append(word, previous, null, 0, 0, random.nextInt(20));
            store.putSequence(chain[i], i + 1);
            if (i > 0) {
                links.link(chain[i], previous);
            }
            assertEquals(previous, store.previous(chain[i]));
            if (random.nextInt(50) == 0) {
                store.append(1, KIND, RecordLayout.NO_RECORD, random.nextInt(2000));
            }
        }
    }

    /** Finds the newest version at or below a sequence number, from one that may be too new. */
    private long find(final RecordStore store, final VersionLinks links, final long from, final long sequence) {
        long record = from;
        int taken = 0;
        while (record != RecordLayout.NO_RECORD && RecordLayout.sequence(store.versionWord(record)) > sequence) {
            record = links.older(record, sequence);
            taken++;
        }
        steps += taken;
        mostSteps = Math.max(mostSteps, taken);
        return record;
    }

    /** One by one, these walks take 100,000 steps on average. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindOldVersionsInFewSteps(final boolean olderIsRead) {
        final Random random = Seeds.random("VersionLinksTest " + olderIsRead);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(64 * MIB), 2 * MIB)) {
            final VersionLinks links = new VersionLinks(store, olderIsRead, random.nextLong());
            append(store, links, MANY, random);
            final int finds = 5_000;
            for (int i = 0; i < finds; i++) {
                final int sequence = i == 0 ? 0 : i == 1 ? 1 : 1 + random.nextInt(MANY - NEWEST);
                // From one place alone the way to the first skip word, whose length is random and secret, would decide.
                final long from = chain[MANY - 1 - random.nextInt(NEWEST)];
                assertEquals(sequence == 0 ? RecordLayout.NO_RECORD : chain[sequence - 1], find(store, links, from, sequence));
            }
            assertTrue(steps < 130L * finds, steps + " steps for " + finds);
            assertTrue(mostSteps < 1000, mostSteps + " steps");
        }
    }

    @Test
    void shouldFindEachVersionFromEachOther() {
        final Random random = Seeds.random("VersionLinksTest short chains");
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(64 * MIB), 2 * MIB)) {
            for (int round = 0; round < 20; round++) {
                final VersionLinks links = new VersionLinks(store, random.nextBoolean(), random.nextLong());
                final int count = random.nextInt(200);
                append(store, links, count, random);
                for (int from = 0; from < count; from++) {
                    for (int sequence = 0; sequence <= count; sequence++) {
                        final int expected = Math.min(from, sequence - 1);
                        assertEquals(expected < 0 ? RecordLayout.NO_RECORD : chain[expected],
                            find(store, links, chain[from], sequence));
                    }
                }
            }
        }
    }

    @Test
    void shouldGiveASkipWordToOneOf32Versions() {
        final Random random = Seeds.random("VersionLinksTest flags");
        final VersionLinks links = new VersionLinks(null, true, 1);
        int skips = 0;
        for (int i = 0; i < 160_000; i++) {
            skips += (links.flags(random.nextInt(1 << 30)) & RecordLayout.HAS_SKIP) == 0 ? 0 : 1;
        }
        assertTrue(skips > 4_500 && skips < 5_500, skips + " of 160,000");
    }
}
