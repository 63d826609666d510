/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.ByteComparison;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Reads a table file from its first to its last byte and checks:
 * <ol>
 * <li>blocks follow each other without a gap up to the footer, and each has the right checksum and
 * unpacks;</li>
 * <li>index, directory and properties list exactly the blocks of the file, in order;</li>
 * <li>keys ascend, and versions of one key descend by sequence number;</li>
 * <li>keys are front-coded as far as possible, and each 16th entry is a restart point;</li>
 * <li>each bound of the block index separates its block from the previous one;</li>
 * <li>the entries after the chunks of large values refer to exactly these chunks;</li>
 * <li>the filter contains every key;</li>
 * <li>counts, key range and sequence range of the properties are right.</li>
 * </ol>
 * The first problem throws a {@link CorruptTableException} with the number and offset of the block.
 */
final class TableVerifier {
    private final SstableReader table;
    private final BlockReader reader;
    private final BlockBuffer buffer = new BlockBuffer();
    private final BlockCursor entries;
    private final BlockCursor bounds = BlockCursor.ofIndex();
    private final BlockCursor ranges = BlockCursor.ofEntries();
    private final BlockIndex.Cursor index;
    private final TableStatistics statistics = new TableStatistics();
    private final ArrayDeque<ChunkedHandle> pendingChunks = new ArrayDeque<>();

    private boolean indexValid;
    private int indexBlocks;
    private int rangeBlocks;
    private long filterOffset;
    private long directoryOffset;
    private boolean propertiesSeen;

    private byte[] lastKey = new byte[64];
    private int lastKeyLength;
    private long lastSequence;

    /** The current block. */
    private BlockType type;
    private long offset;
    private int length;

    TableVerifier(final SstableReader table, final BlockReader reader) {
        this.table = table;
        this.reader = reader;
        entries = BlockCursor.ofEntries(table.version());
        index = table.index().cursor();
        indexValid = index.first();
        filterOffset = table.properties().filter().offset();
        directoryOffset = table.properties().directory().offset();
    }

    void run(final LongConsumer progress) throws IOException {
        long number = 0;
        while (offset < reader.end()) {
            reader.setBlockNumber(number++);
            type = null;
            length = reader.fetch(null, offset, reader.end(), buffer);
            type = BlockType.of(buffer.stored()[TableBlockLayout.TYPE_OFFSET]);
            try {
                reader.unpack(buffer, buffer.raw(buffer.rawLength()), 0);
                checkBlock();
            } catch (final MalformedBlockException e) {
                throw reader.corrupt(type, offset, e.getMessage(), e);
            }
            offset += length;
            progress.accept(offset);
        }
        try {
            checkEnd();
        } catch (final MalformedBlockException e) {
            throw CorruptTableException.ofFile(table.path(), e.getMessage());
        }
    }

    private void checkBlock() {
        switch (type) {
            case DATA -> checkDataBlock();
            case VALUE -> pendingChunks.add(new ChunkedHandle(offset, length, buffer.rawLength()));
            case INDEX -> checkIndexBlock();
            case RANGE_TOMBSTONES -> {
                checkListed(table.rangeHandles(), rangeBlocks++, "range tombstone block");
                checkRangeTombstones();
            }
            case FILTER -> {
                requireOffset("filter chunk", filterOffset);
                filterOffset += length;
            }
            case DIRECTORY -> {
                requireOffset("directory chunk", directoryOffset);
                directoryOffset += length;
            }
            case PROPERTIES -> {
                requireOffset("properties", table.propertiesHandle().offset());
                propertiesSeen = true;
            }
            default -> throw new AssertionError("block type " + type);
        }
    }

    private void checkIndexBlock() {
        checkListed(table.indexHandles(), indexBlocks, "index block");
        final byte[] loaded = table.index().blocks()[indexBlocks++];
        if (!Arrays.equals(buffer.raw(), 0, buffer.rawLength(), loaded, 0, loaded.length)) {
            throw new MalformedBlockException("index block changed since the table was opened");
        }
        bounds.load(loaded, loaded.length);
        bounds.first();
        int count = 0;
        do {
            checkRestart(bounds, count++);
        } while (bounds.next());
        checkRestartCount(bounds, count);
    }

    private void requireOffset(final String what, final long expected) {
        if (offset != expected) {
            throw new MalformedBlockException(what + " is not where it should be, at " + expected);
        }
    }

    private void checkListed(final HandleList handles, final int next, final String what) {
        if (next >= handles.size() || !handles.get(next).equals(new BlockHandle(offset, length))) {
            throw new MalformedBlockException(what + " " + next + " of the directory is not this one");
        }
    }

    private void checkDataBlock() {
        if (!indexValid || index.blockOffset() != offset || index.blockLength() != length) {
            throw new MalformedBlockException("data block " + statistics.dataBlockCount() + " of the index is not this one");
        }
        entries.load(buffer.raw(), buffer.rawLength());
        entries.first();
        if (index.compare(entries.keyBuffer(), 0, entries.keyLength(), entries.sequence()) > 0
            || statistics.dataBlockCount() > 0
            && index.compare(lastKey, 0, lastKeyLength, lastSequence) <= 0) {
            throw new MalformedBlockException("its bound is not between it and the block before");
        }
        int count = 0;
        do {
            checkEntry(count++);
        } while (entries.next());
        checkRestartCount(entries, count);
        checkNoPendingChunks();
        statistics.addDataBlock();
        indexValid = index.next();
    }

