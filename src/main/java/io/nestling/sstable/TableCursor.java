/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.TableEntryLayout.FORM_RANGE_TOMBSTONE;
import static io.nestling.sstable.TableEntryLayout.MAX_SEQUENCE;
import static io.nestling.sstable.TableEntryLayout.isApart;

import io.nestling.index.EntryKind;
import io.nestling.index.PositionedCursor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over all entries of one table, with tombstones and older versions; it neither shows nor applies range
 * tombstones. It holds one data block. A failed read or a corrupt block throws {@link UncheckedIOException} and leaves the
 * cursor unpositioned.
 */
final class TableCursor extends PositionedCursor {
    private static final long NO_BLOCK = -1L;

    private final BlockReader reader;
    /* Null for none. */
    private final BlockCache cache;
    private final BlockIndex.Cursor index;
    private final BlockCursor block;
    private final BlockBuffer buffer = new BlockBuffer();
    private long loadedOffset = NO_BLOCK;
    /* The block that is loaded: of the buffer, or of the cache. */
    private byte[] data;
    private int dataLength;
    private int commonPrefix;

    /** Creates a cursor, with a cache of blocks or null. The reader stands for the table in it. */
    TableCursor(final BlockReader reader, final BlockIndex index, final BlockCache cache, final int version) {
        this.reader = reader;
        this.block = BlockCursor.ofEntries(version);
        this.cache = cache;
        this.index = index.cursor();
    }

    /** A move of {@link #position}. */
    private enum Move { FIRST, LAST, AT_OR_ABOVE, BELOW, NEWEST_UP_TO }

    @Override
    public boolean first() {
        return position(Move.FIRST, null, 0, 0, 0);
    }

    @Override
    public boolean last() {
        return position(Move.LAST, null, 0, 0, 0);
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        return position(Move.AT_OR_ABOVE, key, offset, length, MAX_SEQUENCE);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        return position(Move.BELOW, key, offset, length, MAX_SEQUENCE);
    }

    /**
     * Moves to the newest version of a key up to a sequence number; returns whether there is one, otherwise the cursor is
     * unpositioned. Reads no block that cannot contain it.
     */
    boolean find(final byte[] key, final long maxSequence) {
        final boolean found = position(Move.NEWEST_UP_TO, key, 0, key.length, maxSequence);
        valid = found && block.compare(key, 0, key.length, block.sequence()) == 0;
        return valid;
    }

    /** Returns the size of the buffers, and of a block of the cache, in bytes. */
    int heldBytes() {
        final int cached = data == null || data == buffer.raw() ? 0 : data.length;
        return buffer.heldBytes() + block.keyBuffer().length + cached;
    }

