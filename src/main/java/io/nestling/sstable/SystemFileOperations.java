/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The file system itself. */
final class SystemFileOperations implements FileOperations {
    static final FileOperations INSTANCE = new SystemFileOperations();

    private static final boolean WINDOWS =
        System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    private SystemFileOperations() {
    }

    @Override
    public OutputFile open(final Path file) throws IOException {
        final FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            lock(channel, file);
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        return new ChannelFile(channel);
    }

    /*
     * The lock goes with the process, so a file that a killed writer left behind is free. Whoever deletes or
     * renames the file holds its lock while doing so: if the name is gone once we have the lock, we hold a
     * file that someone else finished with.
     */
    private static void lock(final FileChannel channel, final Path file) throws IOException {
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (final OverlappingFileLockException e) {
            // Another writer of this process; same as one of another process.
        }
        if (lock == null || Files.notExists(file)) {
            throw new FileSystemException(file.toString(), null, "another writer is at work on this file");
        }
    }

    @Override
    public void rename(final Path from, final Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void forceDirectory(final Path directory) throws IOException {
        if (WINDOWS) {
            return; // A directory cannot be opened there; renames are journalled.
        }
        // The table has its name by now: an interrupt does not make its writing fail any more.
        boolean interrupted = false;
        while (true) {
            interrupted |= Thread.interrupted();
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
                return;
            } catch (final ClosedByInterruptException e) {
                interrupted = true;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public void delete(final Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    private static final class ChannelFile implements OutputFile {
        private final FileChannel channel;

        ChannelFile(final FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void truncate() throws IOException {
            channel.truncate(0);
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            return channel.write(source);
        }

        @Override
        public void force() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
