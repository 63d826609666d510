/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs commands one after the other and prints what must be the same in every environment. */
final class CommandSequence {
    private static final int KEYS = 3_000;

    private CommandSequence() {
    }

    /**
     * Runs the commands and prints the result.
     *
     * @param args an empty directory
     */
    public static void main(final String[] args) throws IOException {
        System.out.write(run(Path.of(args[0])).getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    /** Returns exit codes, outputs and messages of all commands. */
    static String run(final Path directory) throws IOException {
        final StringBuilder result = new StringBuilder();
        final Path input = Files.move(DataFiles.write(directory.resolve("input.tsv.gz"), DataFiles.manyLines(KEYS)),
            directory.resolve("INPUT.TSV.GZ"));
        final String tables = directory.resolve("tables").toString();
        for (final String index : List.of("TRIE", "CUCKOO_TRIE", "WORMHOLE", "MLP_INDEX", "SKIP_LIST", "COCUCKOO")) {
            final Outcome loaded = Outcome.of("load", input.toString(), "--index", index, "--format", "TSV", "--memory", "2MIB",
                "--shards", "2", "--out", tables);
            result.append("load ").append(loaded.exitCode()).append(loaded.err()).append('\n');
            result.append("inspect ").append(Outcome.of("inspect", input.toString(), "--index", index).exitCode()).append('\n');
        }
        append(result, directory, "inspect", input.toString());
        result.append(DataFiles.names(Path.of(tables))).append('\n');
        append(result, directory, "get", tables, "some/key-000042", "absent");
        append(result, directory, "scan", tables, "--from", "some/key-000123", "--limit", "5");
        append(result, directory, "scan", tables, "--reverse", "--hex", "--limit", "5");
        append(result, directory, "verify", tables);
        append(result, directory, "load", input.toString(), "--memory", "1g", "--shards", "1025");
        append(result, directory, "load", input.toString(), "--memory", "1I");
        append(result, directory, "verify", directory.resolve("absent").toString());
        append(result, directory, "--help");
        final Path damaged = Files.write(Path.of(tables, "000007.sst"), new byte[100_000]);
        append(result, directory, "verify", tables);
        Files.delete(damaged);
        return result.toString();
    }

    private static void append(final StringBuilder result, final Path directory, final String... args) {
        final Outcome outcome = Outcome.of(args);
        result.append(args[0]).append(' ').append(outcome.exitCode()).append('\n')
            .append((outcome.text() + outcome.err()).replace(directory.toString(), "."));
    }
}
