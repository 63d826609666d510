/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.OperationSequence;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Random operations on an index beside a sorted map, with the whole structure verified after each of them, or
 * each few: the lengths from 0 to 12, some to 50, then 200 and 1,000.
 */
public abstract class IndexModelContract extends IndexContract {
    private static final int SHORT_RUNS = 50;
    private static final int MIDDLE_RUN = 200;
    private static final int LONG_RUN = 1_000;
    private static final int LONG_RUN_STEP = Effort.count(100, 20, 20);
    /* Verified after every so many operations. */
    private static final int MIDDLE_RUN_STEP = Effort.count(8, 1, 1);

    @TestFactory
    public Stream<DynamicTest> shouldDoWhatASortedMapDoes() {
        final long seed = seed("shouldDoWhatASortedMapDoes");
        return corpora().stream().map(corpus -> dynamicTest(
            corpus.name(), () -> runAll(corpus, seed + corpus.name().hashCode())));
    }

    private void runAll(final KeyCorpus corpus, final long seed) {
        final boolean heavy = corpus.isHeavy();
        for (int count = 0; count <= SHORT_RUNS; count += heavy ? 10 : count < 12 ? 1 : 4) {
            OperationSequence.random(corpus, seed + count, count).check(sequence -> run(sequence, 1));
        }
        OperationSequence.random(corpus, seed + MIDDLE_RUN, MIDDLE_RUN)
            .check(sequence -> run(sequence, heavy ? LONG_RUN_STEP : MIDDLE_RUN_STEP));
        if (!heavy) {
            OperationSequence.random(corpus, seed + LONG_RUN, LONG_RUN)
                .check(sequence -> run(sequence, LONG_RUN_STEP));
        }
    }

    private void run(final OperationSequence sequence, final int verifyEvery) {
        try (
            IndexFixture fixture = open();
            IndexModelRun run = new IndexModelRun(fixture, sequence, this::accepts)) {
            int done = 0;
            for (final OperationSequence.Operation operation : sequence.operations()) {
                run.apply(operation);
                if (++done % verifyEvery == 0) {
                    fixture.check();
                }
            }
            fixture.check();
        }
    }
}
