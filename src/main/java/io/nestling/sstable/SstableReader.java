/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeSize;
import io.nestling.index.RangeTombstone;
import io.nestling.index.ValueRules;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;

/**
 * Reads a table file. Opening reads and checks footer, properties, filter, block index and range tombstones,
 * which stay in memory. A lookup then reads one data block, or none if the filter rules the key out.
 * <p>
 * Corrupt content throws {@link CorruptTableException}, which names the file, the block and the problem; cursors throw it as
 * the cause of an {@link UncheckedIOException}.
 * <h2>Thread safety</h2>
 * Any number of threads may use a reader at the same time; a cursor is used by one. Interrupts neither end a
 * read nor disturb other threads: the interrupt status of the thread is kept. After {@link #close}, every use
 * throws {@link IllegalStateException}.
 */
public final class SstableReader implements AutoCloseable {
    /* Greatest size of the buffers that an idle cursor keeps: those of blocks of up to 30 KiB, not of single large entries. In a
       table of larger blocks, each lookup allocates its buffers. */
    private static final int MAX_IDLE_BYTES = 64 << 10;

    private final TableFile file;
    private final BlockReader blocks;
    /* Null for none. */
    private final BlockCache cache;
    private final int version;
    private final TableProperties properties;
    private final BlockHandle propertiesHandle;
    private final HandleList indexHandles;
    private final HandleList rangeHandles;
    private final BlockIndex index;
    private final KeyFilter filter;
    private final TableRangeTombstones rangeTombstones;
    /** Cursors that wait for the next lookup. */
    final Queue<TableCursor> idleCursors = new ConcurrentLinkedQueue<>();

    private SstableReader(final TableFile file, final BlockCache cache) throws IOException {
        this.file = file;
        this.cache = cache;
        final long footerOffset = file.size() - Footer.BYTES;
        if (footerOffset < 0) {
            throw CorruptTableException.ofFile(
                file.path(), "footer: a file of " + file.size() + " bytes is too short to be a table");
        }
        final byte[] footer = new byte[Footer.BYTES];
        file.read(footerOffset, footer, 0, footer.length);
        propertiesHandle = Footer.decode(file.path(), footer, file.size());
        version = Footer.version(footer);
        blocks = new BlockReader(file, footerOffset);
        properties = readProperties();

        final ChunkedHandle directoryHandle = properties.directory();
        if (directoryHandle.rawLength() > HandleList.maxEncodedLength(footerOffset)) {
            throw blocks.corrupt(BlockType.DIRECTORY, directoryHandle.offset(), "directory of "
                + directoryHandle.rawLength() + " bytes for blocks of " + footerOffset + " bytes", null);
        }
        final byte[] directory = blocks.readChunks(BlockType.DIRECTORY, directoryHandle);
        try {
            indexHandles = HandleList.decode(directory, 0);
            rangeHandles = HandleList.decode(directory, indexHandles.encodedLength());
            if (indexHandles.encodedLength() + rangeHandles.encodedLength() != directory.length) {
                throw new MalformedBlockException("directory of " + directory.length + " bytes has bytes to spare");
            }
        } catch (final MalformedBlockException e) {
            throw blocks.corrupt(BlockType.DIRECTORY, directoryHandle.offset(), e.getMessage(), e);
        }
        index = BlockIndex.load(blocks, indexHandles);
        checkCount("data blocks", index.dataBlockCount(), properties.dataBlockCount());
        rangeTombstones = TableRangeTombstones.read(blocks, rangeHandles);
        checkCount("range tombstones", rangeTombstones.asList().size(), properties.rangeTombstoneCount());
        filter = readFilter();
    }

    /**
     * Opens a table and checks all but its data blocks.
     *
     * @param path the file
     * @return a reader, to be closed by the caller
     * @throws CorruptTableException if it is not a table or a damaged one
     * @throws IOException if it cannot be read
     */
    public static SstableReader open(final Path path) throws IOException {
        return open(path, SystemFileOperations.INSTANCE);
    }

    /**
     * Opens a table as {@link #open(Path)} does, whose lookups and scans use a cache of blocks.
     *
     * @param path the file
     * @param cache the cache, which others may use too
     * @return a reader, to be closed by the caller
     * @throws CorruptTableException if it is not a table or a damaged one
     * @throws IOException if it cannot be read
     */
    public static SstableReader open(final Path path, final BlockCache cache) throws IOException {
        return open(path, SystemFileOperations.INSTANCE, Objects.requireNonNull(cache, "cache"));
    }

    static SstableReader open(final Path path, final FileOperations operations) throws IOException {
        return open(path, operations, null);
    }

