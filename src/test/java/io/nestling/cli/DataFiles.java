/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import net.jpountz.lz4.LZ4FrameOutputStream;

import io.nestling.sstable.TableDirectory;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Files that tests give to commands, and what these leave. */
final class DataFiles {
    private DataFiles() {
    }

    /** Writes text, one byte a character, packed as the name says. */
    static Path write(final Path file, final String content) throws IOException {
        final String name = file.toString();
        try (OutputStream raw = Files.newOutputStream(file);
            OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(raw)
                : name.endsWith(".lz4") ? new LZ4FrameOutputStream(raw) : raw) {
            out.write(content.getBytes(StandardCharsets.ISO_8859_1));
        }
        return file;
    }

    /** Writes lines. */
    static Path write(final Path file, final List<String> lines) throws IOException {
        return write(file, lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }

    /** Lines of many keys with values, in no order: {@code key-000421 TAB value of 421}. */
    static List<String> manyLines(final int count) {
        final List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long key = i * 1_000_003L % count;
            lines.add(String.format(Locale.ROOT, "some/key-%06d\tvalue of %d", key, key));
        }
        return lines;
    }

    /** Names of all files of a directory but the manifest, in order; none if it is not there. */
    static List<String> names(final Path directory) throws IOException {
        if (Files.notExists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                .filter(name -> !name.equals(TableDirectory.MANIFEST_NAME)).sorted().toList();
        }
    }

    /** The real data set of the project. */
    static Path debianPaths() {
        return root().resolve("datasets").resolve("debian-paths-100k.tsv.gz");
    }

    /** The root of the project. */
    static Path root() {
        return Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    }
}
