/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;

import java.io.IOException;
import java.util.Arrays;

/**
 * The block index of a table in memory: its unpacked index blocks, still front-coded, one array each. {@link BlockIndexWriter}
 * defines its bounds.
 * <h2>Thread safety</h2>
 * Immutable; each thread has cursors of its own.
 */
record BlockIndex(byte[][] blocks, long dataBlockCount) {
    /** Reads all index blocks and checks that their bounds and handles ascend and that the handles lie within the file. */
    static BlockIndex load(final BlockReader reader, final HandleList handles) throws IOException {
        final byte[][] blocks = new byte[handles.size()][];
        final BlockBuffer buffer = new BlockBuffer();
        final BlockCursor entries = BlockCursor.ofIndex();
        final BlockCursor before = BlockCursor.ofIndex();
        long count = 0;
        long start = 0;
        for (int i = 0; i < blocks.length; i++) {
            reader.read(BlockType.INDEX, handles.get(i).offset(), handles.get(i).length(), buffer);
            blocks[i] = Arrays.copyOf(buffer.raw(), buffer.rawLength());
            try {
                if (i > 0) {
                    before.load(blocks[i - 1], blocks[i - 1].length);
                    before.last();
                }
                count += check(blocks[i], entries, i == 0 ? null : before, start, reader.end());
                start = offset(entries) + length(entries);
            } catch (final MalformedBlockException e) {
                throw reader.corrupt(BlockType.INDEX, handles.get(i).offset(), e.getMessage(), e);
            }
        }
        return new BlockIndex(blocks, count);
    }

    /** Checks one block, moves the cursor to its last entry and returns the number of its entries. */
    private static long check(final byte[] block, final BlockCursor entries, final BlockCursor before,
        final long start, final long end) {
        entries.load(block, block.length);
        entries.first();
        if (before == null) {
            if (entries.keyLength() != 0 || entries.sequence() != TableEntryLayout.MAX_SEQUENCE) {
                throw new MalformedBlockException("the first bound is not the least one");
            }
        } else if (before.compare(entries.keyBuffer(), 0, entries.keyLength(), entries.sequence()) >= 0) {
            throw new MalformedBlockException("its first bound is not above the index block before");
        }
        byte[] key = new byte[64];
        long count = 1;
        checkHandle(entries, start, end);
        while (true) {
            final int length = entries.keyLength();
            final long sequence = entries.sequence();
            final long previousEnd = offset(entries) + length(entries);
            if (key.length < length) {
                key = new byte[2 * length];
            }
            System.arraycopy(entries.keyBuffer(), 0, key, 0, length);
            if (!entries.next()) {
                return count;
            }
            if (entries.compare(key, 0, length, sequence) <= 0) {
                throw new MalformedBlockException("bound " + count + " is not above the one before");
            }
            checkHandle(entries, previousEnd, end);
            count++;
        }
    }

    /** Checks that a data block lies between the end of the previous one and the end of all blocks. */
    private static void checkHandle(final BlockCursor entries, final long start, final long end) {
        if (entries.form() != TableEntryLayout.FORM_VALUE) {
            throw new MalformedBlockException("entry of form " + entries.form() + " in an index block");
        }
        final long offset = offset(entries);
        final int length = length(entries);
        final int read = Varint.length(offset) + Varint.length(length);
        if (offset < start) {
            throw new MalformedBlockException("data block at " + offset
                + " is not behind the one before, which ends at " + start);
        }
        if (length < TableBlockLayout.HEADER_BYTES || length > end - offset || read != entries.valueLength()) {
            throw new MalformedBlockException("data block at " + offset + " of " + length + " bytes reaches beyond " + end);
        }
    }

    private static long offset(final BlockCursor entries) {
        return TableEntryLayout.readLong(entries.data(), entries.valueOffset(), entries.valueOffset() + entries.valueLength());
    }

    private static int length(final BlockCursor entries) {
        final int start = entries.valueOffset() + Varint.length(offset(entries));
        return TableEntryLayout.readInt(entries.data(), start, entries.valueOffset() + entries.valueLength());
    }

    Cursor cursor() {
        return new Cursor();
    }

    /** Returns the offset behind the last data block; 0 if there is none. */
    long dataEnd() {
        final Cursor cursor = cursor();
        return cursor.last() ? cursor.blockOffset() + cursor.blockLength() : 0;
    }

    /** Returns the offset of the last data block that begins at or before the newest version of a key; 0 if there is none. */
    long dataOffset(final byte[] key) {
        final Cursor cursor = cursor();
        return cursor.floor(key, 0, key.length, TableEntryLayout.MAX_SEQUENCE) ? cursor.blockOffset() : 0;
    }

    /** A cursor over the data blocks. */
    final class Cursor {
        private final BlockCursor entries = BlockCursor.ofIndex();
        private int block = -1;

        /** Moves to the first data block; returns false if there is none. */
        boolean first() {
            return enter(0, true);
        }

        /** Moves to the last data block; returns false if there is none. */
        boolean last() {
            return enter(blocks.length - 1, false);
        }

        /** Moves to the next data block; at the end returns false and does not move. */
        boolean next() {
            return entries.next() || enter(block + 1, true);
        }

        /** Moves to the previous data block; at the start returns false and does not move. */
        boolean previous() {
            return entries.previous() || enter(block - 1, false);
        }

        /** Moves to the first or last entry of an index block; returns false if there is no such block. */
        private boolean enter(final int number, final boolean first) {
            if (number < 0 || number >= blocks.length) {
                return false;
            }
            load(number);
            if (first) {
                entries.first();
            } else {
                entries.last();
            }
            return true;
        }

        /**
         * Moves to the last data block whose bound is at or before a version of a key; returns false if there is no data block.
         */
        boolean floor(final byte[] key, final int offset, final int length, final long sequence) {
            if (blocks.length == 0) {
                return false;
            }
            int low = 0;
            int high = blocks.length - 1;
            while (low < high) {
                final int middle = low + high + 1 >>> 1;
                load(middle);
                if (entries.compareRestart(0, key, offset, length, sequence) <= 0) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            load(low);
            if (!entries.seek(key, offset, length, sequence)) {
                entries.last();
            } else if (entries.compare(key, offset, length, sequence) > 0) {
                entries.previous();
            }
            return true;
        }

        /** Returns the length of the key of the bound. */
        int boundLength() {
            return entries.keyLength();
        }

        long boundSequence() {
            return entries.sequence();
        }

        /** Compares the bound with a version of a key. */
        int compare(final byte[] key, final int offset, final int length, final long sequence) {
            return entries.compare(key, offset, length, sequence);
        }

        /** Returns the offset of the data block in the file. */
        long blockOffset() {
            return offset(entries);
        }

        /** Returns the length of the data block, header included. */
        int blockLength() {
            return length(entries);
        }

        private void load(final int number) {
            block = number;
            entries.load(blocks[number], blocks[number].length);
        }
    }
}
