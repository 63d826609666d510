/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Maps sparse temporary files, and determines whether a private mapping of one can serve as memory that is taken only as it is
 * written. Such a mapping never writes the file; reading the file's holes fills clean page cache, which the kernel
 * reclaims when needed. If temporary files lie in memory themselves, a hole that is read takes memory for good, and a
 * full file system is a fault in the middle of a write: then buffers are allocated instead.
 */
final class TemporaryFiles {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");
    /** True if temporary files lie on a disk. */
    static final boolean LAZY = onDisk();

    private TemporaryFiles() {
    }

    /** A way to map an open file. */
    @FunctionalInterface
    interface Mapping<T> {
        /** Maps a file. */
        T of(FileChannel channel) throws IOException;
    }

    /**
     * Maps a new file, which has no name afterwards. If an interrupt closes the channel, mapping is repeated, and the thread is
     * interrupted afterwards.
     */
    static <T> T map(final Mapping<T> mapping) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                final Path file = Files.createTempFile("nestling", ".slab");
                try (FileChannel channel = FileChannel.open(file, READ, WRITE, DELETE_ON_CLOSE)) {
                    return mapping.of(channel);
                } catch (final ClosedByInterruptException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean onDisk() {
        try {
            final Path directory = Path.of(System.getProperty("java.io.tmpdir"));
            return Files.isWritable(directory) && !IN_MEMORY.contains(Files.getFileStore(directory).type());
        } catch (final IOException e) {
            return false;
        }
    }
}
