/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.TableBlockLayout.CHECKSUM_OFFSET;
import static io.nestling.sstable.TableBlockLayout.CHUNK_BYTES;
import static io.nestling.sstable.TableBlockLayout.HEADER_BYTES;
import static io.nestling.sstable.TableBlockLayout.MAX_RAW_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Appends blocks to a file: packs them straight into the write buffer, adds headers and checksums, and writes in large pieces.
 */
final class BlockOutput {
    private static final int BUFFER_BYTES = 512 << 10;

    private final FileOperations.OutputFile file;
    private final Compression compression;
    private final CRC32C crc = new CRC32C();
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int filled;
    private long flushed;

    BlockOutput(final FileOperations.OutputFile file, final Compression compression) {
        this.file = file;
        this.compression = compression;
    }

    /** Returns the offset of the next block. */
    long position() {
        return flushed + filled;
    }

    /** Appends one block. */
    BlockHandle writeBlock(final BlockType type, final byte[] raw, final int offset, final int length) throws IOException {
        if (length > MAX_RAW_BYTES) {
            throw new IllegalStateException(
                "expected a " + type.label() + " block of at most " + MAX_RAW_BYTES + " bytes but was " + length);
        }
        // Bits of a filter do not shrink: an attempt would only cost time.
        final Compression wanted = type == BlockType.FILTER ? Compression.NONE : compression;
        reserve(HEADER_BYTES + (wanted == Compression.LZ4 ? Lz4.maxCompressedLength(length) : length));
        final long position = position();
        final int header = filled;
        final int payload = header + HEADER_BYTES;
        int stored = wanted == Compression.LZ4 ? Lz4.compress(raw, offset, length, buffer, payload) : length;
        final Compression used = stored < length ? Compression.LZ4 : Compression.NONE;
        if (used == Compression.NONE) {
            System.arraycopy(raw, offset, buffer, payload, length);
            stored = length;
        }
        TableBlockLayout.putHeader(buffer, header, type, used, length, stored);
        LittleEndian.putInt(buffer, header + CHECKSUM_OFFSET, TableBlockLayout.checksum(crc, buffer, header, stored));
        filled = payload + stored;
        return new BlockHandle(position, HEADER_BYTES + stored);
    }

    /** Appends any number of bytes as chunks. */
    ChunkedHandle writeChunks(final BlockType type, final byte[] raw, final int length) throws IOException {
        final long start = position();
        for (int offset = 0; offset < length; offset += Math.min(CHUNK_BYTES, length - offset)) {
            writeBlock(type, raw, offset, Math.min(CHUNK_BYTES, length - offset));
        }
        return new ChunkedHandle(start, position() - start, length);
    }

    /** Appends the bits of a filter as chunks. */
    ChunkedHandle writeChunks(final KeyFilter filter) throws IOException {
        final long start = position();
        final byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, filter.byteCount())];
        for (long offset = 0; offset < filter.byteCount(); offset += CHUNK_BYTES) {
            writeBlock(BlockType.FILTER, chunk, 0, filter.copyBytes(offset, chunk));
        }
        return new ChunkedHandle(start, position() - start, filter.byteCount());
    }

    /** Appends bytes without a header. */
    void writeRaw(final byte[] bytes) throws IOException {
        reserve(bytes.length);
        System.arraycopy(bytes, 0, buffer, filled, bytes.length);
        filled += bytes.length;
    }

    /** Writes everything and forces it to the device. */
    void force() throws IOException {
        flush();
        file.force();
    }

    private void reserve(final int length) throws IOException {
        if (buffer.length - filled < length) {
            flush();
            if (buffer.length < length) {
                buffer = Arrays.copyOf(buffer, length);
            }
        }
    }

    private void flush() throws IOException {
        final ByteBuffer source = ByteBuffer.wrap(buffer, 0, filled);
        while (source.hasRemaining()) {
            final int written = file.write(source);
            if (written <= 0) {
                throw new IOException("the file system takes no further byte after " + (flushed + source.position()));
            }
        }
        flushed += filled;
        filled = 0;
    }
}
