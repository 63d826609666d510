/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.TableBlockLayout.CHECKSUM_OFFSET;
import static io.nestling.sstable.TableBlockLayout.CHUNK_BYTES;
import static io.nestling.sstable.TableBlockLayout.COMPRESSION_OFFSET;
import static io.nestling.sstable.TableBlockLayout.HEADER_BYTES;
import static io.nestling.sstable.TableBlockLayout.MAX_LZ4_FACTOR;
import static io.nestling.sstable.TableBlockLayout.MAX_RAW_BYTES;
import static io.nestling.sstable.TableBlockLayout.RAW_LENGTH_OFFSET;
import static io.nestling.sstable.TableBlockLayout.STORED_LENGTH_OFFSET;
import static io.nestling.sstable.TableBlockLayout.TYPE_OFFSET;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads, checks and unpacks blocks of one file. It uses no length from the file before it has checked its range.
 * <h2>Thread safety</h2>
 * Any thread may read with a buffer of its own, as long as no thread sets the block number.
 */
final class BlockReader {
    private static final int FIRST_ARRAY_BYTES = 4 * CHUNK_BYTES;
    /** Large, since each step copies and needs both arrays for a moment. */
    private static final long ARRAY_GROWTH = 8;

    private final TableFile file;
    private final long end;
    private long blockNumber = CorruptTableException.UNKNOWN;

    /** Creates a reader of blocks that end at or before an offset. */
    BlockReader(final TableFile file, final long end) {
        this.file = file;
        this.end = end;
    }

    /** Receives the chunks of a value, the filter or the directory in order. */
    interface ChunkConsumer {
        /** Receives one chunk, which {@link #unpack} unpacks, behind {@code rawOffset} unpacked bytes. */
        void chunk(long rawOffset, BlockBuffer chunk);
    }

    TableFile file() {
        return file;
    }

    /** Sets the number of the next block for the messages of a reader with which one thread reads the whole file. */
    void setBlockNumber(final long number) {
        blockNumber = number;
    }

    /** Returns the end offset of the last block. */
    long end() {
        return end;
    }

    /** Reads and unpacks a block. */
    void read(final BlockType type, final long offset, final int length, final BlockBuffer buffer) throws IOException {
        if (offset < 0 || length < HEADER_BYTES || length > HEADER_BYTES + MAX_RAW_BYTES || length > end - offset) {
            throw corrupt(type, offset, "length " + length + " is out of range, or the block reaches beyond " + end, null);
        }
        file.read(offset, buffer.stored(length), 0, length);
        check(type, offset, length, buffer);
        try {
            unpack(buffer, buffer.raw(buffer.rawLength()), 0);
        } catch (final MalformedBlockException e) {
            throw corrupt(type, offset, e.getMessage(), e);
        }
    }

    /**
     * Reads, but does not unpack, a block of a type (null for any) whose length only its header contains, and which may end at
     * {@code last}; returns its length, header included.
     */
    int fetch(final BlockType type, final long offset, final long last, final BlockBuffer buffer) throws IOException {
        if (offset < 0 || last > end || HEADER_BYTES > last - offset) {
            throw corrupt(type, offset, "the header does not fit before " + Math.min(last, end), null);
        }
        file.read(offset, buffer.stored(), 0, HEADER_BYTES);
        final int stored = LittleEndian.getInt(buffer.stored(), STORED_LENGTH_OFFSET);
        if (stored < 0 || stored > MAX_RAW_BYTES || stored > last - offset - HEADER_BYTES) {
            throw corrupt(type, offset, "stored length " + (stored & 0xFFFF_FFFFL)
                + " is out of range, or the block reaches beyond " + last, null);
        }
        final int length = HEADER_BYTES + stored;
        file.read(offset + HEADER_BYTES, buffer.stored(length), HEADER_BYTES, stored);
        check(type, offset, length, buffer);
        return length;
    }

    /** Reads chunks and checks them against their handle. */
    void readChunks(final BlockType type, final ChunkedHandle handle, final ChunkConsumer consumer) throws IOException {
        checkRange(type, handle);
        final BlockBuffer buffer = new BlockBuffer();
        final long last = handle.offset() + handle.storedLength();
        long offset = handle.offset();
        long done = 0;
        while (done < handle.rawLength()) {
            final int length = fetch(type, offset, last, buffer);
            final long expected = Math.min(CHUNK_BYTES, handle.rawLength() - done);
            if (buffer.rawLength() != expected) {
                throw corrupt(type, offset, "chunk of " + buffer.rawLength() + " bytes where " + expected
                    + " were expected", null);
            }
            try {
                consumer.chunk(done, buffer);
            } catch (final MalformedBlockException e) {
                throw corrupt(type, offset, e.getMessage(), e);
            }
            offset += length;
            done += expected;
        }
        if (offset != last) {
            throw corrupt(type, handle.offset(), "chunks end at " + offset + ", their handle says " + last, null);
        }
    }

