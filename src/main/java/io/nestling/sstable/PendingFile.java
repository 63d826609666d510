/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A file that is written under a temporary name and then renamed. It overwrites a file with the final name only if it is made to
 * replace one; it overwrites what a killed process left under the temporary name.
 */
final class PendingFile implements AutoCloseable {
    static final String TEMPORARY_SUFFIX = ".tmp";

    private final Path path;
    private final Path temporary;
    private final FileOperations operations;
    private final FileOperations.OutputFile file;
    private final boolean replaces;
    private boolean renamed;

    /** Opens the temporary file for an absolute path. */
    PendingFile(final Path path, final FileOperations operations) throws IOException {
        this(path, operations, false);
    }

    private PendingFile(final Path path, final FileOperations operations, final boolean replaces) throws IOException {
        this.path = path;
        this.replaces = replaces;
        this.operations = operations;
        temporary = path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
        checkAbsent();
        file = operations.open(temporary);
        try {
            checkAbsent(); // again, since no other writer can rename a file to it any more
            file.truncate();
        } catch (final IOException e) {
            try (file) {
                file.delete();
            } catch (final IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Opens the temporary file for an absolute path, whose file it will replace. */
    static PendingFile replacing(final Path path, final FileOperations operations) throws IOException {
        return new PendingFile(path, operations, true);
    }

    private void checkAbsent() throws IOException {
        if (!replaces && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(path.toString(), null, "a table is never overwritten");
        }
    }

    /** Returns the final name. */
    Path path() {
        return path;
    }

    FileOperations.OutputFile file() {
        return file;
    }

    /** Renames the file, whose content is on the device, to its final name. */
    void rename() throws IOException {
        checkAbsent();
        operations.rename(temporary, path);
        renamed = true;
    }

    boolean renamed() {
        return renamed;
    }

    /** Forces the final name to the device and closes the file. */
    void forceName() throws IOException {
        operations.forceDirectory(path.getParent());
        file.close();
    }

    /** Closes the file, and deletes it unless it has its final name. */
    @Override
    public void close() throws IOException {
        // Deleted before closing releases the lock.
        try (file) {
            if (!renamed) {
                file.delete();
            }
        }
    }
}