    private void checkEntry(final int number) {
        checkRestart(entries, number);
        final byte[] key = entries.keyBuffer();
        final int keyLength = entries.keyLength();
        final boolean first = statistics.entryCount() == 0;
        final int common = ByteComparison.commonPrefix(lastKey, 0, lastKeyLength, key, 0, keyLength);
        final boolean newKey = first || common != keyLength || common != lastKeyLength;
        if (!first && entries.compare(lastKey, 0, lastKeyLength, lastSequence) <= 0) {
            throw new MalformedBlockException("entry " + number + " of the block is not above the one before");
        }
        if (!entries.atRestart() && entries.shared() != common) {
            throw new MalformedBlockException("entry " + number + " of the block shares " + entries.shared()
                + " bytes with the one before, and could share " + common);
        }
        if (entries.form() == TableEntryLayout.FORM_RANGE_TOMBSTONE) {
            throw new MalformedBlockException("entry " + number + " of the block is a range tombstone");
        }
        if (TableEntryLayout.isApart(entries.form())) {
            checkChunks(entries.apart());
        }
        if (newKey && !table.filter().mayContain(KeyFilter.hash(key, 0, keyLength))) {
            throw new MalformedBlockException("the filter does not know the key of entry " + number + " of the block");
        }
        if (first) {
            statistics.setSmallestKey(key, keyLength);
        }
        statistics.addEntry(keyLength, entries.form(), entries.valueLength(), entries.sequence(), newKey);
        if (lastKey.length < keyLength) {
            lastKey = new byte[2 * keyLength];
        }
        System.arraycopy(key, 0, lastKey, 0, keyLength);
        lastKeyLength = keyLength;
        lastSequence = entries.sequence();
    }

    private static void checkRestart(final BlockCursor entries, final int number) {
        final boolean expected = number % TableEntryLayout.RESTART_INTERVAL == 0;
        if (entries.atRestart() != expected || expected && entries.shared() != 0) {
            throw new MalformedBlockException(
                "restart points are not at each " + TableEntryLayout.RESTART_INTERVAL + "th entry: see entry "
                + number);
        }
    }

    private static void checkRestartCount(final BlockCursor entries, final int entryCount) {
        final int expected = (entryCount + TableEntryLayout.RESTART_INTERVAL - 1) / TableEntryLayout.RESTART_INTERVAL;
        if (entries.restartCount() != expected) {
            throw new MalformedBlockException(entries.restartCount() + " restart points for " + entryCount + " entries");
        }
    }

    private void checkChunks(final ChunkedHandle value) {
        long raw = 0;
        long stored = 0;
        while (raw < value.rawLength()) {
            final ChunkedHandle chunk = pendingChunks.poll();
            final long expected = Math.min(TableBlockLayout.CHUNK_BYTES, value.rawLength() - raw);
            if (chunk == null || chunk.offset() != value.offset() + stored || chunk.rawLength() != expected) {
                throw new MalformedBlockException("value at " + value.offset() + " is not in the chunks before the block");
            }
            raw += chunk.rawLength();
            stored += chunk.storedLength();
        }
        if (stored != value.storedLength()) {
            throw new MalformedBlockException(
                "value at " + value.offset() + " takes " + stored + " bytes, not " + value.storedLength());
        }
    }

    private void checkNoPendingChunks() {
        if (!pendingChunks.isEmpty()) {
            throw new MalformedBlockException("no entry refers to the value chunk at " + pendingChunks.peek().offset());
        }
    }

    private void checkRangeTombstones() {
        ranges.load(buffer.raw(), buffer.rawLength());
        ranges.first();
        int count = 0;
        do {
            checkRestart(ranges, count++);
            statistics.addRangeTombstone(ranges.sequence());
        } while (ranges.next());
        checkRestartCount(ranges, count);
    }

    private void checkEnd() {
        final TableProperties properties = table.properties();
        if (indexValid) {
            throw new MalformedBlockException("data block at " + index.blockOffset() + " of the index is not there");
        }
        checkNoPendingChunks();
        if (indexBlocks != table.indexHandles().size() || rangeBlocks != table.rangeHandles().size()
            || !propertiesSeen
            || filterOffset != properties.filter().offset() + properties.filter().storedLength()
            || directoryOffset != properties.directory().offset() + properties.directory().storedLength()) {
            throw new MalformedBlockException("a block that directory or properties name is not there");
        }
        if (statistics.version() != table.version()) {
            throw new MalformedBlockException(
                "the footer names version " + table.version() + ", the entries need version " + statistics.version());
        }
        final Map<String, byte[]> counted = new TreeMap<>();
        statistics.putInto(counted, lastKey, lastKeyLength);
        counted.putIfAbsent(TableProperties.EXPIRING_COUNT, null);
        counted.putIfAbsent(TableProperties.OPERAND_COUNT, null);
        for (final Map.Entry<String, byte[]> entry : counted.entrySet()) {
            final byte[] said = properties.asMap().get(entry.getKey());
            if (!Arrays.equals(entry.getValue(), said)) {
                throw new MalformedBlockException("property '" + entry.getKey() + "' does not agree with the entries");
            }
        }
    }
}
