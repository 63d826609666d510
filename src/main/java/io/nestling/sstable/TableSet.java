/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryCursor;
import io.nestling.index.HiddenLimitCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeSize;
import io.nestling.index.ValueRules;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The tables of a directory as of one moment, read as one. Their files are named by a number, padded with zeroes to six digits,
 * and {@code .sst}. The file {@code MANIFEST} names the tables, from new to old; without it every file so named is a table, and a
 * greater number is a newer table. Other files are ignored. The set does not change after it was opened: {@link LiveTableSet} is
 * the set that does.
 * <p>
 * The version of a key with the greatest sequence number counts; of equal ones, that of the newer table, and in one table an
 * entry before a range tombstone. Usually tables ascend by sequence number, which is fast: older tables are not read once a newer
 * one has the key. To keep this, each memtable begins with {@link #greatestSequence()} + 1. Where no manifest exists, opening
 * logs a warning (to the {@link System.Logger} with this package's name) if the sequence numbers of two tables overlap.
 * <p>
 * A set that was opened from a directory keeps its tables' files open; a merge by another process may delete their names, after
 * which an interrupt of a reading thread makes reads fail. One of a {@link LiveTableSet} keeps the names, too.
 * <h2>Thread safety</h2>
 * Any number of threads may use a set at the same time. After {@link #close}, every use of a table throws
 * {@link IllegalStateException}.
 */
public final class TableSet implements AutoCloseable {
    private final Path directory;
    private final List<SstableReader> readers;
    private final long nextNumber;
    private final long greatestSequence;
    private final Closeable tables;
    private final boolean expires;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Creates a set of tables, the newest first, which closing the set closes or releases. */
    TableSet(
        final Path directory, final List<SstableReader> readers, final long nextNumber, final long greatestSequence,
        final Closeable tables) {
        this.directory = directory;
        this.readers = readers;
        this.nextNumber = nextNumber;
        this.greatestSequence = greatestSequence;
        this.tables = tables;
        this.expires = readers.stream().anyMatch(reader -> reader.properties().expiringCount() > 0);
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

    /**
     * Opens all tables of a directory as {@link #open(Path)} does, with a cache of blocks.
     *
     * @param directory the directory, which must exist; it may have no tables
     * @param cache the cache, which others may use too
     * @return the set, to be closed by the caller
     * @throws CorruptTableException if a table is damaged
     * @throws IOException if the directory or a table cannot be read; no table is open then
     */
    public static TableSet open(final Path directory, final BlockCache cache) throws IOException {
        return open(directory, SystemFileOperations.INSTANCE, Objects.requireNonNull(cache, "cache"));
    }

    static TableSet open(final Path directory, final FileOperations operations) throws IOException {
        return open(directory, operations, null);
    }

    private static TableSet open(final Path directory, final FileOperations operations, final BlockCache cache)
        throws IOException {
        Manifest manifest = Manifest.read(directory);
        while (true) {
            try {
                return open(directory, manifest, operations, cache);
            } catch (final NoSuchFileException e) {
                // A merge may have replaced the manifest and deleted the table meanwhile.
                final Manifest now = Manifest.read(directory);
                if (now.equals(manifest)) {
                    throw missing(manifest, e);
                }
                manifest = now;
            }
        }
    }

    private static TableSet open(
        final Path directory, final Manifest manifest, final FileOperations operations, final BlockCache cache)
        throws IOException {
        final List<SstableReader> readers = new ArrayList<>();
        try {
            for (final long number : manifest.tables()) {
                readers.add(SstableReader.open(path(directory, number), operations, cache));
            }
        } catch (final IOException | RuntimeException | Error e) {
            closeAll(readers, e);
            throw e;
        }
        if (!manifest.stored()) {
            warnOfOverlaps(directory, readers);
        }
        final List<SstableReader> tables = Collections.unmodifiableList(readers);
        return new TableSet(directory, tables, manifest.nextNumber(), manifest.greatestSequence(), () -> {
            final IOException failure = new IOException("cannot close a table of " + directory);
            closeAll(readers, failure);
            if (failure.getSuppressed().length > 0) {
                throw failure;
            }
        });
    }

    /** Returns the exception for a missing table. */
    static IOException missing(final Manifest manifest, final NoSuchFileException e) {
        return !manifest.stored() ? e
            : (IOException) new FileSystemException(e.getFile(), null, "missing, though the manifest names it").initCause(e);
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
     * @return the paths, that of the oldest table first
     * @throws IOException if the directory or its manifest cannot be read
     */
    public static List<Path> files(final Path directory) throws IOException {
        return Manifest.read(directory).files(directory);
    }

    /**
     * Returns the table files that {@link #open} would ignore since the manifest does not name them.
     *
     * @param directory the directory
     * @return the paths in ascending order of their numbers; empty if the directory has no manifest
     * @throws IOException if the directory or its manifest cannot be read
     */
    public static List<Path> unlistedFiles(final Path directory) throws IOException {
        final Manifest manifest = Manifest.read(directory);
        return manifest.stored() ? manifest.unlisted(directory) : List.of();
    }

    /**
     * Returns the path of a table.
     *
     * @param directory its directory
     * @param number its number, at least 0
     * @return the path, its number written with six digits or more
     * @throws IllegalArgumentException if the number is negative
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
     * @return a number above those of all tables, at first 1. A table that is written under it counts only in a directory without
     *     a manifest; to others, {@link TableDirectory} or {@link LiveTableSet} adds it
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
     * @throws io.nestling.index.MergeFailedException if the key has operands: look it up with rules
     * @throws IOException if a block cannot be read or is corrupt
     */
    public byte[] get(final byte[] key) throws IOException {
        return lookup(key, TableEntryLayout.MAX_SEQUENCE).overNothing(key, ValueRules.DEFAULT).value();
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
        return lookup(key, maxSequence, ValueRules.DEFAULT);
    }

    /**
     * Looks a key up as {@link #lookup(byte[], long)} does, with rules of its own.
     *
     * @param key the key
     * @param maxSequence greatest sequence number that counts
     * @param rules by which entries become values; the clock is read once, and only if a table has entries with an expiry
     * @return value, tombstone, operands or absent; an expired entry is a tombstone
     * @throws io.nestling.index.MergeFailedException if the rules have no operator for operands and a value, or it fails
     * @throws IOException if a block cannot be read or is corrupt
     */
    public LookupResult lookup(final byte[] key, final long maxSequence, final ValueRules rules) throws IOException {
        checkOpen();
        final ValueRules atOnce = expires ? rules.atOnce() : rules;
        LookupResult newest = LookupResult.ABSENT;
        for (final SstableReader reader : readers) {
            if (reader.properties().greatestSequence() > newest.sequence()) {
                final LookupResult found = reader.find(key, maxSequence, atOnce);
                newest = found.sequence() > newest.sequence() ? found : newest;
            }
        }
        return newest.kind() == LookupResult.Kind.OPERANDS
            ? SstableReader.resolve(versions(), key, maxSequence, atOnce) : newest;
    }

    /**
     * Estimates what the tables have in a range of keys, from their block indexes alone: see {@link
     * SstableReader#approximateSize}.
     *
     * @param fromInclusive first key of the range, or null for no lower bound
     * @param toExclusive first key after the range, or null for no upper bound
     * @return the sum over all tables; a key that several of them have counts in each
     */
    public RangeSize approximateSize(final byte[] fromInclusive, final byte[] toExclusive) {
        checkOpen();
        RangeSize sum = RangeSize.ZERO;
        for (final SstableReader reader : readers) {
            sum = sum.plus(reader.approximateSize(fromInclusive, toExclusive));
        }
        return sum;
    }

    /**
     * Returns a new cursor over the newest version of each key that has a value; it omits deleted and expired keys, by the
     * system's clock. {@link VisibleCursor} over {@link #versions} takes another one.
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
        checkOpen();
        final List<Versions> versions = new ArrayList<>();
        for (final SstableReader reader : readers) {
            versions.add(reader.versions());
        }
        return versions;
    }

    /**
     * Returns the greatest sequence number that a table of the directory ever had; the next memtable begins with one more.
     *
     * @return the number, or 0 if no table had an entry, since memtables begin with 1
     */
    public long greatestSequence() {
        long greatest = greatestSequence;
        for (final SstableReader reader : readers) {
            greatest = Math.max(greatest, reader.properties().greatestSequence());
        }
        return greatest;
    }

    /**
     * Closes all tables, or releases those of a {@link LiveTableSet}. Closing twice does nothing.
     *
     * @throws IOException if closing one fails; the others are closed nevertheless
     */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            tables.close();
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the tables of " + directory + " are closed");
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