    private boolean position(final Move move, final byte[] key, final int offset, final int length, final long sequence) {
        checkOpen();
        reader.file().checkOpen();
        valid = false;
        commonPrefix = 0;
        try {
            valid = switch (move) {
                case FIRST -> enter(index.first(), true);
                case LAST -> enter(index.last(), false);
                case AT_OR_ABOVE -> seekBlock(key, offset, length, sequence)
                    && (block.seek(key, offset, length, sequence) || enter(index.next(), true));
                case BELOW -> seekBlock(key, offset, length, sequence) && stepBelow(block.seek(key, offset, length, sequence));
                case NEWEST_UP_TO -> seekBlock(key, offset, length, sequence)
                    && (block.seek(key, offset, length, sequence) || enter(index.next() && isBound(key), true));
            } && checkEntry();
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    /** Moves to the entry before the current one, or to the last of the block if there is no current one. */
    private boolean stepBelow(final boolean found) throws IOException {
        if (found) {
            return block.previous() || enter(index.previous(), false);
        }
        block.last();
        return true;
    }

    /*
     * A bound between two keys has the greatest sequence number: then that block has no older version of the key.
     */
    private boolean isBound(final byte[] key) {
        return index.boundLength() == key.length && index.compare(key, 0, key.length, index.boundSequence()) == 0;
    }

    @Override
    public boolean next() {
        return step(true);
    }

    @Override
    public boolean previous() {
        return step(false);
    }

    private boolean step(final boolean forward) {
        if (!valid) {
            return false;
        }
        reader.file().checkOpen();
        valid = false; // stays so if a block cannot be read
        try {
            valid = (forward ? block.next() || enter(index.next(), true) : block.previous() || enter(index.previous(), false))
                && checkEntry();
            commonPrefix = block.commonPrefix();
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    /** Loads the block of the index cursor, if that has found one, and moves to its first or last entry. */
    private boolean enter(final boolean found, final boolean first) throws IOException {
        if (found) {
            load();
            if (first) {
                block.first();
            } else {
                block.last();
            }
        }
        return found;
    }

    private boolean seekBlock(final byte[] key, final int offset, final int length, final long sequence) throws IOException {
        if (!index.floor(key, offset, length, sequence)) {
            return false;
        }
        load();
        return true;
    }

    /** Loads the data block of the index cursor. */
    private void load() throws IOException {
        final long offset = index.blockOffset();
        if (offset != loadedOffset) {
            loadedOffset = NO_BLOCK;
            data = cache == null ? null : cache.get(reader, offset);
            if (data == null) {
                read(offset);
            } else {
                reader.file().checkOpen();
                dataLength = data.length;
            }
            loadedOffset = offset;
        }
        block.load(data, dataLength);
    }

    private void read(final long offset) throws IOException {
        reader.read(BlockType.DATA, offset, index.blockLength(), buffer);
        dataLength = buffer.rawLength();
        if (cache == null) {
            data = buffer.raw();
        } else {
            data = Arrays.copyOf(buffer.raw(), dataLength);
            cache.put(reader, offset, data);
        }
    }

    private boolean checkEntry() throws IOException {
        if (block.form() == FORM_RANGE_TOMBSTONE) {
            throw new MalformedBlockException("range tombstone in a data block");
        }
        if (isApart(block.form())) {
            reader.checkRange(BlockType.VALUE, block.apart()); // before a caller allocates its length
        }
        return true;
    }

    private UncheckedIOException failed(final Exception e) {
        valid = false;
        final long offset = loadedOffset;
        loadedOffset = NO_BLOCK;
        final IOException cause = e instanceof IOException io ? io : reader.corrupt(BlockType.DATA, offset, e.getMessage(), e);
        return new UncheckedIOException(cause.getMessage(), cause);
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return block.keyBuffer();
    }

    @Override
    public int keyLength() {
        checkValid();
        return block.keyLength();
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return commonPrefix;
    }

    @Override
    public long sequence() {
        checkValid();
        return block.sequence();
    }

    @Override
    public EntryKind kind() {
        checkValid();
        return TableEntryLayout.kindOf(block.form());
    }

    @Override
    public long expiry() {
        checkValid();
        return kind() == EntryKind.EXPIRING ? block.expiry() : super.expiry();
    }

    @Override
    public int valueLength() {
        checkValid();
        return block.valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        checkValid();
        final int length = block.valueLength();
        Objects.checkFromIndexSize(offset, length, destination.length);
        if (!isApart(block.form())) {
            System.arraycopy(block.data(), block.valueOffset(), destination, offset, length);
            return length;
        }
        reader.file().checkOpen();
        try {
            reader.readChunks(BlockType.VALUE, block.apart(),
                (rawOffset, chunk) -> reader.unpack(chunk, destination, offset + (int) rawOffset));
        } catch (final IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return length;
    }

    @Override
    public byte[] value() {
        checkValid();
        if (isApart(block.form())) {
            reader.file().checkOpen();
            try {
                return reader.readChunks(BlockType.VALUE, block.apart());
            } catch (final IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
        return super.value();
    }

    @Override
    public void close() {
        super.close();
        loadedOffset = NO_BLOCK;
    }
}
