/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.catalog.IndexType;
import io.nestling.index.IndexInspection;
import io.nestling.workload.DatasetReader;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds an index and prints its structure or figures about it. */
@Command(name = "inspect", sortOptions = false,
    description = {"Build the index of a file's keys and show its structure.", ""})
final class InspectCommand extends Subcommand {
    private static final int DIGITS = 3;

    @Parameters(paramLabel = "FILE",
        description = "Text with a key, or key TAB value, a line; it may be packed: .gz, .lz4; "
            + "- is the standard input.")
    private Path path;

    @Option(names = "--index", paramLabel = "KIND", defaultValue = "trie",
        description = "Index to build (default: ${DEFAULT-VALUE}).")
    private IndexType index;

    @Option(names = "--dump", description = "Print the whole structure.")
    private boolean dump;

    @Option(names = "--json", description = "Print the figures as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (dump && json) {
            throw wrong("--dump and --json exclude each other");
        }
        final InputFile file = InputFile.of(path);
        try (IndexBuilder builder = new IndexBuilder(index, file.maxTextBytes())) {
            fill(builder, file);
            if (dump) {
                dump(builder);
            } else {
                print(file, builder);
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void fill(final IndexBuilder builder, final InputFile file) throws IOException {
        try (DatasetReader reader = file.reader(null, Integer.MAX_VALUE);
            Progress progress = new Progress(console(), InputFile.totalBytes(List.of(file)))) {
            while (reader.next()) {
                builder.add(reader.key());
                if (reader.lineNumber() == 1) {
                    InvisibleBytes.warn("nestling inspect: ", reader, console().err());
                }
                progress.update(file.bytesRead(), () -> Figures.count(builder.keys()) + " keys");
            }
        }
    }

    private void dump(final IndexBuilder builder) throws IOException {
        final Writer out = new BufferedWriter(new OutputStreamWriter(console().out(), StandardCharsets.UTF_8));
        inspection(builder).dump(out);
        out.flush();
    }

    private IndexInspection inspection(final IndexBuilder builder) {
        if (builder.index() instanceof IndexInspection inspection) {
            return inspection;
        }
        throw new CommandException("index " + index.indexName() + " cannot show its inside", null);
    }

    private void print(final InputFile file, final IndexBuilder builder) throws IOException {
        final Map<String, Object> figures = new LinkedHashMap<>();
        final long distinct = builder.index().entryCount();
        figures.put("file", file.name());
        figures.put("index", index.indexName());
        figures.put("keys", builder.keys());
        figures.put("distinctKeys", distinct);
        figures.put("keyBytes", builder.keyBytes());
        figures.put("keyBytesPerKey", Figures.rounded(Figures.per(builder.keyBytes(), builder.keys()), DIGITS));
        figures.put("indexBytes", builder.index().bytesUsed());
        figures.put("indexBytesPerKey", Figures.rounded(Figures.per(builder.index().bytesUsed(), distinct), DIGITS));
        if (json) {
            figures.put("structure", inspection(builder).figures());
            console().println(Json.of(figures));
            return;
        }
        figures.putAll(inspection(builder).figures());
        print(Figures.report(figures));
    }
}
