/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.PointIndex;
import io.nestling.sstable.Lz4Frames;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.DatasetReader;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * A text file with keys, which may be packed: {@code .gz}, {@code .lz4}.
 * <p>
 * Used by one thread.
 */
final class InputFile {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final String GZIP_SUFFIX = ".gz";
    private static final String LZ4_SUFFIX = ".lz4";
    private static final String TABLE_SUFFIX = ".sst";
    private static final long MOST_PACKED = 64;

    private final Path path;
    private long bytesRead;

    private InputFile(final Path path) {
        this.path = path;
    }

    /**
     * Looks whether a file can be read.
     *
     * @throws FileSystemException if not
     */
    static InputFile of(final Path path) throws FileSystemException {
        final String name = path.toString();
        if (!Files.exists(path)) {
            throw new NoSuchFileException(name);
        }
        if (Files.isDirectory(path)) {
            throw new FileSystemException(name, null, "is a directory, not a file with keys");
        }
        if (!Files.isReadable(path)) {
            throw new AccessDeniedException(name);
        }
        if (lowerCaseName(path).endsWith(TABLE_SUFFIX)) {
            throw new FileSystemException(name, null, "is a table, not a text file with keys");
        }
        return new InputFile(path);
    }

    /** Looks whether files can be read. */
    static List<InputFile> of(final List<Path> paths) throws FileSystemException {
        final List<InputFile> files = new ArrayList<>();
        for (final Path path : paths) {
            files.add(of(path));
        }
        return files;
    }

    /** Bytes of files on the disk. */
    static long totalBytes(final List<InputFile> files) throws IOException {
        long total = 0;
        for (final InputFile file : files) {
            total += Files.isRegularFile(file.path) ? Files.size(file.path) : 0;
        }
        return total;
    }

    /** Bytes of text in the file, about as much at most: a packed one is taken to hold up to 64 times its size. */
    long mostTextBytes() throws IOException {
        if (!Files.isRegularFile(path)) {
            return Long.MAX_VALUE;
        }
        final String name = lowerCaseName(path);
        return Files.size(path) * (name.endsWith(GZIP_SUFFIX) || name.endsWith(LZ4_SUFFIX) ? MOST_PACKED : 1);
    }

    /** Bytes of the file on the disk that have been read so far. */
    long bytesRead() {
        return bytesRead;
    }

    /**
     * Begins to read.
     *
     * @param format what a line holds; null to take it from the name
     * @param maxValueBytes longest value
     */
    DatasetReader reader(final DatasetFormat format, final int maxValueBytes) {
        return new DatasetReader(path.toString(), this::open,
            format != null ? format : DatasetFormat.ofFileName(nameWithoutPacking()),
            PointIndex.MAX_KEY_BYTES, maxValueBytes);
    }

    private InputStream open() throws IOException {
        final InputStream file = new Counting(Files.newInputStream(path));
        try {
            final String name = lowerCaseName(path);
            if (name.endsWith(GZIP_SUFFIX)) {
                return new GZIPInputStream(file, BUFFER_BYTES);
            }
            return name.endsWith(LZ4_SUFFIX)
                ? Lz4Frames.open(new BufferedInputStream(file, BUFFER_BYTES)) : file;
        } catch (final IOException e) {
            file.close();
            throw e;
        }
    }

    private String nameWithoutPacking() {
        final String name = lowerCaseName(path);
        for (final String suffix : List.of(GZIP_SUFFIX, LZ4_SUFFIX)) {
            if (name.endsWith(suffix)) {
                return name.substring(0, name.length() - suffix.length());
            }
        }
        return name;
    }

    private static String lowerCaseName(final Path path) {
        return String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    }

    private final class Counting extends FilterInputStream {
        Counting(final InputStream file) {
            super(file);
        }

        @Override
        public int read() throws IOException {
            final int value = in.read();
            bytesRead += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            final int count = in.read(target, offset, length);
            bytesRead += Math.max(count, 0);
            return count;
        }
    }
}
