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
 * <p>
 * Planted faults, each of which was found within a minute on a machine whose two processors ten others used too:
 * <ul>
 * <li>{@code BlockBuilder.addBytes} reads its buffer before it grows: a range tombstone with a long end fails the flush;</li>
 * <li>after a change of direction {@code ShardCursor}, {@code MergingCursor} or {@code VisibleCursor} skips one entry;</li>
 * <li>{@code commonPrefix} of {@code ShardCursor} (for one length only) or {@code VisibleCursor} is too long by one;</li>
 * <li>{@code TableSet.get} prefers the older table;</li>
 * <li>a snapshot sees one write too many;</li>
 * <li>the second write of a batch to one key forgets the first; the last write of a batch of more than eight is not
 * visible;</li>
 * <li>a run of a cursor shows entries that have expired; the value that operands are combined with is one version too old.</li>
 * </ul>
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
        final long end = System.nanoTime() + Effort.seconds(5, 40, 3_600).toNanos();
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
        final Failure first = run(seed, index, steps, false);
        if (first == null) {
            return;
        }
        final List<MemtableProgram.Step> few = Shrinker.shrink(steps, part -> isLike(first, run(seed, index, part, false)));
        final Failure failure = run(seed, index, few, true);
        final String text = "-D" + Seeds.SEED_PROP_NAME + "=" + seed + ": " + steps.size() + " steps fail, and so do "
            + few.size() + ", " + (failure == null ? "but not always: " + first.cause : failure.text);
        System.out.println(text);
        throw new AssertionError(text, failure == null ? first.cause : failure.cause);
    }

    /** What went wrong and on the way to where. */
    private record Failure(String text, Throwable cause) {
    }

    private static boolean isLike(final Failure first, final Failure other) {
        return other != null && other.cause.getClass() == first.cause.getClass();
    }

    private Failure run(
        final long seed, final IndexType index, final List<MemtableProgram.Step> steps, final boolean traced) {
        final Path tables = directory.resolve("tables");
        try (MemtableProgram program = new MemtableProgram(seed, index, tables, traced)) {
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
