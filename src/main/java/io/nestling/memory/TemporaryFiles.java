/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Tells whether a private mapping of a sparse temporary file can serve as memory that is taken only as it is written. Such
 * a mapping never writes the file; what it reads of the file's holes is clean page cache, which the kernel takes back
 * when it needs it. Where temporary files lie in memory themselves, a hole that is read takes memory for good, and a
 * full file system is a fault in the middle of a write: there, buffers are allocated instead.
 */
final class TemporaryFiles {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");
    /** Whether temporary files lie on a disk. */
    static final boolean LAZY = onDisk();

    private TemporaryFiles() {
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
