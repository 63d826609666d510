/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.bridge.NativeBridges;
import io.nestling.catalog.IndexType;
import io.nestling.testing.Effort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What memtables are charged with is what the process grows by, at each stage of a fill. */
@Tag("robustness")
@EnabledOnOs(OS.LINUX)
class ChargedMemoryTest {
    private static final int MINUTES = Effort.count(3, 20, 240);

    @TempDir
    private Path directory;

    /**
     * Seen to fail with steps of the budget in place of those of the slab (huge pages, first stages), without the charge for
     * objects on the heap (many memtables), and with 14,000 bytes in place of those that a Wormhole takes (many shards that
     * moved to it).
     */
    @Test
    void shouldChargeWhatIsTaken() throws Exception {
        if (Effort.current() == Effort.QUICK) {
            measure(NativeBridges.get().name(), "trie", "32", "2", "trie", "200x", "16", "1", "wormhole", "50x", "16", "200");
            return;
        }
        final List<IndexType> every = List.of(IndexType.values());
        measure(NativeBridges.get().name(), each(every, "4 8", "16 1", "64 4", "64 1", "200x 16 1", "200x 16 200"));
        measure(NativeBridges.get().name(), each(List.of(IndexType.TRIE, IndexType.COCUCKOO), "256 4"));
        final boolean isLong = Effort.current() == Effort.LONG;
        final List<IndexType> some = isLong ? every : List.of(IndexType.TRIE, IndexType.WORMHOLE);
        if (NativeBridges.get().isNative()) {
            measure("jni", each(some, "64 4", "200x 16 1"));
        }
        measure("java", each(some, "4 8", "64 4", "200x 16 1"));
        if (isLong) {
            measure("java", each(List.of(IndexType.WORMHOLE), "200x 16 200")); // each slab is a file there
        }
    }

    private static String[] each(final List<IndexType> indexes, final String... sizes) {
        final List<String> all = new ArrayList<>();
        for (final IndexType index : indexes) {
            for (final String size : sizes) {
                all.add(index.indexName());
                all.addAll(List.of(size.split(" ")));
            }
        }
        return all.toArray(new String[0]);
    }

    private void measure(final String bridge, final String... what) throws Exception {
        // No dead objects that a collection leaves where they are.
        final List<String> flags = List.of("-Xmx1g", "-XX:MarkSweepDeadRatio=0", "-Dio.nestling.bridge=" + bridge);
        ChildJvm.run(directory, MINUTES, ChargedMemory.class, flags, what);
    }
}
