/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.PointIndex;
import io.nestling.sstable.Lz4Frames;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.DatasetReader;
import io.nestling.workload.GzipReader;
import io.nestling.workload.Packing;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
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

/**
 * A text file with keys, possibly packed ({@code .gz}, {@code .lz4}), or the standard input.
 * <p>
 * Not thread-safe.
 */
final class InputFile {
    private static final int BUFFER_BYTES = 1 << 16;
    /** Denotes the standard input. */
    static final Path STANDARD_INPUT = Path.of("-");
    private static final String TABLE_SUFFIX = ".sst";
    private static final long MAX_PACKING_FACTOR = 64;

    private final Path path;
    private final String fileName;
    private final Packing packing;
    private long bytesRead;

    private InputFile(final Path path) {
        this.path = path;
        this.fileName = String.valueOf(path.getFileName());
        this.packing = Packing.ofFileName(fileName);
    }

    /** Returns a file after checking that it can be read; {@code -} stands for the standard input. */
    static InputFile of(final Path path) throws FileSystemException {
        final InputFile file = new InputFile(path);
        if (file.isStandardInput()) {
            return file;
        }
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
        if (file.fileName.toLowerCase(Locale.ROOT).endsWith(TABLE_SUFFIX)) {
            throw new FileSystemException(name, null, "is a table, not a text file with keys");
        }
        return file;
    }

    /** Returns files after checking that they can be read. */
    static List<InputFile> of(final List<Path> paths) throws FileSystemException {
        final List<InputFile> files = new ArrayList<>();
        for (final Path path : paths) {
            files.add(of(path));
        }
        return files;
    }

    private boolean isStandardInput() {
        return path.equals(STANDARD_INPUT);
    }

    /** Returns the name of the file for messages. */
    String name() {
        return isStandardInput() ? "(standard input)" : path.toString();
    }

    /** Returns the total size of files on the disk. */
    static long totalBytes(final List<InputFile> files) throws IOException {
        long total = 0;
        for (final InputFile file : files) {
            total += file.isRegular() ? Files.size(file.path) : 0;
        }
        return total;
    }

    private boolean isRegular() {
        return !isStandardInput() && Files.isRegularFile(path);
    }

    /** Returns an upper bound, about, of the text in the file: up to 64 times its size if it is packed. */
    long maxTextBytes() throws IOException {
        return isRegular() ? Files.size(path) * (packing == Packing.NONE ? 1 : MAX_PACKING_FACTOR) : Long.MAX_VALUE;
    }

    /** Returns the number of bytes of the file on the disk that have been read so far. */
    long bytesRead() {
        return bytesRead;
    }

    /** Opens a reader of the file; a format of null is derived from the name. */
    DatasetReader reader(final DatasetFormat format, final int maxValueBytes) {
        return new DatasetReader(name(), this::open,
            format != null ? format : DatasetFormat.ofFileName(packing.plainName(fileName)),
            PointIndex.MAX_KEY_BYTES, maxValueBytes);
    }

    private InputStream open() throws IOException {
        final InputStream file =
            new Counting(isStandardInput() ? new FileInputStream(FileDescriptor.in) : Files.newInputStream(path));
        try {
            final InputStream checked = packing.checked(file);
            return switch (packing) {
                case NONE -> checked;
                case GZIP -> new GzipReader(checked);
                case LZ4 -> Lz4Frames.open(new BufferedInputStream(checked, BUFFER_BYTES));
            };
        } catch (final IOException e) {
            file.close();
            throw e;
        }
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

        /* Not forwarded, since a channel on a pipe fails here on JDK 17. */
        @Override
        public int available() {
            return 0;
        }
    }
}
