/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.SstableReader;
import io.nestling.sstable.TableDirectory;
import io.nestling.sstable.TableProperties;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Reads whole tables and checks them. */
@Command(name = "verify", sortOptions = false,
    description = {"Read all tables of a directory and check every block, the order of keys, and what "
        + "tables say of themselves.", "",
        "Each damaged table is named with its first bad block; the exit code is 1 then. Table files that are not in the "
            + "manifest of the directory are named too; without a manifest, tables whose sequence numbers overlap.", ""})
final class VerifyCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "Directory with tables.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        final List<Path> tables = TableSet.files(directory);
        long bytes = 0;
        for (final Path table : tables) {
            bytes += size(table);
        }
        final List<String> problems = new ArrayList<>();
        final Map<Path, TableProperties> properties = new LinkedHashMap<>();
        long entries = 0;
        long expiring = 0;
        long operands = 0;
        try (Progress progress = new Progress(console(), bytes)) {
            long before = 0;
            for (int i = 0; i < tables.size(); i++) {
                final Path table = tables.get(i);
                try (SstableReader reader = SstableReader.open(table)) {
                    verify(reader, "table " + (i + 1) + " of " + tables.size(), before, progress);
                    entries += reader.entryCount();
                    expiring += reader.properties().expiringCount();
                    operands += reader.properties().operandCount();
                    properties.put(table, reader.properties());
                } catch (final IOException e) {
                    problems.add(Messages.of(e));
                }
                before += size(table);
            }
        }
        for (final Path file : TableSet.unlistedFiles(directory)) {
            warn(file + " is not in the manifest and does not count; compact deletes it");
        }
        // A manifest has the order of tables; the outputs of one merge share sequence numbers, not keys.
        final boolean ordered = Files.exists(directory.resolve(TableDirectory.MANIFEST_NAME));
        for (final String overlap : ordered ? List.<String>of() : TableSet.sequenceOverlaps(properties)) {
            warn(overlap + ": of equal ones the later table counts");
        }
        final String counted = Figures.countOf(tables.size(), "table", "tables");
        if (problems.isEmpty()) {
            console().println(counted + ", " + Figures.countOf(entries, "entry", "entries")
                + (expiring == 0 ? "" : ", " + Figures.count(expiring) + " with an expiry")
                + (operands == 0 ? "" : ", " + Figures.countOf(operands, "operand", "operands")) + ": ok");
            return CommandLine.ExitCode.OK;
        }
        problems.forEach(this::warn);
        console().println(counted + ", " + Figures.count(problems.size()) + " damaged");
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns the size of a table for the progress; 0 if it is unknown, which opening the table will report. */
    private static long size(final Path table) {
        try {
            return Files.size(table);
        } catch (final IOException e) {
            return 0;
        }
    }

    private static void verify(final SstableReader reader, final String which, final long before, final Progress progress)
        throws IOException {
        reader.verify(bytes -> progress.update(before + bytes, () -> which));
    }
}
