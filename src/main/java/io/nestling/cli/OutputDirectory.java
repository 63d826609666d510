/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.TableDirectory;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Opens directories to which tables are added. */
final class OutputDirectory {
    private OutputDirectory() {
    }

    /**
     * Creates a directory if it is absent, and locks it; throws a {@link CommandException} if that fails, or a table in it is
     * damaged.
     */
    static TableDirectory open(final Path directory) {
        try {
            if (!Files.isDirectory(directory)) { // unlike createDirectories, through symbolic links
                if (Files.exists(directory)) {
                    throw new NotDirectoryException(directory.toString());
                }
                Files.createDirectories(directory);
            }
            return TableDirectory.open(directory);
        } catch (final IOException e) {
            final boolean ofTable = !(e instanceof FileSystemException file) || file.getFile() != null
                && file.getFile().matches("(?s).*(\\.sst|" + TableDirectory.MANIFEST_NAME + ")");
            throw new CommandException(ofTable ? "cannot add to directory " + directory + ": " + Messages.of(e)
                : "cannot write to directory " + directory + ": " + Messages.reason(e), e);
        }
    }
}
