/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * A directory of tables that one owner at a time, of all processes, changes. Its manifest names the tables that count; each
 * change writes a new manifest, forces it to the device and renames it over the old one, so that a crash leaves one of the two. A
 * directory without a manifest gets one before its first new table. It continues the numbers of the tables and their sequence
 * numbers. It keeps no table open: {@link LiveTableSet} does.
 * <p>
 * A change that fails before the rename leaves everything as it was. One that fails later may or may not outlive a crash; then no
 * further change is taken until the directory is opened again, and no table is deleted.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class TableDirectory implements AutoCloseable {
    /** Name of the manifest. */
    public static final String MANIFEST_NAME = Manifest.NAME;

    private static final String LOCK_NAME = ".lock";

    private final Path path;
    private final FileOperations operations;
    private final LockedFile lock;
    private final List<Path> unlisted;
    private final long firstNumber;
    private Manifest manifest;
    private long nextNumber;
    private Throwable failure;
    private boolean closed;

    private TableDirectory(
        final Path path, final FileOperations operations, final LockedFile lock, final BlockCache cache,
        final Consumer<SstableReader> readers) throws IOException {
        this.path = path;
        this.operations = operations;
        this.lock = lock;
        final Manifest found = Manifest.read(path);
        long greatestSequence = found.greatestSequence();
        try {
            for (final long table : found.tables()) {
                final SstableReader reader = SstableReader.open(TableSet.path(path, table), operations, cache);
                readers.accept(reader);
                greatestSequence = Math.max(greatestSequence, reader.properties().greatestSequence());
            }
        } catch (final NoSuchFileException e) {
            throw TableSet.missing(found, e);
        }
        unlisted = found.unlisted(path);
        long number = found.nextNumber();
        for (final Path file : unlisted) {
            number = Math.max(number, Manifest.numberOf(file) + 1);
        }
        firstNumber = number;
        nextNumber = number;
        unlisted.addAll(Manifest.temporaryFiles(path));
        manifest = new Manifest(found.stored(), found.tables(), nextNumber, greatestSequence);
    }

    /**
     * Locks a directory, and opens and closes each of its tables.
     *
     * @param directory the directory, which must exist
     * @return the directory, to be closed by the caller
     * @throws CorruptTableException if a table is damaged
     * @throws IOException if another owner has the directory, the manifest is damaged or of another version, or a table is
     *     missing or cannot be read
     */
    public static TableDirectory open(final Path directory) throws IOException {
        return open(directory, SystemFileOperations.INSTANCE, null, reader -> {
            try {
                reader.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Locks a directory, and passes on its open tables, the newest one first; the caller closes them, also after an error. */
    static TableDirectory open(
        final Path directory, final FileOperations operations, final BlockCache cache, final Consumer<SstableReader> readers)
        throws IOException {
        Manifest.checkDirectory(directory);
        final LockedFile lock = lock(directory);
        try {
            return new TableDirectory(directory, operations, lock, cache, readers);
        } catch (final IOException | RuntimeException | Error e) {
            try {
                lock.delete();
            } catch (final IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static LockedFile lock(final Path directory) throws IOException {
        final LockedFile lock = LockedFile.tryOpen(directory.resolve(LOCK_NAME));
        if (lock == null) {
            throw new FileSystemException(directory.toString(), null, "another load, compact or live set is at work on it");
        }
        try {
            // for people who find the file
            final byte[] owner = ("process " + ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            lock.channel().truncate(0).write(ByteBuffer.wrap(owner));
            return lock;
        } catch (final IOException e) {
            try {
                lock.delete();
            } catch (final IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /**
     * Returns the path of the directory.
     *
     * @return the path with which it was opened
     */
    public Path path() {
        return path;
    }

    /**
     * Returns the greatest sequence number that a table of the directory ever had; the next memtable begins with one more.
     *
     * @return the number, or 0 if no table had an entry
     */
    public synchronized long greatestSequence() {
        return manifest.greatestSequence();
    }

    /**
     * Returns the path of a new table. This directory gives its number to no other one. The table does not count before it is
     * added.
     *
     * @return the path, whose file does not exist
     * @throws IOException if the directory has no manifest and none can be written
     */
    public synchronized Path nextTable() throws IOException {
        checkUsable();
        if (!manifest.stored()) {
            publish(manifest.tables(), manifest.greatestSequence());
        }
        return TableSet.path(path, nextNumber++);
    }

    /**
     * Adds a complete table as the newest one.
     *
     * @param table a file in this directory, with a name of {@link #nextTable()}
     * @param properties its properties
     * @throws IllegalArgumentException if its sequence numbers are not above those of all tables before, its name is another
     *     one, or it was added already
     * @throws IOException if the manifest cannot be written
     */
    public synchronized void add(final Path table, final TableProperties properties) throws IOException {
        final long smallest = properties.smallestSequence();
        if (smallest >= 0 && smallest <= manifest.greatestSequence()) {
            throw new IllegalArgumentException("expected sequence numbers above " + manifest.greatestSequence() + " but was "
                + smallest + ": table " + table);
        }
        final List<Long> tables = new ArrayList<>(manifest.tables());
        tables.add(0, newNumber(table));
        change(tables, Math.max(manifest.greatestSequence(), properties.greatestSequence()));
    }

    /** Puts outputs, the newest one first, in the place of the newest of some inputs. */
    synchronized void replace(final List<Path> inputs, final List<Path> outputs) throws IOException {
        final List<Long> tables = new ArrayList<>(manifest.tables());
        int first = tables.size();
        for (final Path input : inputs) {
            final int at = tables.indexOf(Manifest.numberOf(input));
            if (at < 0) {
                throw new IllegalStateException("table " + input + " was replaced before");
            }
            first = Math.min(first, at);
            tables.remove(at);
        }
        for (int i = 0; i < outputs.size(); i++) {
            tables.add(first + i, newNumber(outputs.get(i)));
        }
        change(tables, manifest.greatestSequence());
    }

    private long newNumber(final Path table) {
        final long number = Manifest.numberOf(table);
        if (number < 0 || !TableSet.path(path, number).toAbsolutePath().equals(table.toAbsolutePath())) {
            throw new IllegalArgumentException("expected the path of a table in " + path + " but was " + table);
        }
        if (manifest.tables().contains(number) || number < firstNumber || number >= nextNumber) {
            throw new IllegalArgumentException("expected the path of a new table, by nextTable(), but was " + table);
        }
        return number;
    }

    private void change(final List<Long> tables, final long sequence) throws IOException {
        checkUsable();
        if (new HashSet<>(tables).size() < tables.size()) {
            throw new IllegalArgumentException("expected each table once but was " + tables);
        }
        publish(List.copyOf(tables), sequence);
    }

    private void publish(final List<Long> tables, final long sequence) throws IOException {
        final Manifest next = new Manifest(true, tables, nextNumber, sequence);
        boolean renaming = false;
        try (PendingFile pending = PendingFile.replacing(path.resolve(Manifest.NAME).toAbsolutePath(), operations)) {
            next.write(pending);
            renaming = true;
            pending.rename();
            pending.forceName();
        } catch (final IOException e) {
            failure = renaming ? e : null;
            throw new IOException("cannot write the manifest of " + path + ": " + e.getMessage(), e);
        } catch (final RuntimeException | Error e) {
            failure = renaming ? e : null;
            throw e;
        }
        manifest = next;
    }

    private void checkUsable() {
        if (closed) {
            throw new IllegalStateException("directory " + path + " is closed");
        }
        if (failure != null) {
            throw new IllegalStateException("directory " + path + " takes no change until it is opened again: a change of its "
                + "manifest failed half-way", failure);
        }
    }

    synchronized long nextNumber() {
        return nextNumber;
    }

    /**
     * Deletes a complete table that was not added. It stays if a change failed half-way, since the manifest may name it.
     *
     * @param table its file
     * @throws IllegalArgumentException if it was added
     * @throws IOException if it cannot be deleted
     */
    public synchronized void discard(final Path table) throws IOException {
        newNumber(table);
        if (failure == null) {
            operations.delete(table);
        }
    }

    /**
     * Deletes the table files that the manifest did not name when the directory was opened, and temporary files of tables.
     *
     * @return the deleted files
     * @throws IOException if one cannot be deleted, such as a temporary file that a writer has open
     */
    public synchronized List<Path> deleteUnlisted() throws IOException {
        checkUsable();
        final List<Path> deleted = new ArrayList<>();
        for (final Path file : unlisted) {
            final long number = Manifest.numberOf(file);
            if (!file.toString().endsWith(PendingFile.TEMPORARY_SUFFIX)) {
                operations.delete(file);
                deleted.add(file);
            } else if (number < firstNumber || number >= nextNumber) { // else a new table has overwritten it
                try (FileOperations.OutputFile temporary = operations.open(file)) {
                    temporary.delete();
                }
                deleted.add(file);
            }
        }
        unlisted.clear();
        return deleted;
    }

    /** Releases the lock of the directory. Closing twice does nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try {
                lock.delete();
            } catch (final IOException e) {
                // The file stays, unlocked, which does no harm.
            }
        }
    }
}
