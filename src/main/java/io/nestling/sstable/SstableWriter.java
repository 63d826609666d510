/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.TableEntryLayout.FORM_RANGE_TOMBSTONE;
import static io.nestling.sstable.TableEntryLayout.MAX_KEY_BYTES;
import static io.nestling.sstable.TableEntryLayout.MAX_SEQUENCE;
import static io.nestling.sstable.TableEntryLayout.MAX_VALUE_BYTES;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.Varint;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a table file under a temporary name (the final one with {@code .tmp} added), forces it to the device, renames it, and
 * forces the directory. So the final name has the whole table or does not exist, whatever fails or crashes. {@link #close}
 * without a successful {@link #end} deletes the temporary file; a writer overwrites one that a killed process left behind.
 * <p>
 * Memory: one data block, one index block, the write buffer, the range tombstones of one block, ten bits an announced
 * entry for the filter, and a copy of a value of more than 64 KiB. After a method has thrown, only {@link #close} may be called.
 * <h2>Thread safety</h2>
 * One thread at a time. An interrupt makes the write fail with an {@link IOException}.
 */
public final class SstableWriter implements EntrySink, AutoCloseable {
    /** Suffix of the final name while the table is written. */
    public static final String TEMPORARY_SUFFIX = PendingFile.TEMPORARY_SUFFIX;

    private static final int MAX_KEPT_VALUE_BYTES = 1 << 20;
    private static final int MESSAGE_KEY_BYTES = 32;
    private static final byte[] NO_END = {};

    /*
     * table  := ( ( VALUE* DATA ) | INDEX | RANGE_TOMBSTONES )* FILTER* DIRECTORY+ PROPERTIES footer
     *
     * DATA, INDEX, RANGE_TOMBSTONES   entries (TableEntryLayout); an index block or range tombstone block is
     *                                 written as soon as it is full
     * VALUE                           chunks of the values of more than 64 KiB that the next data block has
     * FILTER                          bits of KeyFilter, in chunks
     * DIRECTORY                       handles of index blocks, then of range tombstone blocks (HandleList),
     *                                 in chunks
     * PROPERTIES                      TableProperties, with the handles of filter and directory
     * footer                          handle of PROPERTIES, checksum, version, magic (Footer)
     *
     * Each of the words in capitals is a block: header and payload (TableBlockLayout).
     */

    /* Keys whose blocks of the filter come from memory together. Each alone, they would take a third of a flush. */
    private static final int HASHES_TOGETHER = 32;

    private enum State { NEW, WRITING, PUBLISHED, FAILED, CLOSED }

    private final Path path;
    private final PendingFile pending;
    private final SstableOptions options;
    private final BlockOutput output;
    private final BlockBuilder data = new BlockBuilder();
    private final BlockBuilder ranges = new BlockBuilder();
    private final HandleList rangeBlocks = new HandleList();
    private final BlockIndexWriter index;
    private final TableStatistics statistics = new TableStatistics();
    private KeyFilter filter;
    /* Hashes of the last keys, which the filter does not have yet. */
    private final long[] hashes = new long[HASHES_TOGETHER];
    private int hashCount;
    private TableProperties properties;
    private long announcedEntries;
    private long announcedBytes;
    private long announcedRanges;
    private byte[] largeValue = new byte[0];
    private State state = State.NEW;

    private SstableWriter(final PendingFile pending, final SstableOptions options) {
        this.pending = pending;
        this.options = options;
        path = pending.path();
        output = new BlockOutput(pending.file(), options.compression());
        index = new BlockIndexWriter(output, options.blockBytes());
    }

    /**
     * Creates a writer of a table.
     *
     * @param finalPath its final name, which must not exist
     * @param options how to write it
     * @return a writer, to be closed by the caller
     * @throws java.nio.file.FileAlreadyExistsException if the name exists
     * @throws IOException if the temporary file cannot be created, or another writer has it open
     */
    public static SstableWriter create(final Path finalPath, final SstableOptions options) throws IOException {
        return create(finalPath, options, SystemFileOperations.INSTANCE);
    }

    static SstableWriter create(
        final Path finalPath, final SstableOptions options, final FileOperations operations)
        throws IOException {
        final Path path = finalPath.toAbsolutePath();
        try {
            return new SstableWriter(new PendingFile(path, operations), options);
        } catch (final FileAlreadyExistsException e) {
            throw e;
        } catch (final IOException e) {
            throw failed("create", path, e);
        }
    }

    @Override
    public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) throws IOException {
        require(State.NEW, "begin");
        if (entryCount < 0 || byteCount < 0 || rangeTombstoneCount < 0) {
            throw new IllegalArgumentException("expected counts of at least 0 but was " + entryCount + " entries, " + byteCount
                + " bytes and " + rangeTombstoneCount + " range tombstones");
        }
        announcedEntries = entryCount;
        announcedBytes = byteCount;
        announcedRanges = rangeTombstoneCount;
        filter = KeyFilter.forKeys(entryCount);
        state = State.WRITING;
    }

    @Override
    public void entry(final EntryView entry) throws IOException {
        require(State.WRITING, "entry");
        state = State.FAILED;
        try {
            add(entry);
        } catch (final IOException e) {
            throw failed("write", path, e);
        }
        state = State.WRITING;
    }

    private void add(final EntryView entry) throws IOException {
        final byte[] key = entry.keyBuffer();
        final int keyLength = entry.keyLength();
        final long sequence = entry.sequence();
        final EntryKind kind = entry.kind();
        final int valueLength = kind.isValue() ? entry.valueLength() : 0;
        final long expiry = kind == EntryKind.EXPIRING ? entry.expiry() : 0;
        checkLimits(keyLength, valueLength, sequence);
        EntryArguments.checkExpiry(expiry);

        // Computed, not taken from the view, whose cursor may have passed entries that were not written.
        final int common = data.commonPrefix(key, keyLength);
        final boolean first = statistics.entryCount() == 0;
        final boolean newKey = first || common != keyLength || common != data.lastKeyLength();
        if (!first) {
            checkOrder(key, keyLength, common, sequence);
        }
        final int form = TableEntryLayout.formOf(kind, valueLength);
        final boolean isApart = TableEntryLayout.isApart(form);
        final int bytesInBlock = (isApart ? 2 * Varint.MAX_LONG_BYTES : valueLength) + bytesBefore(form, expiry);
        if (!data.isEmpty() && data.sizeWith(keyLength, common, bytesInBlock) > options.blockBytes()) {
            finishDataBlock();
        }
        if (data.isEmpty() && !first) {
            index.beginBlock(key, keyLength, common, sequence, newKey);
        }
        final ChunkedHandle chunks = isApart ? writeLargeValue(entry, valueLength) : null;
        data.addKey(key, keyLength, common, sequence, form, valueLength);
        if (kind == EntryKind.EXPIRING) {
            data.addVarint(expiry);
        }
        if (chunks != null) {
            data.addVarint(chunks.offset());
            data.addVarint(chunks.storedLength());
        } else if (kind.isValue()) {
            final int start = data.addSpace(valueLength);
            entry.copyValue(data.buffer(), start);
        }
        if (newKey) {
            if (hashCount == hashes.length) {
                addHashes();
            }
            hashes[hashCount++] = KeyFilter.hash(key, 0, keyLength);
        }
        if (first) {
            statistics.setSmallestKey(key, keyLength);
        }
        statistics.addEntry(keyLength, form, valueLength, sequence, newKey);
    }

    private void addHashes() {
        filter.addAll(hashes, hashCount);
        hashCount = 0;
    }

    private void checkLimits(final int keyLength, final int valueLength, final long sequence) {
        EntryArguments.checkLength("key", keyLength, MAX_KEY_BYTES);
        EntryArguments.checkLength("value", valueLength, MAX_VALUE_BYTES);
        checkSequence(sequence);
        if (statistics.entryCount() == announcedEntries) {
            throw new IllegalStateException(
                "entry " + (announcedEntries + 1) + " of " + announcedEntries + " announced: table " + path);
        }
    }

    /** Returns the bytes that precede a value, or the handle of one that is stored apart. */
    private static int bytesBefore(final int form, final long expiry) {
        return form < TableEntryLayout.FIRST_LATER_FORM ? 0 : 1 + (TableEntryLayout.expires(form) ? Varint.length(expiry) : 0);
    }

    private static void checkSequence(final long sequence) {
        if (sequence < 0 || sequence > MAX_SEQUENCE) {
            throw new IllegalArgumentException("expected a sequence number of 0 to " + MAX_SEQUENCE + " but was " + sequence);
        }
    }

    private void checkOrder(final byte[] key, final int keyLength, final int common, final long sequence) {
        final byte[] last = data.lastKey();
        final int lastLength = data.lastKeyLength();
        final boolean ascends;
        if (common == lastLength && common == keyLength) {
            ascends = sequence < data.lastSequence();
        } else {
            ascends = common == lastLength
                || common < keyLength && Byte.toUnsignedInt(key[common]) > Byte.toUnsignedInt(last[common]);
        }
        if (!ascends) {
            throw new IllegalStateException("entry " + describe(key, keyLength) + " with sequence " + sequence
                + " after " + describe(last, lastLength) + " with sequence " + data.lastSequence()
                + ": table " + path);
        }
    }

    private static String describe(final byte[] key, final int length) {
        final String text = "0x" + HexFormat.of().formatHex(key, 0, Math.min(length, MESSAGE_KEY_BYTES));
        return length <= MESSAGE_KEY_BYTES ? text : text + "... (" + length + " bytes)";
    }

    private ChunkedHandle writeLargeValue(final EntryView entry, final int length) throws IOException {
        final byte[] value = largeValue.length >= length ? largeValue : new byte[length];
        largeValue = length <= MAX_KEPT_VALUE_BYTES ? value : largeValue;
        entry.copyValue(value, 0);
        return output.writeChunks(BlockType.VALUE, value, length);
    }

    @Override
    public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) throws IOException {
        require(State.WRITING, "rangeTombstone");
        state = State.FAILED;
        checkRange(fromInclusive, toExclusive, sequence);
        try {
            final byte[] end = toExclusive == null ? NO_END : toExclusive;
            final int common = ranges.commonPrefix(fromInclusive, fromInclusive.length);
            if (!ranges.isEmpty() && ranges.sizeWith(fromInclusive.length, common, end.length) > options.blockBytes()) {
                finishRangeBlock();
            }
            ranges.addKey(fromInclusive, fromInclusive.length, common, sequence, FORM_RANGE_TOMBSTONE, end.length);
            ranges.addBytes(end, 0, end.length);
        } catch (final IOException e) {
            throw failed("write", path, e);
        }
        statistics.addRangeTombstone(sequence);
        state = State.WRITING;
    }

    private void checkRange(final byte[] from, final byte[] to, final long sequence) {
        final int length = to == null ? from.length : Math.max(from.length, to.length);
        if (length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                "expected a range tombstone with keys of at most " + MAX_KEY_BYTES + " bytes but was " + length);
        }
        if (to != null && ByteComparison.compare(from, to) >= 0) {
            throw new IllegalArgumentException("range tombstone from " + describe(from, from.length) + " to "
                + describe(to, to.length) + " covers no key");
        }
        checkSequence(sequence);
        if (statistics.rangeTombstoneCount() == announcedRanges) {
            throw new IllegalStateException("range tombstone " + (announcedRanges + 1) + " of "
                + announcedRanges + " announced: table " + path);
        }
        if (statistics.rangeTombstoneCount() > 0 && compareWithLast(from, ranges) < 0) {
            throw new IllegalStateException("range tombstone from " + describe(from, from.length)
                + " after one from " + describe(ranges.lastKey(), ranges.lastKeyLength()) + ": table "
                + path);
        }
        if (statistics.entryCount() > 0 && compareWithLast(from, data) <= 0) {
            throw new IllegalStateException("range tombstone from " + describe(from, from.length)
                + " after entry " + describe(data.lastKey(), data.lastKeyLength()) + ": table " + path);
        }
    }

    private static int compareWithLast(final byte[] key, final BlockBuilder builder) {
        return ByteComparison.compare(key, 0, key.length, builder.lastKey(), 0, builder.lastKeyLength());
    }

    @Override
    public void end() throws IOException {
        require(State.WRITING, "end");
        state = State.FAILED;
        if (statistics.byteCount() > announcedBytes) { // the other counts were checked as they grew
            throw new IllegalStateException(
                statistics.byteCount() + " bytes of keys and values given, " + announcedBytes + " announced: table " + path);
        }
        try {
            finishTable();
            output.force();
            pending.rename();
        } catch (final IOException e) {
            throw failed("write", path, e);
        }
        try {
            pending.forceName();
        } catch (final IOException e) {
            throw failed("make sure that a crash does not undo the name of the complete", path, e);
        }
        state = State.PUBLISHED;
    }

    private void finishTable() throws IOException {
        if (!data.isEmpty()) {
            finishDataBlock();
        }
        if (!ranges.isEmpty()) {
            finishRangeBlock();
        }
        index.finish();
        final Map<String, byte[]> values = new TreeMap<>();
        addHashes();
        filter = filter.shrunkTo(statistics.keyCount());
        values.put(TableProperties.FILTER, TableProperties.encodeHandle(output.writeChunks(filter)));
        values.put(TableProperties.DIRECTORY, TableProperties.encodeHandle(writeDirectory()));
        values.put(TableProperties.CREATOR, options.creator().getBytes(StandardCharsets.UTF_8));
        values.put(TableProperties.INDEX_KIND, options.indexKind().getBytes(StandardCharsets.UTF_8));
        values.put(TableProperties.COMPRESSION, options.compression().label().getBytes(StandardCharsets.UTF_8));
        statistics.putInto(values, data.lastKey(), data.lastKeyLength());
        properties = new TableProperties(values);
        final byte[] payload = properties.encode();
        final BlockHandle handle = output.writeBlock(BlockType.PROPERTIES, payload, 0, payload.length);
        output.writeRaw(Footer.encode(handle, statistics.version()));
    }

    private ChunkedHandle writeDirectory() throws IOException {
        final long length = (long) index.blocks().encodedLength() + rangeBlocks.encodedLength();
        if (length < 0 || length > MAX_VALUE_BYTES) {
            throw new IOException("directory of " + length + " bytes is longer than " + MAX_VALUE_BYTES);
        }
        final byte[] directory = new byte[(int) length];
        rangeBlocks.encode(directory, index.blocks().encode(directory, 0));
        return output.writeChunks(BlockType.DIRECTORY, directory, directory.length);
    }

    private void finishDataBlock() throws IOException {
        final int length = data.finish();
        index.endBlock(output.writeBlock(BlockType.DATA, data.buffer(), 0, length));
        statistics.addDataBlock();
        data.reset();
    }

    private void finishRangeBlock() throws IOException {
        final int length = ranges.finish();
        rangeBlocks.add(output.writeBlock(BlockType.RANGE_TOMBSTONES, ranges.buffer(), 0, length));
        ranges.reset();
    }

    /**
     * Returns the path of the table.
     *
     * @return absolute path
     */
    public Path path() {
        return path;
    }

    /**
     * Returns the current size of the file; after {@link #end} its final size.
     *
     * @return bytes
     */
    public long fileBytes() {
        return output.position();
    }

    /**
     * Returns the properties of the table.
     *
     * @return the properties
     * @throws IllegalStateException before a successful {@link #end}
     */
    public TableProperties properties() {
        if (!pending.renamed()) {
            throw new IllegalStateException("table " + path + " is not complete");
        }
        return properties;
    }

    /**
     * Closes the file. Without a successful {@link #end}, nothing remains of the table, unless it was renamed already: then the
     * whole table has its final name. Closing twice does nothing.
     *
     * @throws IOException if the temporary file cannot be deleted
     */
    @Override
    public void close() throws IOException {
        final State before = state;
        state = State.CLOSED;
        if (before == State.CLOSED || before == State.PUBLISHED) {
            return;
        }
        try {
            pending.close();
        } catch (final IOException e) {
            throw failed("remove the temporary file of", path, e);
        }
    }

    private void require(final State wanted, final String method) {
        if (state != wanted) {
            throw new IllegalStateException(method + " while the writer of table " + path + " is " + state);
        }
    }

    private static IOException failed(final String what, final Path path, final IOException e) {
        final String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new IOException("cannot " + what + " table " + path + ": " + reason, e);
    }
}
