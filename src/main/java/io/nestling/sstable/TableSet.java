/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryCursor;
import io.nestling.index.HiddenLimitCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of a directory, read as one. Their files are named by a number, padded with zeroes to six digits, and {@code
 * .sst}; a greater number is a newer table. Other files are ignored. The set does not change after it was opened.
 * <p>
 * The version of a key with the greatest sequence number counts; of equal ones, that of the table with the greater number,
 * and in one table an entry before a range tombstone. Usually tables ascend by sequence number, which is fast: older tables
 * are not read once a newer one has the key. To keep this, each memtable begins with {@link #greatestSequence()} + 1.
 * Opening logs a warning (to the {@link System.Logger} with this package's name) if the sequence numbers of two tables overlap.
 * <h2>Thread safety</h2>
 * Any number of threads may use a set at the same time. After {@link #close}, every use of a table throws
 * {@link IllegalStateException}.
 */
public final class TableSet implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("(\\d{6,18})\\.sst");

    private final Path directory;
    private final List<SstableReader> readers;
    private final long nextNumber;

    private TableSet(final Path directory, final List<SstableReader> readers, final long nextNumber) {
        this.directory = directory;
        this.readers = Collections.unmodifiableList(readers);
        this.nextNumber = nextNumber;
    }

    /**
     * Opens all tables of a directory.
     *
     * @param directory the directory, which must exist; it may have no tables
     * @return the set, to be closed by the caller
     * @throws CorruptTableException if a table is damaged
     * @throws IOException if the directory or a table cannot be read; no table is open then
     */
    public static TableSet open(final Path directory) throws IOException {
        return open(directory, SystemFileOperations.INSTANCE);
    }

    static TableSet open(final Path directory, final FileOperations operations) throws IOException {
        final TreeMap<Long, Path> tables = list(directory);
        final List<SstableReader> readers = new ArrayList<>();
        try {
            for (final Map.Entry<Long, Path> table : tables.descendingMap().entrySet()) {
                readers.add(SstableReader.open(table.getValue(), operations));
            }
        } catch (final IOException | RuntimeException | Error e) {
            closeAll(readers, e);
            throw e;
        }
        warnOfOverlaps(directory, readers);
        return new TableSet(directory, readers, tables.isEmpty() ? 1 : tables.lastKey() + 1);
    }

    private static void warnOfOverlaps(final Path directory, final List<SstableReader> readers) {
        final Map<Path, TableProperties> properties = new LinkedHashMap<>();
        readers.forEach(reader -> properties.put(reader.path(), reader.properties()));
        final List<String> overlaps = sequenceOverlaps(properties);
        if (!overlaps.isEmpty()) {
            System.getLogger(TableSet.class.getPackageName()).log(System.Logger.Level.WARNING, "tables of "
                + directory + ": " + overlaps.get(0) + (overlaps.size() == 1 ? "" : ", and " + (overlaps.size() - 1) + " more"));
        }
    }

    /**
     * Finds tables whose sequence numbers overlap those of a table with smaller ones. An overlap loses no write, but only the
     * names of the tables decide which of two equal numbers is newer.
     *
     * @param tables properties of the tables, by path
     * @return one sentence for each such table; empty if there is none
     */
    public static List<String> sequenceOverlaps(final Map<Path, TableProperties> tables) {
        final List<Map.Entry<Path, TableProperties>> ascending = new ArrayList<>(tables.entrySet());
        ascending.removeIf(table -> table.getValue().greatestSequence() < 0);
        ascending.sort(Comparator.<Map.Entry<Path, TableProperties>>comparingLong(table -> table.getValue().smallestSequence())
            .thenComparing(Map.Entry::getKey));
        final List<String> overlaps = new ArrayList<>();
        Map.Entry<Path, TableProperties> before = null;
        for (final Map.Entry<Path, TableProperties> table : ascending) {
            final long end = before == null ? -1 : before.getValue().greatestSequence();
            if (table.getValue().smallestSequence() <= end) {
                overlaps.add("sequence numbers " + range(before) + " overlap " + range(table));
            }
            before = table.getValue().greatestSequence() > end ? table : before;
        }
        return overlaps;
    }

    private static String range(final Map.Entry<Path, TableProperties> table) {
        return table.getValue().smallestSequence() + " to " + table.getValue().greatestSequence() + " of "
            + table.getKey().getFileName();
    }

    /**
     * Returns the files that {@link #open} would read.
     *
     * @param directory the directory
     * @return the paths in ascending order of their numbers
     * @throws IOException if the directory cannot be read
     */
    public static List<Path> files(final Path directory) throws IOException {
        return new ArrayList<>(list(directory).values());
    }

    private static TreeMap<Long, Path> list(final Path directory) throws IOException {
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        final TreeMap<Long, Path> tables = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                final Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    final long number = Long.parseLong(name.group(1));
                    if (path(directory, number).getFileName().equals(file.getFileName())) {
                        tables.put(number, file);
                    }
                }
            }
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        return tables;
    }

    /**
     * Returns the path of a table.
     *
     * @param directory its directory
     * @param number its number, at least 0
     * @return the path, its number written with six digits or more
     */
    public static Path path(final Path directory, final long number) {
        if (number < 0) {
            throw new IllegalArgumentException("expected a table number of at least 0 but was " + number);
        }
        return directory.resolve(String.format(Locale.ROOT, "%06d.sst", number));
    }

    /**
     * Returns the path of a table in this directory.
     *
     * @param number its number, at least 0
     * @return the path
     */
    public Path path(final long number) {
        return path(directory, number);
    }

    /**
     * Returns the number for the next table.
     *
     * @return one more than the greatest number of a table, or 1 if there is none
     */
    public long nextNumber() {
        return nextNumber;
    }

    /**
     * Returns the tables.
     *
     * @return immutable list, newest first
     */
    public List<SstableReader> readers() {
        return readers;
    }

    /**
     * Looks a key up.
     *
     * @param key the key
     * @return the value of its newest version; null if there is none, or it was deleted alone or with a range
     * @throws IOException if a block cannot be read or is corrupt
     */
    public byte[] get(final byte[] key) throws IOException {
        return lookup(key, TableEntryLayout.MAX_SEQUENCE).value();
    }

    /**
     * Looks a key up as of a sequence number.
     *
     * @param key the key
     * @param maxSequence greatest sequence number that counts
     * @return value, tombstone or absent
     * @throws IOException if a block cannot be read or is corrupt
     */
    public LookupResult lookup(final byte[] key, final long maxSequence) throws IOException {
        LookupResult newest = LookupResult.ABSENT;
        for (final SstableReader reader : readers) {
            if (reader.properties().greatestSequence() > newest.sequence()) {
                final LookupResult found = reader.lookup(key, maxSequence);
                newest = found.sequence() > newest.sequence() ? found : newest;
            }
        }
        return newest;
    }

    /**
     * Returns a new cursor over the newest version of each key that has a value; it omits deleted keys.
     *
     * @return an unpositioned cursor; its moves throw {@link java.io.UncheckedIOException} when a block
     *     cannot be read or is corrupt
     */
    public EntryCursor scan() {
        return scan(false);
    }

    /**
     * Returns a cursor as {@link #scan()} does, whose moves are bounded: a move that meets more than a number of deleted keys
     * ends there. It is then incomplete, and says where to go on: {@link EntryCursor#isIncomplete}. Older versions of a key do
     * not count.
     *
     * @param hiddenLimit deleted keys that a move may pass
     * @return an unpositioned cursor; its moves throw {@link java.io.UncheckedIOException} when a block
     *     cannot be read or is corrupt
     * @throws IllegalArgumentException if the limit is below 1
     */
    public EntryCursor scan(final int hiddenLimit) {
        return HiddenLimitCursor.of(scan(true), hiddenLimit);
    }

    private EntryCursor scan(final boolean showsHidden) {
        final List<Versions> versions = versions();
        return showsHidden ? VisibleCursor.withHidden(versions, TableEntryLayout.MAX_SEQUENCE)
            : VisibleCursor.of(versions, TableEntryLayout.MAX_SEQUENCE);
    }

    /**
     * Returns the versions of all tables as they are, to be read together with those of memtables: see {@link VisibleCursor}.
     *
     * @return those of each table, newest table first; the caller closes them
     */
    public List<Versions> versions() {
        final List<Versions> versions = new ArrayList<>();
        for (final SstableReader reader : readers) {
            versions.add(reader.versions());
        }
        return versions;
    }

    /**
     * Returns the greatest sequence number in any table; the next memtable begins with one more.
     *
     * @return the number, or 0 if there is no entry, since memtables begin with 1
     */
    public long greatestSequence() {
        long greatest = 0;
        for (final SstableReader reader : readers) {
            greatest = Math.max(greatest, reader.properties().greatestSequence());
        }
        return greatest;
    }

    /**
     * Closes all tables. Closing twice does nothing.
     *
     * @throws IOException if closing one fails; the others are closed nevertheless
     */
    @Override
    public void close() throws IOException {
        final IOException failure = new IOException("cannot close a table of " + directory);
        closeAll(readers, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeAll(final List<SstableReader> readers, final Throwable failure) {
        for (final SstableReader reader : readers) {
            try {
                reader.close();
            } catch (final IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
