/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.SstableReader;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Reads whole tables and checks them. */
@Command(name = "verify", sortOptions = false,
    description = {"Read all tables of a directory and check every block, the order of keys, and what "
        + "tables say of themselves.", "",
        "Each damaged table is named with its first bad block; the exit code is 1 then.", ""})
final class VerifyCommand implements Callable<Integer> {
    private static final String TABLES = "*.sst";

    @CommandLine.ParentCommand
    private Main main;

    @Parameters(paramLabel = "DIR", description = "Directory with tables.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        final List<Path> tables = tables();
        long bytes = 0;
        for (final Path table : tables) {
            bytes += Files.size(table);
        }
        final List<String> problems = new ArrayList<>();
        long entries = 0;
        try (Progress progress = new Progress(main.console(), bytes)) {
            long before = 0;
            for (int i = 0; i < tables.size(); i++) {
                try {
                    entries += verify(tables, i, before, progress);
                } catch (final IOException e) {
                    problems.add(Messages.of(e));
                }
                before += Files.size(tables.get(i));
            }
        }
        final String counted = Figures.countOf(tables.size(), "table", "tables");
        if (problems.isEmpty()) {
            main.console().println(counted + ", " + Figures.countOf(entries, "entry", "entries") + ": ok");
            return CommandLine.ExitCode.OK;
        }
        problems.forEach(problem -> main.console().err().println("nestling verify: " + problem));
        main.console().println(counted + ", " + Figures.count(problems.size()) + " damaged");
        return CommandLine.ExitCode.SOFTWARE;
    }

    private List<Path> tables() throws IOException {
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        final List<Path> tables = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, TABLES)) {
            files.forEach(tables::add);
        }
        Collections.sort(tables);
        return tables;
    }

    private long verify(final List<Path> tables, final int i, final long before, final Progress progress)
        throws IOException {
        try (SstableReader reader = SstableReader.open(tables.get(i))) {
            reader.verify(bytes -> progress.update(before + bytes,
                () -> "table " + (i + 1) + " of " + tables.size()));
            return reader.entryCount();
        }
    }
}
