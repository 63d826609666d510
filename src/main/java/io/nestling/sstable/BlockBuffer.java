/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** Buffers for one block, stored and unpacked, that are reused for the next block. */
final class BlockBuffer {
    private final CRC32C crc = new CRC32C();
    private byte[] stored = new byte[TableBlockLayout.HEADER_BYTES];
    private byte[] raw = new byte[0];
    private int storedLength;
    private int rawLength;

    /** Returns a checksum for the caller to use. */
    CRC32C crc() {
        return crc;
    }

    /** Returns the stored block: its header and {@link #storedLength} bytes. */
    byte[] stored() {
        return stored;
    }

    /** Returns the buffer for a stored block, enlarged to a length, header included; its content stays. */
    byte[] stored(final int length) {
        if (stored.length < length) {
            stored = Arrays.copyOf(stored, length);
        }
        return stored;
    }

    /** Returns the length of the payload in the file in bytes. */
    int storedLength() {
        return storedLength;
    }

    /** Returns the length of the unpacked payload in bytes. */
    int rawLength() {
        return rawLength;
    }

    void setLengths(final int newStoredLength, final int newRawLength) {
        storedLength = newStoredLength;
        rawLength = newRawLength;
    }

    /** Returns the buffer whose first {@link #rawLength} bytes are the unpacked payload. */
    byte[] raw() {
        return raw;
    }

    /** Returns the buffer for an unpacked payload, enlarged to a length; its content is lost. */
    byte[] raw(final int length) {
        if (raw.length < length) {
            raw = new byte[length];
        }
        return raw;
    }

    /** Returns the size of both buffers in bytes. */
    int heldBytes() {
        return stored.length + raw.length;
    }
}
