/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * Record: one version of one key. Little endian, aligned to 8 bytes, immutable once it is reachable.
 * <pre>
 *  byte 0               8               [16]
 *       +---------------+---------------+--------------+--------------+---------+-----------+
 *       | version word  | previous      | value length | key length   | key     | value     |
 *       |               | (if flagged)  | varint       | (if flagged) | (same)  |           |
 *       +---------------+---------------+--------------+--------------+---------+-----------+
 *
 *  version word, bit 0 = least significant:
 *  bits  0..3   kind: code of the entry kind                    KIND_MASK
 *  bit   4      a previous pointer follows                      HAS_PREVIOUS
 *  bit   5      the key follows                                 HAS_KEY
 *  bit   6      a newer version was linked to this first one    SUPERSEDED
 *  bits  8..63  sequence number                                 SEQUENCE_SHIFT
 *
 *  field          offset             bytes  access
 *  version word   0                  8      plain, covered by the release that publishes the pointer; after that, CAS (acquire):
 *                                           with many writers from number 0 to the sequence number; SUPERSEDED
 *  previous       8                  8      plain, same; pointer of the next older version
 *  value length   8 or 16            1..5   plain, same; unsigned LEB128
 *  key length     after it           1..3   plain, same; unsigned LEB128
 * </pre> A record pointer is the record's position in the store divided by {@link #ALIGNMENT}: so pointers
 * stay small, and an index can keep one in 30 bits up to 8 GiB of records. Pointer 0 stands for no record.
 * <p>
 * Example: sequence 5, kind 1, no previous version, no key, value {@code "ab"} is
 * {@code 01 05 00 00 00 00 00 00 | 02 | 61 62} and takes 16 bytes.
 */
public final class RecordLayout {
    /** Records begin at multiples of this many bytes. */
    public static final int ALIGNMENT = 8;
    /** Shift from pointers to positions. */
    public static final int POINTER_SHIFT = 3;
    /** Offset of the version word. */
    public static final int VERSION_WORD_OFFSET = 0;
    /** Offset of the previous pointer, where there is one. */
    public static final int PREVIOUS_OFFSET = 8;
    /** Bits of the version word that hold the kind. */
    public static final int KIND_MASK = 15;
    /** Flag in the version word: a previous pointer follows. */
    public static final int HAS_PREVIOUS = 1 << 4;
    /** Flag in the version word: the key follows. */
    public static final int HAS_KEY = 1 << 5;
    /** Flag in the version word of a record without previous pointer: it may not be the newest of its key any more. */
    public static final int SUPERSEDED = 1 << 6;
    /** Shift of the sequence number in the version word. */
    public static final int SEQUENCE_SHIFT = 8;
    /** Greatest sequence number. */
    public static final long MAX_SEQUENCE = (1L << 56) - 1;
    /** Pointer that stands for no record. */
    public static final long NO_RECORD = 0;
    /** Longest value in bytes. */
    public static final int MAX_VALUE_BYTES = Integer.MAX_VALUE - 16;
    /** Stands for a key that is not part of the record. */
    public static final int NO_KEY = -1;

    /* Bits of a number in the first byte of its varint. */
    private static final int SHORT_VARINT_BITS = 7;

    private RecordLayout() {
    }

    /**
     * Puts a version word together.
     *
     * @param sequence sequence number, 0 to {@link #MAX_SEQUENCE}
     * @param kind code of the kind
     * @param hasPrevious whether a previous pointer follows
     * @param hasKey whether the key follows
     * @return the word
     */
    public static long versionWord(
        final long sequence, final int kind, final boolean hasPrevious, final boolean hasKey) {
        return sequence << SEQUENCE_SHIFT | kind | (hasPrevious ? HAS_PREVIOUS : 0) | (hasKey ? HAS_KEY : 0);
    }

    /**
     * The sequence number in a version word.
     *
     * @param versionWord the word
     * @return the number
     */
    public static long sequence(final long versionWord) {
        return versionWord >>> SEQUENCE_SHIFT;
    }

    /**
     * The kind in a version word.
     *
     * @param versionWord the word
     * @return its code
     */
    public static int kind(final long versionWord) {
        return (int) versionWord & KIND_MASK;
    }

    /**
     * Where the lengths begin.
     *
     * @param versionWord the record's version word
     * @return offset from the record's start
     */
    public static int lengthsOffset(final long versionWord) {
        return (versionWord & HAS_PREVIOUS) == 0 ? PREVIOUS_OFFSET : PREVIOUS_OFFSET + Long.BYTES;
    }

    /**
     * Bytes that a record takes, with its padding.
     *
     * @param hasPrevious whether it has a previous pointer
     * @param keyLength bytes of the key, or {@link #NO_KEY}
     * @param valueLength bytes of the value
     * @return a multiple of {@link #ALIGNMENT}
     */
    public static long recordBytes(final boolean hasPrevious, final int keyLength, final int valueLength) {
        long bytes = hasPrevious ? PREVIOUS_OFFSET + Long.BYTES : PREVIOUS_OFFSET;
        bytes += varintBytes(valueLength) + (long) valueLength;
        if (keyLength != NO_KEY) {
            bytes += varintBytes(keyLength) + keyLength;
        }
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /**
     * Bytes of a number as unsigned LEB128.
     *
     * @param number at least 0
     * @return 1 to 5
     */
    public static int varintBytes(final int number) {
        return number >>> SHORT_VARINT_BITS == 0 ? 1 : (38 - Integer.numberOfLeadingZeros(number)) / SHORT_VARINT_BITS;
    }
}
