/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.zip.CRC32C;

/**
 * A block of a table file: a header of 14 bytes and a payload. Numbers are little endian.
 * <pre>
 *  byte  0      1             2          6             10         14
 *        +------+-------------+----------+-------------+----------+-----------------
 *        | type | compression | raw      | stored      | CRC32C   | payload,
 *        |      |             | length   | length      |          | stored length bytes
 *        +------+-------------+----------+-------------+----------+-----------------
 *
 *  field          offset  bytes  what                                           constant
 *  type                0      1  code of a BlockType                            TYPE_OFFSET
 *  compression         1      1  0 stored as it is, 1 LZ4                       COMPRESSION_OFFSET
 *  raw length          2      4  bytes of the payload unpacked                  RAW_LENGTH_OFFSET
 *  stored length       6      4  bytes of the payload in the file               STORED_LENGTH_OFFSET
 *  CRC32C             10      4  of bytes 0 to 9 and of the payload             CHECKSUM_OFFSET
 * </pre>
 * Compressed payloads are shorter than unpacked ones; if LZ4 does not shrink a block, it is stored as it is.
 * <p>
 * Example: a value chunk that holds the one byte {@code 61} is {@code 02 00 01000000 01000000 0E865CDE 61}.
 */
final class TableBlockLayout {
    static final int TYPE_OFFSET = 0;
    static final int COMPRESSION_OFFSET = 1;
    static final int RAW_LENGTH_OFFSET = 2;
    static final int STORED_LENGTH_OFFSET = 6;
    static final int CHECKSUM_OFFSET = 10;
    static final int HEADER_BYTES = 14;

    /** Greatest length of an unpacked block in bytes. */
    static final int MAX_RAW_BYTES = 2 << 20;
    /** Length of each chunk of a value, of the filter or of the directory but the last. */
    static final int CHUNK_BYTES = 256 << 10;
    /** LZ4 shrinks no block by more than this factor. */
    static final int MAX_LZ4_FACTOR = 255;

    private TableBlockLayout() {
    }

    /** Computes the checksum of the block at an offset of an array. */
    static int checksum(final CRC32C crc, final byte[] block, final int offset, final int storedLength) {
        crc.reset();
        crc.update(block, offset, CHECKSUM_OFFSET);
        crc.update(block, offset + HEADER_BYTES, storedLength);
        return (int) crc.getValue();
    }

    static void putHeader(
        final byte[] block, final int offset, final BlockType type, final Compression compression,
        final int rawLength,
        final int storedLength) {
        block[offset + TYPE_OFFSET] = (byte) type.code();
        block[offset + COMPRESSION_OFFSET] = (byte) compression.code();
        LittleEndian.putInt(block, offset + RAW_LENGTH_OFFSET, rawLength);
        LittleEndian.putInt(block, offset + STORED_LENGTH_OFFSET, storedLength);
    }
}
