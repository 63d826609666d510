/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The last 28 bytes of a table file. Numbers are little endian.
 * <pre>
 *  byte  0                   8             12         16         20              28
 *        +-------------------+-------------+----------+----------+---------------+
 *        | properties offset | properties  | CRC32C   | version  | magic         |
 *        |                   | length      |          |          |               |
 *        +-------------------+-------------+----------+----------+---------------+
 *
 *  field              offset  bytes  what                                         constant
 *  properties offset       0      8  where the properties block begins            PROPERTIES_OFFSET
 *  properties length       8      4  its length with its header                   PROPERTIES_LENGTH_OFFSET
 *  CRC32C                 12      4  of bytes 0 to 11 and 16 to 27                CHECKSUM_OFFSET
 *  version                16      4  1, or 2 if an entry needs it                 VERSION_OFFSET
 *  magic                  20      8  the letters NESTLSST                         MAGIC_OFFSET
 * </pre>
 */
final class Footer {
    static final int BYTES = 28;
    /** Version of a table that has only what the first one has. */
    static final int FIRST_VERSION = 1;
    /** Newest version. */
    static final int VERSION = 2;

    private static final int PROPERTIES_OFFSET = 0;
    private static final int PROPERTIES_LENGTH_OFFSET = 8;
    private static final int CHECKSUM_OFFSET = 12;
    private static final int VERSION_OFFSET = 16;
    private static final int MAGIC_OFFSET = 20;
    private static final long MAGIC = 0x5453534C5453454EL;

    private Footer() {
    }

    static byte[] encode(final BlockHandle properties, final int version) {
        final byte[] footer = new byte[BYTES];
        LittleEndian.putLong(footer, PROPERTIES_OFFSET, properties.offset());
        LittleEndian.putInt(footer, PROPERTIES_LENGTH_OFFSET, properties.length());
        LittleEndian.putInt(footer, VERSION_OFFSET, version);
        LittleEndian.putLong(footer, MAGIC_OFFSET, MAGIC);
        LittleEndian.putInt(footer, CHECKSUM_OFFSET, checksum(footer));
        return footer;
    }

    /** Checks a footer and returns the handle of the properties block, which ends where the footer begins. */
    static BlockHandle decode(final Path path, final byte[] footer, final long fileSize) throws CorruptTableException {
        if (LittleEndian.getLong(footer, MAGIC_OFFSET) != MAGIC) {
            throw CorruptTableException.ofFile(path, "footer: the last 8 bytes are not those of a table file");
        }
        final int version = version(footer);
        if (version < FIRST_VERSION || version > VERSION) {
            throw CorruptTableException.ofFile(
                path, "footer: format version " + (version & 0xFFFF_FFFFL) + " is not supported, only "
                + FIRST_VERSION + " to " + VERSION);
        }
        final int expected = LittleEndian.getInt(footer, CHECKSUM_OFFSET);
        final int actual = checksum(footer);
        if (actual != expected) {
            throw CorruptTableException.ofFile(path,
                String.format(Locale.ROOT, "footer: checksum is %08x, the file says %08x", actual, expected));
        }
        final long offset = LittleEndian.getLong(footer, PROPERTIES_OFFSET);
        final int length = LittleEndian.getInt(footer, PROPERTIES_LENGTH_OFFSET);
        if (offset < 0 || length < 0 || offset + length != fileSize - BYTES) {
            throw CorruptTableException.ofFile(path, "footer: properties at " + offset + " of " + length
                + " bytes do not end at the footer of a file of " + fileSize + " bytes");
        }
        return new BlockHandle(offset, length);
    }

    /** Returns the version of the format that a footer names. */
    static int version(final byte[] footer) {
        return LittleEndian.getInt(footer, VERSION_OFFSET);
    }

    private static int checksum(final byte[] footer) {
        final CRC32C crc = new CRC32C();
        crc.update(footer, 0, CHECKSUM_OFFSET);
        crc.update(footer, VERSION_OFFSET, BYTES - VERSION_OFFSET);
        return (int) crc.getValue();
    }
}