    /** Reads chunks into one new array, which grows as they arrive: a handle may claim more bytes than the file holds. */
    byte[] readChunks(final BlockType type, final ChunkedHandle handle) throws IOException {
        checkRange(type, handle);
        if (handle.rawLength() > TableEntryLayout.MAX_VALUE_BYTES) {
            throw corrupt(type, handle.offset(), "chunks of " + handle.rawLength() + " bytes", null);
        }
        final int length = (int) handle.rawLength();
        final byte[][] bytes = {new byte[Math.min(length, FIRST_ARRAY_BYTES)]};
        readChunks(type, handle, (rawOffset, chunk) -> {
            final long end = rawOffset + chunk.rawLength();
            if (end > bytes[0].length) {
                bytes[0] = Arrays.copyOf(bytes[0], (int) Math.min(length, ARRAY_GROWTH * end));
            }
            unpack(chunk, bytes[0], (int) rawOffset);
        });
        return bytes[0];
    }

    /**
     * Checks that a handle lies in the file and claims no more bytes than its chunks can hold, so that the caller may allocate
     * them.
     */
    void checkRange(final BlockType type, final ChunkedHandle handle) throws CorruptTableException {
        final long offset = handle.offset();
        final long stored = handle.storedLength();
        if (offset < 0 || stored < 0 || offset > end || stored > end - offset) {
            throw corrupt(type, offset, "chunks of " + stored + " bytes reach beyond " + end, null);
        }
        final int factor = type == BlockType.FILTER ? 1 : MAX_LZ4_FACTOR; // filters are never compressed
        if (handle.rawLength() < 0 || handle.rawLength() / factor > stored) {
            throw corrupt(type, offset, "chunks of " + stored + " bytes cannot hold " + handle.rawLength(), null);
        }
    }

    /** Unpacks a fetched block into an array with room for it. */
    void unpack(final BlockBuffer block, final byte[] destination, final int offset) {
        if (block.stored()[COMPRESSION_OFFSET] == Compression.NONE.code()) {
            System.arraycopy(block.stored(), HEADER_BYTES, destination, offset, block.rawLength());
        } else {
            Lz4.decompress(block.stored(), HEADER_BYTES, block.storedLength(), destination, offset, block.rawLength());
        }
    }

    CorruptTableException corrupt(final BlockType type, final long offset, final String problem, final Throwable cause) {
        return CorruptTableException.ofBlock(file.path(), type, blockNumber, offset, problem, cause);
    }

    private void check(final BlockType type, final long offset, final int length, final BlockBuffer buffer)
        throws CorruptTableException {
        final byte[] block = buffer.stored();
        final int stored = length - HEADER_BYTES;
        final int expected = LittleEndian.getInt(block, CHECKSUM_OFFSET);
        final int actual = TableBlockLayout.checksum(buffer.crc(), block, 0, stored);
        if (actual != expected) {
            throw corrupt(type, offset,
                String.format(Locale.ROOT, "checksum is %08x, the file says %08x", actual, expected), null);
        }
        final BlockType found = BlockType.of(block[TYPE_OFFSET]);
        if (found == null || type != null && found != type) {
            throw corrupt(type, offset, "block is of type " + block[TYPE_OFFSET], null);
        }
        if (LittleEndian.getInt(block, STORED_LENGTH_OFFSET) != stored) {
            throw corrupt(type, offset, "stored length is " + LittleEndian.getInt(block, STORED_LENGTH_OFFSET)
                + ", its handle says " + stored, null);
        }
        final int raw = LittleEndian.getInt(block, RAW_LENGTH_OFFSET);
        final int compression = block[COMPRESSION_OFFSET];
        final boolean possible = compression == Compression.NONE.code() ? raw == stored
            : compression == Compression.LZ4.code() && raw > stored && raw <= MAX_RAW_BYTES && raw / MAX_LZ4_FACTOR <= stored;
        if (!possible) {
            throw corrupt(type, offset, "raw length " + raw + " with stored length " + stored
                + " and compression " + compression, null);
        }
        buffer.setLengths(stored, raw);
    }
}
