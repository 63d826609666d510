/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.EntryLayout.FORM_RANGE_TOMBSTONE;
import static io.nestling.sstable.EntryLayout.FORM_VALUE_APART;
import static io.nestling.sstable.EntryLayout.MAX_SEQUENCE;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/**
 * All entries of one table, tombstones and older versions included; range tombstones are neither shown nor
 * applied. It holds one data block. Failed reads and corrupt blocks throw {@link UncheckedIOException}, and
 * the cursor stands nowhere then.
 */
final class TableCursor implements EntryCursor {
    private static final long NOTHING = -1L;

    private final BlockReader reader;
    private final BlockIndex.Cursor index;
    private final BlockCursor block = BlockCursor.ofEntries();
    private final BlockBuffer buffer = new BlockBuffer();
    private long loadedOffset = NOTHING;
    private int commonPrefix;
    private boolean valid;

    TableCursor(final BlockReader reader, final BlockIndex index) {
        this.reader = reader;
        this.index = index.cursor();
    }

    @Override
    public boolean first() {
        begin();
        try {
            if (index.first()) {
                load();
                block.first();
                valid = landed();
            }
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    @Override
    public boolean last() {
        begin();
        try {
            if (index.last()) {
                load();
                block.last();
                valid = landed();
            }
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        begin();
        try {
            if (index.floor(key, offset, length, MAX_SEQUENCE)) {
                load();
                valid = (block.seek(key, offset, length, MAX_SEQUENCE) || firstOfNext()) && landed();
            }
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        begin();
        try {
            if (index.floor(key, offset, length, MAX_SEQUENCE)) {
                load();
                if (!block.seek(key, offset, length, MAX_SEQUENCE)) {
                    block.last();
                    valid = landed();
                } else {
                    valid = (block.previous() || lastOfPrevious()) && landed();
                }
            }
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    /**
     * Moves to the newest version of a key up to a sequence number. Reads no block that cannot hold it.
     *
     * @return whether there is one; the cursor stands nowhere otherwise
     */
    boolean find(final byte[] key, final long maxSequence) {
        begin();
        try {
            if (index.floor(key, 0, key.length, maxSequence)) {
                load();
                valid = (block.seek(key, 0, key.length, maxSequence)
                    || index.next() && isBound(key) && firstOfCurrent())
                    && landed()
                    && block.compare(key, 0, key.length, block.sequence()) == 0;
            }
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    /*
     * Between two keys the bound of a block has the greatest sequence number: then an older version is not in
     * that block.
     */
    private boolean isBound(final byte[] key) {
        return index.boundLength() == key.length
            && index.compare(key, 0, key.length, index.boundSequence()) == 0;
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        reader.file().checkOpen();
        valid = false; // also if an error ends this: it would be half on its way
        try {
            valid = (block.next() || firstOfNext()) && landed();
            commonPrefix = block.commonPrefix();
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        reader.file().checkOpen();
        valid = false;
        try {
            valid = (block.previous() || lastOfPrevious()) && landed();
            commonPrefix = block.commonPrefix();
        } catch (final IOException | MalformedBlockException e) {
            throw failed(e);
        }
        return valid;
    }

    private void begin() {
        reader.file().checkOpen();
        valid = false;
        commonPrefix = 0;
    }

    private boolean firstOfNext() throws IOException {
        return index.next() && firstOfCurrent();
    }

    private boolean firstOfCurrent() throws IOException {
        load();
        block.first();
        return true;
    }

    private boolean lastOfPrevious() throws IOException {
        if (!index.previous()) {
            return false;
        }
        load();
        block.last();
        return true;
    }

    /** Takes the data block that the index stands on. */
    private void load() throws IOException {
        final long offset = index.blockOffset();
        if (offset != loadedOffset) {
            loadedOffset = NOTHING;
            reader.read(BlockType.DATA, offset, index.blockLength(), buffer);
            loadedOffset = offset;
        }
        block.load(buffer.raw(), buffer.rawLength());
    }

    private boolean landed() throws IOException {
        if (block.form() == FORM_RANGE_TOMBSTONE) {
            throw new MalformedBlockException("range tombstone in a data block");
        }
        if (block.form() == FORM_VALUE_APART) {
            reader.checkRange(BlockType.VALUE, block.apart()); // before anybody allocates an array of its length
        }
        return true;
    }

    private UncheckedIOException failed(final Exception e) {
        valid = false;
        final long offset = loadedOffset;
        loadedOffset = NOTHING;
        final IOException cause = e instanceof IOException io ? io
            : reader.corrupt(BlockType.DATA, offset, e.getMessage(), e);
        return new UncheckedIOException(cause.getMessage(), cause);
    }

    private void requireValid() {
        if (!valid) {
            throw new IllegalStateException("the cursor stands on no entry");
        }
    }

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public byte[] keyBuffer() {
        requireValid();
        return block.keyBuffer();
    }

    @Override
    public int keyLength() {
        requireValid();
        return block.keyLength();
    }

    @Override
    public int commonPrefix() {
        requireValid();
        return commonPrefix;
    }

    @Override
    public long sequence() {
        requireValid();
        return block.sequence();
    }

    @Override
    public EntryKind kind() {
        requireValid();
        return EntryLayout.kindOf(block.form());
    }

    @Override
    public int valueLength() {
        requireValid();
        return block.valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        requireValid();
        final int length = block.valueLength();
        Objects.checkFromIndexSize(offset, length, destination.length);
        if (block.form() != FORM_VALUE_APART) {
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
        requireValid();
        if (block.form() == FORM_VALUE_APART) {
            reader.file().checkOpen();
            try {
                return reader.readChunks(BlockType.VALUE, block.apart());
            } catch (final IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
        return EntryCursor.super.value();
    }

    @Override
    public void close() {
        valid = false;
        loadedOffset = NOTHING;
    }
}
