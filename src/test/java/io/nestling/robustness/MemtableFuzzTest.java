/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.Shrinker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs random programs over memtables and tables, on one index after the other. A case that fails is shrunk and printed with
 * its seed; the thread bears the seed of the case in its name, for cases that hang.
 */
@Tag("robustness")
class MemtableFuzzTest {
    private static final int MAX_STEPS = 150;

    @TempDir
    Path directory;
    private long cases;
    private final int[] writes = new int[2];

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldAgreeWithTheModel() {
        final long seed = Seeds.seed("MemtableFuzzTest");
        final String thread = Thread.currentThread().getName();
        final long end = System.nanoTime() + Effort.seconds(10, 60, 3_600).toNanos();
        final boolean replay = System.getProperty(Seeds.SEED_PROP_NAME) != null;
        try {
            do {
                runCase(seed + cases);
                cases++;
            } while (!replay && System.nanoTime() < end);
        } finally {
            Thread.currentThread().setName(thread);
        }
        System.out.println("MemtableFuzzTest: " + cases + " cases, " + writes[0] + " writes and " + writes[1]
            + " refused ones");
    }

    private void runCase(final long seed) {
        Thread.currentThread().setName("case -D" + Seeds.SEED_PROP_NAME + "=" + seed);
        final Random random = new Random(seed);
        final IndexType index = IndexType.values()[(int) Math.floorMod(seed, (long) IndexType.values().length)];
        final List<MemtableProgram.Step> steps = new ArrayList<>();
        for (int count = 1 + random.nextInt(MAX_STEPS); count > 0; count--) {
            steps.add(new MemtableProgram.Step(MemtableProgram.Kind.random(random), random.nextLong()));
        }
        if (run(seed, index, steps) == null) {
            return;
        }
        final List<MemtableProgram.Step> few = Shrinker.shrink(steps, part -> run(seed, index, part) != null);
        final Failure failure = run(seed, index, few);
        final String text = "-D" + Seeds.SEED_PROP_NAME + "=" + seed + ": " + steps.size() + " steps fail, and so do "
            + few.size() + (failure == null ? ", but not always" : ", " + failure.text);
        System.out.println(text);
        throw new AssertionError(text, failure == null ? null : failure.cause);
    }

    /** What went wrong and on the way to where. */
    private record Failure(String text, Throwable cause) {
    }

    private Failure run(final long seed, final IndexType index, final List<MemtableProgram.Step> steps) {
        final Path tables = directory.resolve("tables");
        try (MemtableProgram program = new MemtableProgram(seed, index, tables)) {
            try {
                program.run(steps);
                writes[0] += program.writes()[0];
                writes[1] += program.writes()[1];
                return null;
            } catch (final IOException | RuntimeException | AssertionError | StackOverflowError e) {
                return new Failure(program + ":\n" + program.trace() + e, e);
            }
        } finally {
            delete(tables);
        }
    }

    private static void delete(final Path tables) {
        if (Files.exists(tables)) {
            try (Stream<Path> files = Files.walk(tables)) {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
