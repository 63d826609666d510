/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The file system with one operation that fails, with short writes, or with a limit of bytes. */
final class FaultyFileOperations implements FileOperations {
    private final FileOperations operations = SystemFileOperations.INSTANCE;
    private final Predicate<String> failing;
    private final int longestWrite;
    private final long capacity;
    private long written;
    private int count;
    private final List<String> log = new ArrayList<>();
    private String failed;

    /**
     * Makes a faulty file system.
     *
     * @param failing tells by number and name, as in {@code 7 write}, whether an operation fails
     * @param longestWrite most bytes that one write takes
     * @param capacity bytes that fit
     */
    FaultyFileOperations(final Predicate<String> failing, final int longestWrite, final long capacity) {
        this.failing = failing;
        this.longestWrite = longestWrite;
        this.capacity = capacity;
    }

    /** Fails once, at the operation with a number. */
    static FaultyFileOperations failingAt(final int number) {
        return new FaultyFileOperations(operation -> operation.startsWith(number + " "), Integer.MAX_VALUE,
            Long.MAX_VALUE);
    }

    /** The operation that failed, or null. */
    String failed() {
        return failed;
    }

    /** Names of all operations so far. */
    List<String> log() {
        return log;
    }

    int count() {
        return count;
    }

    private void step(final String name) throws IOException {
        count++;
        log.add(name);
        if (failing.test(count + " " + name)) {
            failed = count + " " + name;
            throw new IOException("injected: " + failed);
        }
    }

    @Override
    public OutputFile open(final Path file) throws IOException {
        step("open");
        return new FaultyFile(operations.open(file));
    }

    @Override
    public void rename(final Path from, final Path to) throws IOException {
        step("rename");
        operations.rename(from, to);
    }

    @Override
    public void forceDirectory(final Path directory) throws IOException {
        step("forceDirectory");
        operations.forceDirectory(directory);
    }

    private final class FaultyFile implements OutputFile {
        private final OutputFile file;

        FaultyFile(final OutputFile file) {
            this.file = file;
        }

        @Override
        public void truncate() throws IOException {
            step("truncate");
            file.truncate();
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            step("write");
            final long room = Math.min(longestWrite, capacity - written);
            if (room <= 0) {
                failed = count + " write";
                throw new FileSystemException("No space left on device");
            }
            final int limit = source.limit();
            source.limit((int) Math.min(limit, source.position() + room));
            try {
                final int bytes = file.write(source);
                written += bytes;
                return bytes;
            } finally {
                source.limit(limit);
            }
        }

        @Override
        public void force() throws IOException {
            step("force");
            file.force();
        }

        @Override
        public void delete() throws IOException {
            step("delete");
            file.delete();
        }

        @Override
        public void close() throws IOException {
            try {
                step("close");
            } finally {
                file.close();
            }
        }
    }
}
