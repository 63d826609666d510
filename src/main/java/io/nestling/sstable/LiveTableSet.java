/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * The tables of a directory, which change while they are read: flushed tables are added, and merges replace tables by their
 * output. A change is atomic, for readers and after a crash: see {@link TableDirectory}. Readers {@link #acquire} the tables of
 * one moment and keep them until they close that set; the files of replaced tables are deleted when their last reader leaves.
 * <p>
 * A flush takes a path of {@link #nextTable}, writes it by {@link SstableWriter}, and {@link #add}s it; only then does the table
 * count, and the log that has the same writes may be dropped. Memtables are added in their order.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. Changes wait for each other; readers wait for none. Merges may run side by side, of
 * different tables.
 */
public final class LiveTableSet implements AutoCloseable {
    /*
     * A Version has a reference for being the current one, and one for each acquired set. A Table has one for each Version that
     * is referred to. A version whose references have gone stays without: acquire then takes the version that followed it.
     * Lock order: monitor of this (changes), then that of the directory, then counts.
     */
    static final class Table {
        private final SstableReader reader;
        private int versions;
        private boolean obsolete;

        Table(final SstableReader reader) {
            this.reader = reader;
        }
    }

    final class Version {
        private final List<Table> tables;
        private final List<SstableReader> readers;
        private final long nextNumber;
        private final long greatestSequence;
        private final AtomicInteger references = new AtomicInteger(1);

        Version(final List<Table> tables, final long greatestSequence) {
            this.tables = List.copyOf(tables);
            this.nextNumber = directory.nextNumber();
            this.greatestSequence = greatestSequence;
            readers = tables.stream().map(table -> table.reader).toList();
            synchronized (counts) {
                tables.forEach(table -> table.versions++);
            }
        }

        boolean tryRetain() {
            int count = references.get();
            while (count > 0 && !references.compareAndSet(count, count + 1)) {
                count = references.get();
            }
            return count > 0;
        }

        void release() {
            if (references.decrementAndGet() == 0) {
                drop(tables);
            }
        }
    }

    private final TableDirectory directory;
    private final FileOperations operations;
    /* Null for none. */
    private final BlockCache cache;
    private final Object counts = new Object();
    /** Package-private for tests. */
    volatile Version current;

    private LiveTableSet(final Path path, final FileOperations operations, final BlockCache cache) throws IOException {
        this.operations = operations;
        this.cache = cache;
        final List<Table> tables = new ArrayList<>();
        try {
            directory = TableDirectory.open(path, operations, cache, reader -> tables.add(new Table(reader)));
        } catch (final IOException | RuntimeException | Error e) {
            for (final Table table : tables) {
                try {
                    table.reader.close();
                } catch (final IOException suppressed) {
                    e.addSuppressed(suppressed);
                }
            }
            throw e;
        }
        current = new Version(tables, directory.greatestSequence());
    }

    /**
     * Locks a directory and opens its tables.
     *
     * @param directory the directory, which must exist; it may have no tables
     * @return the set, to be closed by the caller
     * @throws CorruptTableException if a table is damaged
     * @throws IOException if another owner has the directory, the manifest is damaged or of another version, or a table is
     *     missing or cannot be read; no table is open then
     */
    public static LiveTableSet open(final Path directory) throws IOException {
        return open(directory, SystemFileOperations.INSTANCE);
    }

    /**
     * Locks a directory and opens its tables as {@link #open(Path)} does, with a cache of blocks.
     *
     * @param directory the directory, which must exist; it may have no tables
     * @param cache the cache, which others may use too
     * @return the set, to be closed by the caller
     * @throws CorruptTableException if a table is damaged
     * @throws IOException if another owner has the directory, the manifest is damaged or of another version, or a table is
     *     missing or cannot be read; no table is open then
     */
    public static LiveTableSet open(final Path directory, final BlockCache cache) throws IOException {
        return open(directory, SystemFileOperations.INSTANCE, Objects.requireNonNull(cache, "cache"));
    }

    static LiveTableSet open(final Path directory, final FileOperations operations) throws IOException {
        return open(directory, operations, null);
    }

    static LiveTableSet open(final Path directory, final FileOperations operations, final BlockCache cache) throws IOException {
        return new LiveTableSet(directory, operations, cache);
    }

    /**
     * Returns the directory, for its path, its greatest sequence number and its unlisted files. Only this set adds tables to it.
     *
     * @return the directory, which this set closes
     */
    public TableDirectory directory() {
        return directory;
    }

    /**
     * Returns the tables of this moment. They stay readable until the returned set is closed, also after this one is.
     *
     * @return a set, to be closed by the caller
     * @throws IllegalStateException if this set is closed
     */
    public TableSet acquire() {
        while (true) {
            final Version version = current;
            if (version == null) {
                throw new IllegalStateException("the tables of " + directory.path() + " are closed");
            }
            if (version.tryRetain()) {
                return new TableSet(directory.path(), version.readers, version.nextNumber, version.greatestSequence,
                    version::release);
            }
        }
    }

    /**
     * Returns the path of a new table, as {@link TableDirectory#nextTable} does.
     *
     * @return the path, whose file does not exist
     * @throws IOException if the directory has no manifest and none can be written
     */
    public Path nextTable() throws IOException {
        return directory.nextTable();
    }

    /**
     * Adds a complete table as the newest one.
     *
     * @param table a path of {@link #nextTable()}
     * @throws IllegalArgumentException if its sequence numbers are not above those of all tables before, its name is another
     *     one, or it was added already
     * @throws IllegalStateException if this set is closed, or an earlier change failed half-way
     * @throws CorruptTableException if it is damaged
     * @throws IOException if it cannot be read, or the manifest not be written; then the set is as before
     */
    public void add(final Path table) throws IOException {
        change(List.of(table), added -> {
            final List<Table> tables = new ArrayList<>(added);
            tables.addAll(current.tables);
            final TableProperties properties = added.get(0).reader.properties();
            final Version next = new Version(tables, Math.max(current.greatestSequence, properties.greatestSequence()));
            return publish(next, () -> directory.add(table, properties));
        });
    }

    /**
     * Replaces tables by others with the same content, such as the output of a {@link TableMerger}. They take the place of the
     * newest of the replaced ones in the order of tables, which only matters to equal sequence numbers.
     *
     * @param inputs the tables to replace, of an acquired set
     * @param outputs complete tables, at paths of {@link #nextTable()}, the newest first: of a merge, that of the greatest keys
     * @throws IllegalStateException if an input was replaced before, this set is closed, or an earlier change failed half-way
     * @throws CorruptTableException if an output is damaged
     * @throws IOException if an output cannot be read, or the manifest not be written; then the set is as before
     */
    public void replace(final List<SstableReader> inputs, final List<Path> outputs) throws IOException {
        change(outputs, added -> {
            final List<Table> tables = new ArrayList<>();
            final List<Table> replaced = new ArrayList<>();
            for (final Table table : current.tables) {
                final boolean isInput = inputs.contains(table.reader);
                if (isInput && replaced.isEmpty()) {
                    tables.addAll(added);
                }
                (isInput ? replaced : tables).add(table);
            }
            if (replaced.size() != inputs.size() || replaced.isEmpty()) {
                throw notCurrent(inputs);
            }
            final Version next = new Version(tables, current.greatestSequence);
            final List<Path> paths = replaced.stream().map(table -> table.reader.path()).toList();
            return publish(next, () -> {
                directory.replace(paths, outputs);
                synchronized (counts) {
                    replaced.forEach(table -> table.obsolete = true);
                }
            });
        });
    }

    /**
     * Merges tables and replaces them by the output.
     *
     * @param inputs the tables to merge, of an acquired set
     * @param options what to keep, and how to write it
     * @param progress as of {@link TableMerger#run}: an exception that it throws ends the merge
     * @return the result
     * @throws IllegalStateException as {@link #replace}
     * @throws IOException if an input cannot be read or an output not be written; then the set is as before
     */
    public MergeResult merge(final List<SstableReader> inputs, final MergeOptions options, final LongConsumer progress)
        throws IOException {
        try (TableSet tables = acquire()) {
            final List<SstableReader> ordered = new ArrayList<>(tables.readers());
            ordered.retainAll(inputs);
            if (ordered.size() != inputs.size()) {
                throw notCurrent(inputs);
            }
            final List<SstableReader> beside = new ArrayList<>(tables.readers());
            beside.removeAll(inputs);
            final MergeResult result = new TableMerger(ordered, beside, options, operations).run(this::nextTable, progress);
            // A range tombstone is older than the entries with its number that are in later outputs.
            final List<Path> outputs = new ArrayList<>(result.tables());
            Collections.reverse(outputs);
            try {
                replace(inputs, outputs);
            } catch (final IOException | RuntimeException | Error e) {
                for (final Path output : outputs) {
                    try {
                        directory.discard(output);
                    } catch (final IOException | RuntimeException suppressed) {
                        e.addSuppressed(suppressed);
                    }
                }
                throw e;
            }
            return result;
        }
    }

    /**
     * Writes the tables of this moment to a new directory, with a manifest of its own: hard links, or copies where the file
     * system refuses links. Later changes of either directory do not touch the other one. The new directory appears whole, under
     * its name, or not at all; while it is written, siblings with its name and {@code .unfinished-checkpoint} or {@code .lock}
     * exist. What a killed process left there is replaced by the next checkpoint of that name. Nothing else may make a directory
     * of that name meanwhile: an empty one would be replaced.
     *
     * @param target the new directory, whose parent exists
     * @throws IllegalArgumentException if its name ends with {@code .unfinished-checkpoint}
     * @throws java.nio.file.FileAlreadyExistsException if something with its name exists
     * @throws IllegalStateException if this set is closed
     * @throws IOException if it cannot be written, or another thread or process writes a checkpoint of that name; nothing has its
     *     name then, unless forcing that name to the device failed: then it is there, whole, and a crash may still undo it
     */
    public void checkpoint(final Path target) throws IOException {
        try (TableSet tables = acquire()) {
            Checkpoint.write(tables, target, operations);
        }
    }

    private static IllegalStateException notCurrent(final List<SstableReader> inputs) {
        return new IllegalStateException("expected tables of the current set, each once, but was "
            + inputs.stream().map(SstableReader::path).toList());
    }

    /** A change of the set, given the tables that are new in it; returns the version that was current before. */
    private interface Change {
        Version apply(List<Table> added) throws IOException;
    }

    private void change(final List<Path> paths, final Change change) throws IOException {
        final List<Table> added = new ArrayList<>();
        final Version previous;
        boolean done = false;
        try {
            for (final Path path : paths) {
                added.add(new Table(SstableReader.open(path, operations, cache)));
            }
            synchronized (this) {
                if (current == null) {
                    throw new IllegalStateException("the tables of " + directory.path() + " are closed");
                }
                previous = change.apply(added);
            }
            done = true;
        } finally {
            for (int i = 0; !done && i < added.size(); i++) {
                added.get(i).reader.close();
            }
        }
        previous.release();
    }

    /** A change of the manifest. */
    private interface Write {
        void run() throws IOException;
    }

    /** Makes a version the current one once the manifest has it; returns the one before, for the caller to release. */
    private Version publish(final Version next, final Write write) throws IOException {
        boolean written = false;
        try {
            write.run();
            written = true;
        } finally {
            if (!written) {
                next.release();
            }
        }
        final Version previous = current;
        current = next;
        return previous;
    }

    /** Takes a version's reference from its tables; closes those without, and deletes them if they were replaced. */
    private void drop(final List<Table> tables) {
        final List<Table> unused = new ArrayList<>();
        synchronized (counts) {
            for (final Table table : tables) {
                if (--table.versions == 0) {
                    unused.add(table);
                }
            }
        }
        for (final Table table : unused) {
            try (SstableReader reader = table.reader) {
                if (table.obsolete) {
                    operations.delete(reader.path());
                }
            } catch (final IOException e) {
                System.getLogger(LiveTableSet.class.getPackageName()).log(System.Logger.Level.WARNING,
                    "replaced table " + table.reader.path() + " stays until a compact deletes it: " + e.getMessage());
            }
        }
    }

    /** Releases the directory, and the tables that no acquired set has. Closing twice does nothing. */
    @Override
    public synchronized void close() {
        final Version last = current;
        if (last != null) {
            current = null;
            last.release();
            directory.close();
        }
    }
}
