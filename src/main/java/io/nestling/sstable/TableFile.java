/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/**
 * A file that any number of threads read by position.
 * <p>
 * An interrupt of a reading thread closes the channel for all readers: that is how file channels work. So a thread's
 * interrupt status is cleared before it reads, and set again afterwards. After an interrupt during a read, the channel is
 * opened again and the read repeated. If the name denotes another file by then, the read fails.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class TableFile implements AutoCloseable {
    private final Path path;
    private final Object identity;
    private final long size;
    private final FileOperations operations;
    private volatile FileOperations.InputFile channel;
    private volatile boolean closed;

    TableFile(final Path path, final FileOperations operations) throws IOException {
        this.path = path;
        this.operations = operations;
        this.channel = operations.openToRead(path);
        try {
            final BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            this.identity = identityOf(attributes);
            this.size = attributes.size();
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    Path path() {
        return path;
    }

    /** Returns the size of the file when it was opened. */
    long size() {
        return size;
    }

    /** Reads bytes; throws a {@link CorruptTableException} if the file ends before the last one. */
    void read(final long position, final byte[] destination, final int offset, final int length) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            int done = 0;
            while (done < length) {
                final FileOperations.InputFile source = channel;
                try {
                    final int count = source.read(ByteBuffer.wrap(destination, offset + done, length - done), position + done);
                    if (count < 0) {
                        throw CorruptTableException.ofFile(path, "the file ends before " + (position + length)
                            + ", where a read from " + position + " ends; it had " + size
                            + " bytes when opened");
                    }
                    done += count;
                } catch (final ClosedChannelException e) {
                    interrupted |= e instanceof ClosedByInterruptException;
                    interrupted |= Thread.interrupted();
                    reopen(source, e);
                }
            }
        } catch (final CorruptTableException e) {
            throw e;
        } catch (final IOException e) {
            throw new IOException("cannot read table " + path + " at " + position + ": " + e.getMessage(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen(final FileOperations.InputFile broken, final ClosedChannelException cause)
        throws IOException {
        if (closed) {
            throw closedException(cause);
        }
        if (channel != broken) {
            return;
        }
        final FileOperations.InputFile opened = operations.openToRead(path);
        try {
            final BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (!Objects.equals(identity, identityOf(attributes)) || attributes.size() != size) {
                throw new IOException("an interrupt closed it, and its name is another file's now", cause);
            }
        } catch (final IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        channel = opened;
    }

    /** Returns an object that distinguishes this file from another one with the same name. */
    private static Object identityOf(final BasicFileAttributes attributes) {
        return attributes.fileKey() != null ? attributes.fileKey() : attributes.creationTime();
    }

    void checkOpen() {
        if (closed) {
            throw closedException(null);
        }
    }

    private IllegalStateException closedException(final Throwable cause) {
        return new IllegalStateException("table " + path + " is closed", cause);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        channel.close();
    }
}
