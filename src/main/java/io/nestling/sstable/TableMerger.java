/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;
import io.nestling.index.MergingCursor;
import io.nestling.index.Operands;
import io.nestling.index.RangeTombstone;
import io.nestling.index.RangeTombstoneSet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Merges tables into new ones, in one pass over their entries. A reader at the floor of snapshots or above sees the same in the
 * output as in the inputs, together with the tables beside them.
 * <ul>
 * <li>Of each key it keeps the versions above the floor and the newest one at or below it, unless a range tombstone up to the
 * floor covers that.</li>
 * <li>An entry that has expired is a tombstone, and is written as one.</li>
 * <li>If the version to keep at the floor is an operand, the operands and the version that ends them become one value, by the
 * operator of the rules. Without operator, or if that version may still expire or may lie in a table beside the inputs, all of
 * them are kept as they are.</li>
 * <li>It drops a tombstone at or below the floor if no table beside the inputs can have an older entry of the key: the sequence
 * numbers or keys of each exclude that. It drops a range tombstone by the same rule for its range.</li>
 * </ul>
 * It begins the next output table, at a new key, once the current one has the size of the options; a table with very many
 * entries may end between two versions of a key. A range tombstone is kept
 * whole, in the output of its first key. If the merge fails, it deletes its outputs; the inputs are never touched.
 * Memory: a block of each input, a writer, the range tombstones of all inputs, and, with an operator, the operands of one key.
 * <p> Longer than 450 lines: operands are gathered in the same pass.
 * <h2>Thread safety</h2>
 * One thread, once. An interrupt ends the merge with an {@link IOException}.
 */
public final class TableMerger {
    /** A table has at most one entry for so many bytes of its size limit: this bounds its filter while it is written. */
    private static final int MIN_BYTES_PER_ENTRY = 16;
    private static final int STEP_BYTES = 64 << 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long MIN_PAUSE_NANOS = 1_000_000;

    /** Returns the paths of output tables. */
    @FunctionalInterface
    public interface Paths {
        /**
         * Returns the path of the next output table.
         *
         * @return a path without a file
         * @throws IOException if no table can be written
         */
        Path next() throws IOException;
    }

    private final List<SstableReader> inputs;
    private final List<SstableReader> besideWithEntries = new ArrayList<>();
    /* Those with entries or range tombstones. */
    private final List<SstableReader> besideNotEmpty = new ArrayList<>();
    private final boolean hasOperands;
    private final MergeOptions options;
    private final long now;
    private final FileOperations operations;
    private final List<RangeTombstone> ranges = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();
    private Paths paths;
    private LongConsumer progress;
    private SstableWriter writer;
    private long entriesLeft;
    private long bytesLeft;
    private int nextRange;
    private long fileBytes;
    private long entries;
    private long entriesInTable;
    private long mostEntriesInTable;
    private long bytesRead;
    private long nextStep = STEP_BYTES;
    private long started;
    private int keyLength = -1;
    private long sequence;
    private boolean floorPassed;
    private boolean keyWritten;
    /* From new to old: operands at or below the floor, which no version has ended yet. */
    private final List<Made> operands = new ArrayList<>();

    /**
     * Creates a merge.
     *
     * @param inputs the tables to merge, the newest one first
     * @param beside all other tables that are read together with the output
     * @param options what to keep, and how to write it
     */
    public TableMerger(final List<SstableReader> inputs, final List<SstableReader> beside, final MergeOptions options) {
        this(inputs, beside, options, SystemFileOperations.INSTANCE);
    }

