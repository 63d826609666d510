/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints keys and values in order. */
@Command(name = "scan", sortOptions = false,
    description = {"Print keys and their newest values in key order: key TAB value, one a line.", ""})
final class ScanCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "Directory with tables.")
    private Path directory;

    @Option(names = "--from", paramLabel = "KEY", description = "Smallest key.")
    private String from;

    @Option(names = "--to", paramLabel = "KEY", description = "First key that is too great.")
    private String to;

    @Option(names = "--limit", paramLabel = "N", description = "Most keys to print.")
    private Long limit;

    @Option(names = "--reverse", description = "From the greatest key of the range to the smallest one.")
    private boolean reverse;

    @Option(names = "--hex", description = "Keys and values are hexadecimal digits.")
    private boolean hex;

    @Override
    public Integer call() throws IOException {
        if (limit != null && limit < 0) {
            throw wrong("--limit " + limit + " is negative");
        }
        final byte[] first = parse(from);
        final byte[] end = parse(to);
        try (TableSet tables = TableSet.open(directory);
            EntryCursor cursor = BoundedCursor.of(tables.scan(), first, end)) {
            print(cursor, limit == null ? Long.MAX_VALUE : limit);
        }
        return CommandLine.ExitCode.OK;
    }

    private byte[] parse(final String key) {
        return key == null ? null : KeyText.parse(key, hex, commandLine());
    }

    private void print(final EntryCursor cursor, final long most) throws IOException {
        final OutputStream out = console().out();
        byte[] value = new byte[0];
        long left = most;
        boolean more = left > 0 && (reverse ? cursor.last() : cursor.first());
        while (more) {
            final int length = cursor.valueLength();
            if (value.length < length) {
                value = new byte[Math.max(length, (int) Math.min(2L * value.length, 1 << 20))];
            }
            cursor.copyValue(value, 0);
            KeyText.print(cursor.keyBuffer(), cursor.keyLength(), hex, out);
            out.write('\t');
            KeyText.print(value, length, hex, out);
            out.write('\n');
            left--;
            more = left > 0 && (reverse ? cursor.previous() : cursor.next());
        }
    }
}
