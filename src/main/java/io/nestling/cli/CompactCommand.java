/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.MergeOptions;
import io.nestling.sstable.MergeResult;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableReader;
import io.nestling.sstable.TableMerger;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Merges all tables of a directory. */
@Command(name = "compact", sortOptions = false,
    description = {"Merge all tables of a directory into as few as possible: without older versions of keys, deleted keys and "
        + "tombstones.", "",
        "Tables that are read meanwhile stay as they are until the merge is complete; the disk needs room for both. An error "
            + "leaves the directory as it was. Table files that do not count, such as those of a process that was killed, are "
            + "deleted at the end.", ""})
final class CompactCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "Directory with tables.")
    private Path directory;

    @Option(names = "--table-size", paramLabel = "SIZE", defaultValue = "256m", converter = ByteSize.class,
        description = "Size at which the next table begins, such as 64m or 1.5g (default: ${DEFAULT-VALUE}).")
    private long tableBytes;

    @Option(names = "--rate", paramLabel = "SIZE", converter = ByteSize.class,
        description = "Most bytes of keys and values to read a second, such as 50m (default: no limit).")
    private Long rate;

    @Override
    public Integer call() throws IOException {
        if (tableBytes < 1) {
            throw wrong("--table-size " + tableBytes + " is less than 1 byte");
        }
        if (rate != null && rate < 1) {
            throw wrong("--rate " + rate + " is less than 1 byte a second");
        }
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            try (TableSet tables = live.acquire()) {
                if (tables.readers().isEmpty()) {
                    console().println("0 tables");
                } else {
                    merge(live, tables.readers());
                }
            }
            for (final Path deleted : live.directory().deleteUnlisted()) {
                warn(deleted + " was no table of the directory: deleted");
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void merge(final LiveTableSet live, final List<SstableReader> inputs) throws IOException {
        long fileBytes = 0;
        for (final SstableReader input : inputs) {
            fileBytes += input.fileBytes();
        }
        // All tables come from memtables with the same index, or the name says nothing.
        final String index = inputs.get(0).properties().indexKind();
        final MergeOptions options = MergeOptions.defaults().withMaxTableBytes(tableBytes)
            .withBytesPerSecond(rate == null ? MergeOptions.UNLIMITED : rate)
            .withTables(SstableOptions.defaults().withIndexKind(index));
        final long bytes = TableMerger.inputBytes(inputs);
        final MergeResult result;
        try (Progress progress = new Progress(console(), bytes)) {
            result = live.merge(inputs, options, done -> progress.update(done,
                () -> Figures.bytes(done) + " of " + Figures.bytes(bytes)));
        }
        console().println(summary(inputs.size(), result.inputEntries(), fileBytes) + " merged into "
            + summary(result.tables().size(), result.entries(), result.fileBytes()));
    }

    private static String summary(final int tables, final long entries, final long bytes) {
        return Figures.countOf(tables, "table", "tables") + ", " + Figures.countOf(entries, "entry", "entries") + ", "
            + Figures.bytes(bytes);
    }
}
