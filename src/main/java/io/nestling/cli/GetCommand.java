/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints values of keys. */
@Command(name = "get", sortOptions = false,
    description = {"Print the newest value of each key, one a line.", "",
        "The exit code is 1 if a key is not there. Before a KEY that begins with '-' put '--'.", ""})
final class GetCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "DIR", description = "Directory with tables.")
    private Path directory;

    @Parameters(index = "1..*", paramLabel = "KEY", arity = "1..*", description = "Keys to look up.")
    private List<String> keys;

    @Option(names = "--hex", description = "Keys and values are hexadecimal digits.")
    private boolean hex;

    @Override
    public Integer call() throws IOException {
        final List<byte[]> parsed = keys.stream().map(key -> KeyText.parse(key, hex, commandLine())).toList();
        final Console console = console();
        int exitCode = CommandLine.ExitCode.OK;
        try (TableSet tables = TableSet.open(directory)) {
            for (int i = 0; i < parsed.size(); i++) {
                final byte[] value = tables.get(parsed.get(i));
                if (value == null) {
                    console.flush(); // keeps the order if both streams are the same file
                    warn("no key '" + keys.get(i) + "' in "
                        + Figures.countOf(tables.readers().size(), "table", "tables") + " of " + directory);
                    exitCode = CommandLine.ExitCode.SOFTWARE;
                } else {
                    final OutputStream out = console.out();
                    KeyText.print(value, value.length, hex, out);
                    out.write('\n');
                }
            }
        }
        return exitCode;
    }
}