    TableMerger(
        final List<SstableReader> inputs, final List<SstableReader> beside, final MergeOptions options,
        final FileOperations operations) {
        this.inputs = List.copyOf(inputs);
        this.options = Objects.requireNonNull(options, "options");
        this.now = options.rules().clock().getAsLong();
        this.operations = operations;
        for (final SstableReader table : beside) {
            if (table.entryCount() > 0) {
                besideWithEntries.add(table);
            }
            if (table.properties().greatestSequence() >= 0) {
                besideNotEmpty.add(table);
            }
        }
        this.hasOperands = inputs.stream().anyMatch(input -> input.properties().operandCount() > 0);
        for (final SstableReader input : inputs) {
            entriesLeft += input.entryCount();
            input.rangeTombstones().stream().filter(this::keeps).forEach(ranges::add);
        }
        bytesLeft = inputBytes(inputs);
        ranges.sort(Comparator.comparing(RangeTombstone::fromInclusive, ByteComparison::compare));
    }

    /**
     * Returns the final value of the progress of a merge.
     *
     * @param inputs the tables to merge
     * @return bytes of their keys and values
     */
    public static long inputBytes(final List<SstableReader> inputs) {
        long bytes = 0;
        for (final SstableReader input : inputs) {
            bytes += input.properties().keyBytes() + input.properties().valueBytes();
        }
        return bytes;
    }

    /**
     * Merges the tables.
     *
     * @param newPaths returns the paths of the output tables, whose directory has the names of no other tables
     * @param newProgress receives the bytes of keys and values read so far, about every 64 KiB; an exception that it throws, such
     *     as {@link java.util.concurrent.CancellationException}, ends the merge
     * @return the result; its tables are complete and on the device
     * @throws CorruptTableException if an input is damaged
     * @throws IOException if an input cannot be read or an output not be written; no output is left then
     * @throws IllegalStateException if this merge ran before
     */
    public MergeResult run(final Paths newPaths, final LongConsumer newProgress) throws IOException {
        if (started != 0) {
            throw new IllegalStateException("expected a new merge but this one ran before");
        }
        paths = newPaths;
        progress = newProgress;
        started = System.nanoTime() | 1;
        final long inputEntries = entriesLeft;
        try {
            merge();
            return new MergeResult(List.copyOf(outputs), inputEntries, entries, ranges.size(), fileBytes);
        } catch (final UncheckedIOException e) {
            abandon(e.getCause());
            throw e.getCause();
        } catch (final IOException | RuntimeException | Error e) {
            abandon(e);
            throw e;
        }
    }

