/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;

/** The operations of the real file system. */
final class SystemFileOperations implements FileOperations {
    static final FileOperations INSTANCE = new SystemFileOperations();

    private static final boolean WINDOWS = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    private SystemFileOperations() {
    }

    @Override
    public OutputFile open(final Path file) throws IOException {
        final LockedFile locked = LockedFile.tryOpen(file);
        if (locked == null) {
            throw new FileSystemException(file.toString(), null, "another writer is at work on this file");
        }
        return new ChannelFile(locked);
    }

    @Override
    public InputFile openToRead(final Path file) throws IOException {
        if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
        return new ChannelInput(FileChannel.open(file, StandardOpenOption.READ));
    }

    private record ChannelInput(FileChannel channel) implements InputFile {
        @Override
        public int read(final ByteBuffer destination, final long position) throws IOException {
            return channel.read(destination, position);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public void createDirectory(final Path directory) throws IOException {
        Files.createDirectory(directory);
    }

    @Override
    public void link(final Path name, final Path file) throws IOException {
        Files.createLink(name, file);
    }

    @Override
    public void rename(final Path from, final Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(final Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void forceDirectory(final Path directory) throws IOException {
        if (WINDOWS) {
            return; // A directory cannot be opened there; renames are journaled.
        }
        // The table has its final name: an interrupt no longer makes the write fail.
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

    private record ChannelFile(LockedFile locked) implements OutputFile {
        @Override
        public void truncate() throws IOException {
            locked.channel().truncate(0);
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            return locked.channel().write(source);
        }

        @Override
        public void force() throws IOException {
            locked.channel().force(true);
        }

        @Override
        public void delete() throws IOException {
            locked.delete();
        }

        @Override
        public void close() throws IOException {
            locked.close();
        }
    }
}
