/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a directory with the tables of a set, as hard links where the file system has them, else as copies.
 * <p>
 * It is written under a temporary name and then renamed:
 * <ol>
 * <li>A sibling named <i>name</i>{@code .lock} keeps others from the same name, while what a killed process left under the
 * temporary name is deleted, and until the end.</li>
 * <li>The tables are on the device already; a copy is forced. The manifest comes last, and forces the names of all.</li>
 * <li>The rename makes the directory visible as a whole. Then the name is forced to the device.</li>
 * </ol>
 * <h2>Thread safety</h2>
 * One thread, once.
 */
final class Checkpoint {
    private static final String LOCK_SUFFIX = ".lock";
    /** Suffix of a directory that is being written, which no finished one has. */
    static final String UNFINISHED_SUFFIX = ".unfinished-checkpoint";
    private static final int COPY_BYTES = 1 << 20;

    private final Path target;
    private final Path temporary;
    private final FileOperations operations;

    private Checkpoint(final Path target, final FileOperations operations) {
        this.target = target;
        this.temporary = target.resolveSibling(target.getFileName() + UNFINISHED_SUFFIX);
        this.operations = operations;
    }

    /** Writes the tables of a set, which stay open meanwhile, to a directory that does not exist. */
    static void write(final TableSet tables, final Path directory, final FileOperations operations) throws IOException {
        final Path target = directory.toAbsolutePath().normalize();
        if (target.toString().endsWith(UNFINISHED_SUFFIX)) {
            throw new IllegalArgumentException(
                "expected a checkpoint whose name does not end with " + UNFINISHED_SUFFIX + " but was " + target);
        }
        checkAbsent(target);
        Manifest.checkDirectory(target.getParent());
        final LockedFile lock = LockedFile.tryOpen(target.resolveSibling(target.getFileName() + LOCK_SUFFIX));
        if (lock == null) {
            throw new FileSystemException(target.toString(), null, "another checkpoint with this name is being written");
        }
        try {
            new Checkpoint(target, operations).write(tables);
        } finally {
            try {
                lock.delete();
            } catch (final IOException e) {
                // The file stays, unlocked, which does no harm.
            }
        }
    }

    private static void checkAbsent(final Path target) throws IOException {
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString(), null, "a checkpoint replaces nothing");
        }
    }

    private void write(final TableSet tables) throws IOException {
        checkAbsent(target); // again, since no other checkpoint can be renamed to it any more
        deleteTemporary();
        try {
            operations.createDirectory(temporary);
            final List<Long> numbers = new ArrayList<>();
            for (final SstableReader reader : tables.readers()) {
                final long number = Manifest.numberOf(reader.path());
                numbers.add(number);
                linkOrCopy(reader.path(), TableSet.path(temporary, number));
            }
            final Manifest manifest = new Manifest(true, numbers, tables.nextNumber(), tables.greatestSequence());
            try (PendingFile pending = new PendingFile(temporary.resolve(Manifest.NAME), operations)) {
                manifest.write(pending);
                pending.rename();
                pending.forceName();
            }
            operations.rename(temporary, target);
            operations.forceDirectory(target.getParent());
        } catch (final IOException e) {
            abandon(e);
            throw new IOException("cannot write checkpoint " + target + ": " + e.getMessage(), e);
        } catch (final RuntimeException | Error e) {
            abandon(e);
            throw e;
        }
    }

    private void linkOrCopy(final Path table, final Path name) throws IOException {
        try {
            operations.link(name, table);
        } catch (final IOException | UnsupportedOperationException e) {
            try {
                operations.delete(name); // if the link was made nevertheless: a copy would overwrite the table
                copy(table, name);
            } catch (final IOException failure) {
                failure.addSuppressed(e);
                throw failure;
            }
        }
    }

    private void copy(final Path table, final Path name) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
        try (FileOperations.InputFile source = operations.openToRead(table);
            FileOperations.OutputFile copy = operations.open(name)) {
            long position = 0;
            for (int read = source.read(buffer, 0); read >= 0; read = source.read(buffer, position)) {
                position += read;
                buffer.flip();
                copy.writeAll(buffer);
                buffer.clear();
            }
            copy.force();
        }
    }

    private void abandon(final Throwable failure) {
        try {
            deleteTemporary(); // nothing if it was renamed
        } catch (final IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Deletes the temporary directory, unless it has files that no checkpoint writes. */
    private void deleteTemporary() throws IOException {
        if (!Files.exists(temporary, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.isDirectory(temporary, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(temporary.toString());
        }
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(temporary)) {
            found.forEach(files::add);
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        for (final Path file : files) {
            final String name = file.getFileName().toString();
            if (Manifest.numberOf(file) < 0 && !name.equals(Manifest.NAME)
                && !name.equals(Manifest.NAME + PendingFile.TEMPORARY_SUFFIX)) {
                throw new DirectoryNotEmptyException(temporary.toString()); // before anything is deleted
            }
        }
        for (final Path file : files) {
            operations.delete(file);
        }
        operations.delete(temporary);
    }
}
