/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A file that one owner at a time holds open for writing, in this process and among all others. The lock ends with the
 * process, so a file that a killed owner left behind is free.
 * <p>
 * An owner that deletes or renames the file does so while it holds the lock. Its process must not open and close the file
 * in another way meanwhile: on POSIX systems that releases the lock.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class LockedFile implements Closeable {
    /*
     * On POSIX systems a process loses every lock on a file as soon as it closes any descriptor of it. So no descriptor
     * of a held file may be closed except the owner's:
     *
     * 1. HELD is checked before a file is opened. Looking up the key of a file (its device and inode) opens nothing.
     * 2. HELD belongs to one class loader. The JDK's own table of locks belongs to the process and refuses a file that is
     *    held through another loader's copy of this class, but only once the file is open. That channel stays open in
     *    REFUSED, with the key of its file, until a later call finds the file free.
     * 3. If another process holds the lock, the channel is closed: this process has no lock to lose.
     */
    private static final Set<Object> HELD = new HashSet<>();
    private static final Map<FileChannel, Object> REFUSED = new HashMap<>();

    private final Path file;
    private final Object key;
    private final FileChannel channel;
    private boolean closed;

    private LockedFile(final Path file, final Object key, final FileChannel channel) {
        this.file = file;
        this.key = key;
        this.channel = channel;
    }

    /**
     * Opens a file, creates it if it is absent, and locks it. Its content stays.
     *
     * @param file the file
     * @return the file, to be closed by the caller; null if it has another owner
     * @throws FileSystemException if it is not a regular file but, for example, a link or a pipe
     * @throws IOException if it cannot be opened or locked
     */
    public static LockedFile tryOpen(final Path file) throws IOException {
        synchronized (HELD) {
            final Object before = keyOf(file);
            final LockedFile locked = HELD.contains(before) ? null : lock(file, before);
            if (locked != null) {
                HELD.add(locked.key);
            }
            return locked;
        }
    }

    /*
     * An owner that has finished deletes or renames the file and then closes it. A thread that opened the file before that
     * then gets the lock of a file that no longer has the name. So the name must denote the same file before the opening and
     * once the lock is held; the open channel prevents reuse of its inode number.
     */
    private static LockedFile lock(final Path file, final Object before) throws IOException {
        REFUSED.keySet().removeIf(LockedFile::closeIfFree);
        if (before != null && REFUSED.containsValue(before)) {
            return null;
        }
        final FileChannel channel = FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        Object key = before;
        boolean keep = false;
        try {
            key = before == null ? keyOf(file) : before;
            final boolean locked = channel.tryLock() != null && key != null && key.equals(keyOf(file));
            keep = locked;
            return locked ? new LockedFile(file, key, channel) : null;
        } catch (final OverlappingFileLockException e) {
            keep = true;
            REFUSED.put(channel, key);
            return null;
        } finally {
            if (!keep) {
                channel.close();
            }
        }
    }

    /** Closes a channel, unless this process holds its file, and returns whether it did. */
    private static boolean closeIfFree(final FileChannel channel) {
        try {
            channel.tryLock();
            channel.close();
        } catch (final OverlappingFileLockException e) {
            return false;
        } catch (final IOException e) {
            // The channel is not needed.
        }
        return true;
    }

    /** Returns an object that identifies the file with a name; null if there is none. */
    private static Object keyOf(final Path file) throws IOException {
        try {
            final BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw new FileSystemException(file.toString(), null, "not a regular file");
            }
            return attributes.fileKey() != null ? attributes.fileKey() : file.toRealPath();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Returns the open file.
     *
     * @return a channel for writing; an interrupt of a thread that uses it closes it and so releases the lock
     */
    public FileChannel channel() {
        return channel;
    }

    /**
     * Deletes the name of the file and closes it. The name stays if it denotes another file or has another owner by now, which
     * may happen after an interrupt: that closes the file and so releases the lock.
     *
     * @throws IOException if the name cannot be deleted
     */
    public void delete() throws IOException {
        synchronized (HELD) {
            try (this) {
                if (!closed && key.equals(keyOf(file))) {
                    delete(channel.isOpen() ? this : lock(file, key));
                }
            }
        }
    }

    private static void delete(final LockedFile locked) throws IOException {
        if (locked != null) {
            try {
                Files.deleteIfExists(locked.file);
            } finally {
                locked.channel.close();
            }
        }
    }

    /**
     * Closes the file and so releases the lock. Closing twice does nothing.
     *
     * @throws IOException if closing fails
     */
    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            if (!closed) {
                closed = true;
                HELD.remove(key);
                channel.close();
            }
        }
    }
}
