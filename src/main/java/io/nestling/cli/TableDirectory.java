/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;

/**
 * A directory that tables are added to, by one process at a time: it numbers files and writes on from what is
 * there.
 * <p>
 * {@link #nextTable} is called by one thread.
 */
final class TableDirectory implements AutoCloseable {
    private static final String LOCK_NAME = ".lock";

    private final Path directory;
    private final Path lockFile;
    private final FileChannel lock;
    private final long firstSequence;
    private long nextNumber;

    private TableDirectory(final Path directory, final FileChannel lock) throws IOException {
        this.directory = directory;
        this.lockFile = directory.resolve(LOCK_NAME);
        this.lock = lock;
        try (TableSet tables = TableSet.open(directory)) {
            firstSequence = Math.max(1, tables.greatestSequence() + 1);
            nextNumber = tables.nextNumber();
        }
    }

    /**
     * Makes the directory if it is not there, and locks it.
     *
     * @throws CommandException if that cannot be done, or a table in it is damaged
     */
    static TableDirectory open(final Path directory) {
        final FileChannel lock;
        try {
            if (!Files.isDirectory(directory)) { // unlike createDirectories, through symbolic links
                if (Files.exists(directory)) {
                    throw new NotDirectoryException(directory.toString());
                }
                Files.createDirectories(directory);
            }
            lock = lock(directory.resolve(LOCK_NAME));
        } catch (final IOException e) {
            throw new CommandException(
                "cannot write to directory " + directory + ": " + Messages.reason(e), e);
        }
        try {
            return new TableDirectory(directory, lock);
        } catch (final IOException e) {
            final CommandException failure =
                new CommandException("cannot add to directory " + directory + ": " + Messages.of(e), e);
            release(directory.resolve(LOCK_NAME), lock, failure);
            throw failure;
        }
    }

    /*
     * The owner of the lock deletes the file in the end. Someone else may have opened it before that and get
     * the lock afterwards: a lock on a file that no longer has the name. What it writes is not what stands
     * under the name then.
     */
    private static FileChannel lock(final Path file) throws IOException {
        final FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = null;
            try {
                lock = channel.tryLock();
            } catch (final OverlappingFileLockException e) {
                // Another load in this process; same as one in another process.
            }
            final byte[] mark = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
            if (lock != null) {
                channel.write(ByteBuffer.wrap(mark), 0);
            }
            if (lock == null || Files.notExists(file) || !Arrays.equals(mark, Files.readAllBytes(file))) {
                throw new IOException("another load is at work on it");
            }
            return channel;
        } catch (final IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sequence number for the first write: above all that is there. */
    long firstSequence() {
        return firstSequence;
    }

    /** The directory. */
    Path path() {
        return directory;
    }

    /** Name for the next table. */
    Path nextTable() {
        return TableSet.path(directory, nextNumber++);
    }

    /** Gives the directory free for others. */
    @Override
    public void close() {
        release(lockFile, lock, null);
    }

    /* A file that stays behind is in nobody's way. */
    private static void release(final Path file, final FileChannel lock, final Throwable failure) {
        try (lock) {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            if (failure != null) {
                failure.addSuppressed(e);
            }
        }
    }
}