    static SstableReader open(final Path path, final FileOperations operations, final BlockCache cache) throws IOException {
        final TableFile file = new TableFile(path.toAbsolutePath(), operations);
        try {
            return new SstableReader(file, cache);
        } catch (final IOException | RuntimeException | Error e) {
            try {
                file.close();
            } catch (final IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private TableProperties readProperties() throws IOException {
        final BlockBuffer buffer = new BlockBuffer();
        blocks.read(BlockType.PROPERTIES, propertiesHandle.offset(), propertiesHandle.length(), buffer);
        try {
            return TableProperties.decode(buffer.raw(), buffer.rawLength());
        } catch (final MalformedBlockException e) {
            throw blocks.corrupt(BlockType.PROPERTIES, propertiesHandle.offset(), e.getMessage(), e);
        }
    }

    private KeyFilter readFilter() throws IOException {
        final ChunkedHandle handle = properties.filter();
        blocks.checkRange(BlockType.FILTER, handle);
        final BlockBuffer raw = new BlockBuffer();
        try {
            final KeyFilter loaded = KeyFilter.ofSize(handle.rawLength(), properties.entryCount());
            blocks.readChunks(BlockType.FILTER, handle, (offset, chunk) -> {
                blocks.unpack(chunk, raw.raw(chunk.rawLength()), 0);
                loaded.putBytes(offset, raw.raw(), chunk.rawLength());
            });
            return loaded;
        } catch (final MalformedBlockException e) {
            throw blocks.corrupt(BlockType.FILTER, handle.offset(), e.getMessage(), e);
        }
    }

    private void checkCount(final String what, final long found, final long expected) throws CorruptTableException {
        if (found != expected) {
            throw CorruptTableException.ofFile(file.path(), found + " " + what + " are there, the properties say " + expected);
        }
    }

    /**
     * Looks a key up.
     *
     * @param key the key
     * @return the value of its newest version; null if the table has none, or it was deleted alone or with a range
     * @throws io.nestling.index.MergeFailedException if the key has operands: look it up with rules
     * @throws IOException if a block cannot be read or is corrupt
     */
    public byte[] get(final byte[] key) throws IOException {
        return lookup(key).overNothing(key, ValueRules.DEFAULT).value();
    }

    /**
     * Looks a key up as of a sequence number.
     *
     * @param key the key
     * @param maxSequence greatest sequence number that counts
     * @return the value of its newest version that counts; null if there is none, or it was deleted alone or with a range
     * @throws io.nestling.index.MergeFailedException if the key has operands: look it up with rules
     * @throws IOException if a block cannot be read or is corrupt
     */
    public byte[] get(final byte[] key, final long maxSequence) throws IOException {
        return lookup(key, maxSequence).overNothing(key, ValueRules.DEFAULT).value();
    }

    /**
     * Looks a key up and distinguishes a deleted key from one that the table does not contain.
     *
     * @param key the key
     * @return value, tombstone or absent
     * @throws IOException if a block cannot be read or is corrupt
     */
    public LookupResult lookup(final byte[] key) throws IOException {
        return lookup(key, TableEntryLayout.MAX_SEQUENCE);
    }

    /**
     * Looks a key up as of a sequence number and distinguishes a deleted key from one that the table does not contain.
     *
     * @param key the key
     * @param maxSequence greatest sequence number that counts
     * @return value, tombstone or absent; a range tombstone deletes entries with smaller sequence numbers
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
     * @param rules by which entries become values; the clock is read if the entry has an expiry
     * @return value, tombstone, operands or absent; an expired entry is a tombstone
     * @throws io.nestling.index.MergeFailedException if the rules have no operator for operands and a value, or it fails
     * @throws IOException if a block cannot be read or is corrupt
     */
    public LookupResult lookup(final byte[] key, final long maxSequence, final ValueRules rules) throws IOException {
        final LookupResult found = find(key, maxSequence, rules);
        return found.kind() == LookupResult.Kind.OPERANDS ? resolve(List.of(versions()), key, maxSequence, rules) : found;
    }

    /** Returns what some tables know of a key whose newest version is an operand. */
    static LookupResult resolve(
        final List<Versions> versions, final byte[] key, final long maxSequence, final ValueRules rules) throws IOException {
        try (VisibleCursor cursor = VisibleCursor.of(versions, maxSequence, rules)) {
            return cursor.resolve(key);
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Looks a key up as {@link #lookup(byte[], long, ValueRules)} does; if its newest version is an operand, does no more. */
    LookupResult find(final byte[] key, final long maxSequence, final ValueRules rules) throws IOException {
        file.checkOpen();
        final long sequence = Math.min(maxSequence, TableEntryLayout.MAX_SEQUENCE);
        if (sequence < 0) {
            return LookupResult.ABSENT;
        }
        final long deleted = rangeTombstones.newestCovering(key, key.length, sequence);
        if (filter.mayContain(KeyFilter.hash(key, 0, key.length))) {
            final TableCursor idle = idleCursors.poll();
            final TableCursor cursor = idle != null ? idle : newCursor();
            try {
                if (cursor.find(key, sequence) && cursor.sequence() >= deleted) {
                    if (cursor.kind() == EntryKind.OPERAND) {
                        return LookupResult.operands(cursor.sequence(), List.of());
                    }
                    final byte[] value = hasExpired(cursor, rules) ? null : cursor.value();
                    return value != null ? LookupResult.value(cursor.sequence(), value)
                        : LookupResult.tombstone(cursor.sequence());
                }
            } catch (final UncheckedIOException e) {
                throw e.getCause();
            } finally {
                if (cursor.heldBytes() <= MAX_IDLE_BYTES) {
                    idleCursors.add(cursor);
                }
            }
        }
        return deleted == TableRangeTombstones.NONE ? LookupResult.ABSENT : LookupResult.tombstone(deleted);
    }

    private static boolean hasExpired(final EntryView entry, final ValueRules rules) {
        return entry.kind() == EntryKind.EXPIRING && entry.expiry() <= rules.clock().getAsLong();
    }

    /**
     * Returns a new cursor over all entries: tombstones, expired entries and every version of a key, in forward direction from
     * new to old. Range tombstones are not applied. {@code seek} finds the newest version of a key, {@code seekLowerThan} the
     * oldest.
     *
     * @return an unpositioned cursor; its moves throw {@link UncheckedIOException} when a block cannot be read or is corrupt
     */
    public EntryCursor cursor() {
        file.checkOpen();
        return newCursor();
    }

    /**
     * Returns all versions in the table as they are, to be read together with those of other tables and memtables: see {@link
     * io.nestling.index.VisibleCursor}.
     *
     * @return a cursor as {@link #cursor} returns it, and the range tombstones; the caller closes them
     */
    public Versions versions() {
        return new TableVersions(this);
    }

    private TableCursor newCursor() {
        return new TableCursor(blocks, index, cache, version);
    }

    /** Returns a cursor as {@link #cursor} does, for reading a whole table once: past the cache. */
    EntryCursor uncachedCursor() {
        file.checkOpen();
        return new TableCursor(blocks, index, null, version);
    }

    /**
     * Returns the range tombstones.
     *
     * @return immutable list in ascending order of first keys
     */
    public List<RangeTombstone> rangeTombstones() {
        return rangeTombstones.asList();
    }

    /**
     * Returns the properties of the table.
     *
     * @return the properties
     */
    public TableProperties properties() {
        return properties;
    }

    /**
     * Returns the number of entries: values and tombstones, with every version of a key.
     *
     * @return the count
     */
    public long entryCount() {
        return properties.entryCount();
    }

    /**
     * Estimates what the table has in a range of keys, from its block index alone: nothing is read. A bound within the table
     * counts from the beginning of its data block, so that the bytes are off by two blocks at most, with the index blocks and
     * large values beside them; the entries are the same part of all entries as the bytes are of all data.
     *
     * @param fromInclusive first key of the range, or null for no lower bound
     * @param toExclusive first key after the range, or null for no upper bound
     * @return the estimate; nothing if the range is empty
     */
    public RangeSize approximateSize(final byte[] fromInclusive, final byte[] toExclusive) {
        file.checkOpen();
        final long all = index.dataEnd();
        final long start = fromInclusive == null ? 0 : dataOffset(fromInclusive, all);
        final long end = toExclusive == null ? all : dataOffset(toExclusive, all);
        return start >= end ? RangeSize.ZERO
            : new RangeSize(Math.round((double) entryCount() * (end - start) / all), end - start);
    }

    private long dataOffset(final byte[] key, final long all) {
        if (all == 0 || Arrays.compareUnsigned(key, properties.smallestKey()) <= 0) {
            return 0;
        }
        return Arrays.compareUnsigned(key, properties.greatestKey()) > 0 ? all : index.dataOffset(key);
    }

    /**
     * Returns the size of the file.
     *
     * @return bytes
     */
    public long fileBytes() {
        return file.size();
    }

    /**
     * Returns the path of the file.
     *
     * @return absolute path
     */
    public Path path() {
        return file.path();
    }

    /**
     * Reads the whole file and checks each block, the order of the entries, and index, filter and properties against them.
     *
     * @throws CorruptTableException for the first problem, with the number and offset of the block
     * @throws IOException if the file cannot be read
     */
    public void verify() throws IOException {
        verify(bytes -> { });
    }

    /**
     * Checks the whole file as {@link #verify()} and reports its progress.
     *
     * @param progress receives the number of bytes checked so far after each block
     * @throws CorruptTableException for the first problem, with the number and offset of the block
     * @throws IOException if the file cannot be read
     */
    public void verify(final LongConsumer progress) throws IOException {
        file.checkOpen();
        new TableVerifier(this, new BlockReader(file, blocks.end())).run(progress);
    }

    TableRangeTombstones rangeTombstoneIndex() {
        return rangeTombstones;
    }

    /** Returns the version of the format of the file. */
    int version() {
        return version;
    }

    BlockIndex index() {
        return index;
    }

    KeyFilter filter() {
        return filter;
    }

    HandleList indexHandles() {
        return indexHandles;
    }

    HandleList rangeHandles() {
        return rangeHandles;
    }

    BlockHandle propertiesHandle() {
        return propertiesHandle;
    }

    /**
     * Closes the file. Reads under way in other threads end with {@link IllegalStateException}. Closing twice does nothing.
     *
     * @throws IOException if closing fails
     */
    @Override
    public void close() throws IOException {
        idleCursors.clear();
        file.close();
    }
}
