/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.LockedFile;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A directory to which one process at a time adds tables. It continues the numbers of the existing files and the sequence
 * numbers of their entries.
 * <p>
 * Only one thread may call {@link #nextTable}.
 */
final class TableDirectory implements AutoCloseable {
    private static final String LOCK_NAME = ".lock";

    private final Path directory;
    private final LockedFile lock;
    private final long firstSequence;
    private long nextNumber;

    private TableDirectory(final Path directory, final LockedFile lock) throws IOException {
        this.directory = directory;
        this.lock = lock;
        try (TableSet tables = TableSet.open(directory)) {
            firstSequence = tables.greatestSequence() + 1;
            nextNumber = tables.nextNumber();
        }
    }

    /**
     * Creates the directory if it is absent, and locks it.
     *
     * @throws CommandException if that fails, or a table in it is damaged
     */
    static TableDirectory open(final Path directory) {
        final LockedFile lock;
        try {
            if (!Files.isDirectory(directory)) { // unlike createDirectories, through symbolic links
                if (Files.exists(directory)) {
                    throw new NotDirectoryException(directory.toString());
                }
                Files.createDirectories(directory);
            }
            lock = lock(directory.resolve(LOCK_NAME));
        } catch (final IOException e) {
            throw new CommandException("cannot write to directory " + directory + ": " + Messages.reason(e), e);
        }
        try {
            return new TableDirectory(directory, lock);
        } catch (final IOException e) {
            final CommandException failure =
                new CommandException("cannot add to directory " + directory + ": " + Messages.of(e), e);
            release(lock, failure);
            throw failure;
        }
    }

    private static LockedFile lock(final Path file) throws IOException {
        final LockedFile lock = LockedFile.tryOpen(file);
        if (lock == null) {
            throw new IOException("another load is at work on it");
        }
        try {
            // for people who find the file
            final byte[] owner = ("process " + ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            lock.channel().truncate(0).write(ByteBuffer.wrap(owner));
            return lock;
        } catch (final IOException e) {
            release(lock, e);
            throw e;
        }
    }

    /** Returns the sequence number of the first write: above those of all tables. */
    long firstSequence() {
        return firstSequence;
    }

    /** Returns the directory. */
    Path path() {
        return directory;
    }

    /** Returns the path of the next table. */
    Path nextTable() {
        return TableSet.path(directory, nextNumber++);
    }

    /** Releases the lock of the directory. */
    @Override
    public void close() {
        release(lock, null);
    }

    /* A file that could not be deleted does no harm. */
    private static void release(final LockedFile lock, final Throwable failure) {
        try {
            lock.delete();
        } catch (final IOException e) {
            if (failure != null) {
                failure.addSuppressed(e);
            }
        }
    }
}
