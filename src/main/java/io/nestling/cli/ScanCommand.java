/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.MergingCursor;
import io.nestling.index.Versions;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

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

    @Option(names = "--versions",
        description = "Print every version in the tables: key TAB sequence number TAB kind TAB value or operand, one a line, "
            + "from new to old (with --reverse from old to new); an expiring value with its expiry. Range tombstones are "
            + "neither printed nor applied.")
    private boolean versions;

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
            EntryCursor cursor = BoundedCursor.of(versions ? allVersions(tables) : tables.scan(), first, end)) {
            print(cursor, limit == null ? Long.MAX_VALUE : limit);
        }
        return CommandLine.ExitCode.OK;
    }

    private static EntryCursor allVersions(final TableSet tables) {
        return MergingCursor.bySequence(
            tables.versions().stream().map(Versions::cursor).toArray(EntryCursor[]::new)); // which closes them
    }

    private static String describe(final EntryCursor cursor) {
        final String kind = cursor.kind().name().toLowerCase(Locale.ROOT);
        return cursor.sequence() + "\t" + kind + (cursor.kind() == EntryKind.EXPIRING ? " " + cursor.expiry() : "") + "\t";
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
            final int length = cursor.kind().isValue() ? cursor.valueLength() : 0;
            if (value.length < length) {
                value = new byte[Math.max(length, (int) Math.min(2L * value.length, 1 << 20))];
            }
            if (length > 0) {
                cursor.copyValue(value, 0);
            }
            KeyText.print(cursor.keyBuffer(), cursor.keyLength(), hex, out);
            out.write('\t');
            if (versions) {
                out.write(describe(cursor).getBytes(StandardCharsets.US_ASCII));
            }
            KeyText.print(value, length, hex, out);
            out.write('\n');
            left--;
            more = left > 0 && (reverse ? cursor.previous() : cursor.next());
        }
    }
}
