/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Many memtables under one budget stay within it, resident memory and all. */
@Tag("robustness")
@EnabledOnOs(OS.LINUX)
class SharedBudgetRotationsTest {
    @TempDir
    private Path directory;

    /** Seen to fail with slabs that do not begin on small pages: 1,478 MiB resident with a budget of 300. */
    @Test
    void shouldSurviveManyRotations() throws Exception {
        ChildJvm.run(directory, Effort.count(2, 10, 60), SharedBudgetRotations.class, List.of("-Xmx96m"),
            Integer.toString(Effort.count(60, 150, 300)),
            Integer.toString(Effort.count(50, 400, 20_000)), Long.toString(Seeds.random("rotations").nextLong()));
    }
}