    private void merge() throws IOException {
        final EntryCursor[] cursors = new EntryCursor[inputs.size()];
        for (int i = 0; i < cursors.length; i++) {
            cursors[i] = inputs.get(i).uncachedCursor();
        }
        try (MergingCursor cursor = MergingCursor.bySequence(cursors)) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                final int valueLength = cursor.kind().isValue() ? cursor.valueLength() : 0;
                final boolean newKey = cursor.commonPrefix() != keyLength || cursor.keyLength() != keyLength;
                if (newKey) {
                    endOperands(null, false);
                    keyWritten = false;
                }
                if (!operands.isEmpty()) {
                    gather(cursor);
                } else if (keeps(cursor, newKey)) {
                    if (floorPassed && cursor.kind() == EntryKind.OPERAND) { // then there is an operator: see keeps()
                        gather(cursor);
                    } else {
                        write(cursor);
                    }
                }
                entriesLeft--;
                bytesLeft -= cursor.keyLength() + valueLength;
                advance(cursor.keyLength() + valueLength);
            }
        }
        endOperands(null, false);
        writeRanges(null);
        finishTable();
        progress.accept(bytesRead);
    }

    /** Returns whether to keep the version that the cursor shows; called for each version of a key, from new to old. */
    private boolean keeps(final MergingCursor cursor, final boolean newKey) {
        final boolean copy = !newKey && cursor.sequence() == sequence;
        floorPassed &= !newKey;
        keyLength = cursor.keyLength();
        sequence = cursor.sequence();
        if (floorPassed || copy) {
            return false;
        }
        floorPassed = sequence <= options.snapshotFloor()
            && (options.rules().operator() != null || cursor.kind() != EntryKind.OPERAND); // what is behind an operand is kept
        final byte[] key = cursor.keyBuffer();
        final boolean mayGo = floorPassed && isTombstone(cursor);
        return !isDeleted(key, cursor.input()) && !(mayGo && !mayHaveOlderBeside(key, keyLength, key, keyLength, sequence));
    }

    /** Takes the next version of a key whose versions up to here are operands. */
    private void gather(final MergingCursor cursor) throws IOException {
        final boolean isCopy = !operands.isEmpty() && cursor.sequence() == sequence;
        sequence = cursor.sequence();
        if (isCopy) {
            return;
        }
        final boolean isDeleted = isDeleted(cursor.keyBuffer(), cursor.input());
        final Made version = isDeleted || isTombstone(cursor) ? new Made(cursor.key(), sequence, EntryKind.TOMBSTONE, null, 0)
            : new Made(cursor.key(), sequence, cursor.kind(), cursor.value(),
                cursor.kind() == EntryKind.EXPIRING ? cursor.expiry() : 0);
        if (version.kind == EntryKind.OPERAND) {
            operands.add(version);
            entriesLeft++; // is written later
        } else {
            endOperands(version, isDeleted);
        }
    }

    /**
     * Writes the operands of a key: as one value if nothing beside the inputs can come between, else as they are, with the
     * version that ends them (null if the inputs have none), which a range tombstone may delete.
     */
    private void endOperands(final Made end, final boolean isDeleted) throws IOException {
        if (operands.isEmpty()) {
            return;
        }
        final Made newest = operands.get(0);
        final byte[] key = newest.key;
        final boolean mayExpire = end != null && end.kind == EntryKind.EXPIRING;
        final long from = end != null ? end.sequence : newestCovering(inputs, key, newest.sequence);
        if (!mayExpire && !isBetween(key, from, newest.sequence)) {
            final Operands all = new Operands();
            operands.forEach(operand -> all.addOlder(operand.value));
            all.end(end == null ? null : end.value);
            write(new Made(key, newest.sequence, EntryKind.VALUE, all.combine(key, options.rules()), 0));
        } else {
            for (final Made operand : operands) {
                write(operand);
            }
            if (end != null && !isDeleted) {
                write(end);
            }
        }
        entriesLeft -= operands.size();
        operands.clear();
    }

    /** Returns whether a table beside may have a version of a key, or a range tombstone over it, between two numbers. */
    private boolean isBetween(final byte[] key, final long from, final long to) {
        if (newestCovering(besideNotEmpty, key, to) > from) {
            return true;
        }
        for (final SstableReader table : besideWithEntries) {
            final TableProperties properties = table.properties();
            if (properties.smallestSequence() < to && properties.greatestSequence() > from
                && compare(properties.smallestKey(), key, key.length) <= 0
                && compare(properties.greatestKey(), key, key.length) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static long newestCovering(final List<SstableReader> tables, final byte[] key, final long maxSequence) {
        long newest = RangeTombstoneSet.NONE;
        for (final SstableReader table : tables) {
            newest = Math.max(newest, table.rangeTombstoneIndex().newestCovering(key, key.length, maxSequence));
        }
        return newest;
    }

    private boolean isTombstone(final EntryView entry) {
        final EntryKind kind = entry.kind();
        return kind == EntryKind.TOMBSTONE || kind == EntryKind.EXPIRING && entry.expiry() <= now;
    }

    /** Returns whether a range tombstone hides the current version from all readers at the floor or above. */
    private boolean isDeleted(final byte[] key, final int input) {
        final long visible = floorPassed ? options.snapshotFloor() : sequence; // to all who may see this version
        for (int i = 0; i < inputs.size(); i++) {
            final long deleted = inputs.get(i).rangeTombstoneIndex().newestCovering(key, keyLength, visible);
            if (deleted > sequence || deleted == sequence && i < input) {
                return true;
            }
        }
        return false;
    }

    private boolean keeps(final RangeTombstone range) {
        final byte[] from = range.fromInclusive();
        final byte[] to = range.toExclusive();
        return range.sequence() > options.snapshotFloor()
            || mayHaveOlderBeside(from, from.length, to, to == null ? 0 : to.length, range.sequence());
    }

    /**
     * Returns whether a table beside the inputs may have an entry up to a sequence number in a range, ends included; the range
     * has no end if {@code to} is null.
     */
    private boolean mayHaveOlderBeside(
        final byte[] from, final int fromLength, final byte[] to, final int toLength, final long maxSequence) {
        for (final SstableReader table : besideWithEntries) {
            final TableProperties properties = table.properties();
            if (properties.smallestSequence() <= maxSequence
                && (to == null || compare(properties.smallestKey(), to, toLength) <= 0)
                && compare(properties.greatestKey(), from, fromLength) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static int compare(final byte[] bound, final byte[] key, final int length) {
        return ByteComparison.compare(bound, 0, bound.length, key, 0, length);
    }

    private void write(final EntryView entry) throws IOException {
        if (writer != null
            && (entriesInTable == mostEntriesInTable || !keyWritten && writer.fileBytes() >= options.maxTableBytes())) {
            finishTable();
        }
        keyWritten = true;
        writeRanges(entry);
        table().entry(!isTombstone(entry) ? entry : new Made(entry.key(), entry.sequence(), EntryKind.TOMBSTONE, null, 0));
        entriesInTable++;
        entries++;
    }

    /** A version that was made of others, or kept until others were seen. */
    private record Made(byte[] key, long sequence, EntryKind kind, byte[] value, long expiry) implements EntryView {
        @Override
        public byte[] keyBuffer() {
            return key;
        }

        @Override
        public int keyLength() {
            return key.length;
        }

        @Override
        public int commonPrefix() {
            return 0; // a writer of tables computes it
        }

        @Override
        public int valueLength() {
            return value == null ? 0 : value.length;
        }

        @Override
        public int copyValue(final byte[] destination, final int offset) {
            System.arraycopy(value, 0, destination, offset, value.length);
            return value.length;
        }
    }

    /** Writes the next range tombstones that begin at or before an entry, or all of them without one. */
    private void writeRanges(final EntryView entry) throws IOException {
        while (nextRange < ranges.size() && (entry == null
            || compare(ranges.get(nextRange).fromInclusive(), entry.keyBuffer(), entry.keyLength()) <= 0)) {
            final RangeTombstone range = ranges.get(nextRange);
            table().rangeTombstone(range.fromInclusive(), range.toExclusive(), range.sequence());
            nextRange++;
        }
    }

    /** Returns the writer of the current output table. */
    private SstableWriter table() throws IOException {
        if (writer == null) {
            writer = SstableWriter.create(paths.next(), options.tables(), operations);
            outputs.add(writer.path());
            entriesInTable = 0;
            mostEntriesInTable = Math.min(entriesLeft, Math.max(1, options.maxTableBytes() / MIN_BYTES_PER_ENTRY));
            writer.begin(mostEntriesInTable, hasOperands ? Long.MAX_VALUE : bytesLeft, ranges.size() - nextRange);
        }
        return writer;
    }

    private void finishTable() throws IOException {
        if (writer != null) {
            writer.end();
            fileBytes += writer.fileBytes();
            writer.close();
            writer = null;
        }
    }

    private void advance(final int bytes) throws IOException {
        bytesRead += bytes;
        if (bytesRead < nextStep) {
            return;
        }
        nextStep = bytesRead + STEP_BYTES;
        progress.accept(bytesRead);
        final long ahead = started + (long) (bytesRead * NANOS_PER_SECOND / options.bytesPerSecond()) - System.nanoTime();
        if (ahead < MIN_PAUSE_NANOS) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(ahead);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("a merge was interrupted");
        }
    }

    /** Deletes the outputs. */
    private void abandon(final Throwable failure) {
        try {
            if (writer != null) {
                writer.close();
            }
        } catch (final IOException e) {
            failure.addSuppressed(e);
        }
        for (final Path output : outputs) {
            try {
                operations.delete(output);
            } catch (final IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
