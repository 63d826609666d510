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
 * A file on its way to its name: written under a temporary one, then renamed. Nothing that has the final name
 * is ever overwritten; what a killed process left under the temporary name is.
 */
final class PendingFile implements AutoCloseable {
    static final String TEMPORARY_SUFFIX = ".tmp";

    private final Path path;
    private final Path temporary;
    private final FileOperations operations;
    private final FileOperations.OutputFile file;
    private boolean renamed;

    /** Opens the temporary file for an absolute path. */
    PendingFile(final Path path, final FileOperations operations) throws IOException {
        this.path = path;
        this.operations = operations;
        temporary = path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
        checkAbsent();
        file = operations.open(temporary);
        try {
            checkAbsent(); // Now that nobody else can be about to publish it.
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

    private void checkAbsent() throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(path.toString(), null, "a table is never overwritten");
        }
    }

    /** The final name. */
    Path path() {
        return path;
    }

    FileOperations.OutputFile file() {
        return file;
    }

    /** Gives the file, whose content is on the device by now, its name. */
    void rename() throws IOException {
        checkAbsent();
        operations.rename(temporary, path);
        renamed = true;
    }

    boolean renamed() {
        return renamed;
    }

    /** Makes the name survive a crash, and closes the file. */
    void settle() throws IOException {
        operations.forceDirectory(path.getParent());
        file.close();
    }

    /** Closes the file, and removes it unless it has its name. */
    @Override
    public void close() throws IOException {
        // Removed before the lock on it goes with the open file.
        try (file) {
            if (!renamed) {
                file.delete();
            }
        }
    }
}
