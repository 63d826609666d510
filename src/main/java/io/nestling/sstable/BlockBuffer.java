/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** Space for one block as it is stored and as it is unpacked, used again for the next block. */
final class BlockBuffer {
    private final CRC32C crc = new CRC32C();
    private byte[] stored = new byte[BlockLayout.HEADER_BYTES];
    private byte[] raw = new byte[0];
    private int storedLength;
    private int rawLength;

    /** For the checksum of the block. */
    CRC32C crc() {
        return crc;
    }

    /** The block with its header; only its header and {@link #storedLength} bytes count. */
    byte[] stored() {
        return stored;
    }

    /** Makes room for a block of a length with its header, keeping what is there. */
    byte[] stored(final int length) {
        if (stored.length < length) {
            stored = Arrays.copyOf(stored, length);
        }
        return stored;
    }

    /** Bytes of the payload in the file. */
    int storedLength() {
        return storedLength;
    }

    /** Bytes of the payload unpacked. */
    int rawLength() {
        return rawLength;
    }

    void setLengths(final int newStoredLength, final int newRawLength) {
        storedLength = newStoredLength;
        rawLength = newRawLength;
    }

    /** The unpacked payload; only {@link #rawLength} bytes count. */
    byte[] raw() {
        return raw;
    }

    /** Makes room for an unpacked payload. */
    byte[] raw(final int length) {
        if (raw.length < length) {
            raw = new byte[length];
        }
        return raw;
    }
}
