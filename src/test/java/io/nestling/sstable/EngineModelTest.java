/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * Random operations of an engine over memtables and a live table set, against a sorted map with all versions: see {@link
 * ModelledEngine}. {@code -Dseed=N} with the seed that a failure names replays that life alone.
 * <p>
 * Planted faults that were seen, each within 20 seconds: a merge that drops tombstones although a table beside the inputs has
 * older data, or takes the version above the floor for that at the floor; a flush that forgets snapshots; an expired entry that
 * is shown, or dropped above older data; operands that a flush combines across a snapshot, or a merge over what a table beside
 * has between them or over a value that may expire; a range tombstone between operands that is ignored; a scan that does not
 * seek its key again when it turns; a live set that forgets its greatest sequence number, in memory or in the manifest; a
 * replaced version without its oldest table.
 */
@Tag("jdk")
@Tag("once")
class EngineModelTest {
    private static final int STEPS = 600;

    @TempDir
    Path parent;

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void shouldAgreeWithTheModel() throws IOException {
        final long seed = Seeds.seed("EngineModelTest");
        final boolean isReplay = System.getProperty(Seeds.SEED_PROP_NAME) != null;
        final long end = System.nanoTime() + Effort.seconds(2, 20, 600).toNanos();
        long lives = 0;
        do {
            live(seed + lives);
            lives++;
        } while (!isReplay && System.nanoTime() < end);
        System.out.println("EngineModelTest: " + lives + " lives of " + STEPS + " steps");
    }

    private void live(final long seed) throws IOException {
        final Path home = Files.createDirectory(parent.resolve("life"));
        int step = 0;
        try (ModelledEngine engine = new ModelledEngine(home, new Random(seed))) {
            for (; step < STEPS; step++) {
                engine.step();
            }
            engine.end();
        } catch (final IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("step " + step + " of -D" + Seeds.SEED_PROP_NAME + "=" + seed + ": " + e.getMessage(), e);
        }
        final List<Path> files;
        try (Stream<Path> all = Files.walk(home)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files) {
            Files.delete(file);
        }
    }
}
