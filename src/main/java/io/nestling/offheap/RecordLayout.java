/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * Record: one version of one key. Little endian, aligned to 8 bytes, immutable once it is reachable but for its version
 * word, and for its link word where records are recycled or come in another order than that of their numbers.
 * <pre>
 *  byte 0              8              [16]           [48]           [56]
 *       +--------------+--------------+--------------+--------------+--------------+--------------+---------+-------+
 *       | version word | link word    | skip word    | expiry       | value length | key length   | key     | value |
 *       |              | (if flagged) | (if flagged) | (if flagged) | varint       | (if flagged) | (same)  |       |
 *       +--------------+--------------+--------------+--------------+--------------+--------------+---------+-------+
 *
 *  version word, bit 0 = least significant:
 *  bits  0..3   kind: code of the entry kind                    KIND_MASK; FREE
 *  bit   3      of the kind: an expiry precedes the lengths     HAS_EXPIRY
 *  bit   4      a link word follows                             HAS_PREVIOUS
 *  bit   5      the key follows                                 HAS_KEY
 *  bit   6      it is not the newest version of its key         SUPERSEDED
 *  bit   7      a skip word follows the link word               HAS_SKIP
 *  bits  8..63  sequence number                                 SEQUENCE_SHIFT
 *
 *  link word:
 *  bits  0..34  pointer of the next older version               PREVIOUS_BITS
 *  bit  35      that one has a skip word                        PREVIOUS_HAS_SKIP
 *  bits 36..63  else signed distance from it to the next older version that has one, in units of ALIGNMENT; 0 if
 *               none has one, if it is unknown or if it is 1 GiB away
 *
 *  skip word ({@link VersionLinks}):
 *  bits  0..5   rank                                            RANK_BITS
 *  bits  6..63  pointer of an older version that has a skip word; 0 for none
 *
 *  field          offset             bytes  access
 *  version word   0                  8      plain, covered by the release that publishes the pointer; after that from number 0
 *                                           to the sequence number, by putLongRelease (one writer) or CAS (many), and
 *                                           SUPERSEDED by CAS; getLongAcquire
 *  link word      8                  8      plain, same; later by putLongRelease, to an older version that was linked before, or
 *                                           to one that came late (VersionLinks.insert); getLongAcquire by readers that pass it
 *  skip word      16                 8      plain, same; 24 unused bytes follow, so that records of 32
 *                                           bytes behind it lie in one line each
 *  expiry         8, 16 or 48        8      plain, same; milliseconds since the epoch
 *  value length   8, 16 or 48; +8    1..5   plain, same; unsigned LEB128; 8 bytes later behind an expiry
 *  key length     after it           1..3   plain, same; unsigned LEB128
 * </pre> A record pointer is the record's position in the store divided by {@link #ALIGNMENT}, so that pointers
 * stay small: an index can keep one in 30 bits up to 8 GiB of records. Pointer 0 denotes no record.
 * <p>
 * Example: sequence 5, kind 1, no previous version, no key, value {@code "ab"} is
 * {@code 01 05 00 00 00 00 00 00 | 02 | 61 62} and takes 16 bytes.
 */
public final class RecordLayout {
    /** Records begin at multiples of this many bytes. */
    public static final int ALIGNMENT = 8;
    /** Shift from pointers to positions. */
    public static final int POINTER_SHIFT = 3;
    /** Offset of the link word, if the record has one. */
    public static final int PREVIOUS_OFFSET = 8;
    /** Offset of the skip word, if the record has one. */
    public static final int SKIP_OFFSET = 16;
    /** Bits of the version word that hold the kind. */
    public static final int KIND_MASK = 15;
    /**
     * Kind of a free block in the place of records: the number is its size in bytes, {@link #HAS_PREVIOUS} says that it is
     * reserved for the next record, and the next free block's pointer may follow.
     */
    static final int FREE = KIND_MASK;
    /** Flag in the version word, a bit of the kind: an expiry follows the links. In {@link #FREE} it means nothing. */
    public static final int HAS_EXPIRY = 1 << 3;
    /** Flag in the version word: a link word follows. */
    public static final int HAS_PREVIOUS = 1 << 4;
    /** Flag in the version word: the key follows. */
    public static final int HAS_KEY = 1 << 5;
    /**
     * Flag in the version word: a newer version of the key was linked to this one. Set of first versions whose keys are sorted,
     * of versions that were unlinked again, and of versions that came later than a newer one.
     */
    public static final int SUPERSEDED = 1 << 6;
    /** Flag in the version word, beside {@link #HAS_PREVIOUS}: a skip word follows the link word. */
    public static final int HAS_SKIP = 1 << 7;
    /** Bits of a pointer in a link word: the records of a store lie below 256 GiB. */
    public static final int PREVIOUS_BITS = 35;
    /** Flag in a link word: the next older version has a skip word. */
    public static final long PREVIOUS_HAS_SKIP = 1L << PREVIOUS_BITS;
    /** Bits of the rank in a skip word. */
    public static final int RANK_BITS = 6;
    /** Shift of the sequence number in the version word. */
    public static final int SEQUENCE_SHIFT = 8;
    /** Sequence number of a version that has none yet. */
    public static final long UNNUMBERED = 0;
    /** Greatest sequence number. */
    public static final long MAX_SEQUENCE = (1L << 56) - 1;
    /** Pointer that denotes no record. */
    public static final long NO_RECORD = 0;
    /** Longest value in bytes. */
    public static final int MAX_VALUE_BYTES = Integer.MAX_VALUE - 16;
    /** Key length that denotes a record without key. */
    public static final int NO_KEY = -1;

    private static final int DISTANCE_SHIFT = PREVIOUS_BITS + 1;
    /* Bits of a number in the first byte of its varint. */
    private static final int SHORT_VARINT_BITS = 7;

    private RecordLayout() {
    }

    /**
     * Returns the version word of a sequence number up to {@link #MAX_SEQUENCE} and the code of a kind, which says whether a link
     * word and the key follow.
     */
    public static long versionWord(
        final long sequence, final int kind, final boolean hasPrevious, final boolean hasKey) {
        return sequence << SEQUENCE_SHIFT | kind | (hasPrevious ? HAS_PREVIOUS : 0) | (hasKey ? HAS_KEY : 0);
    }

    /** Returns the sequence number in a version word. */
    public static long sequence(final long versionWord) {
        return versionWord >>> SEQUENCE_SHIFT;
    }

    /** Returns the code of the kind in a version word. */
    public static int kind(final long versionWord) {
        return (int) versionWord & KIND_MASK;
    }

    /** Returns the offset of the value length from the record's start. */
    public static int lengthsOffset(final long versionWord) {
        // Each flag, shifted to the right, is the size of the word that it announces.
        return (int) (PREVIOUS_OFFSET + (versionWord & HAS_EXPIRY)
            + ((versionWord & HAS_PREVIOUS) >>> 1) + ((versionWord & HAS_SKIP) >>> 2));
    }

    /**
     * Returns the link word of a version whose next older version, {@code previous}, has no skip word; {@code withSkip} is the
     * next older one that has, or {@link #NO_RECORD}, and left out if it is too far away.
     */
    public static long linkWord(final long previous, final long withSkip) {
        final long distance = withSkip == NO_RECORD ? 0 : withSkip - previous;
        final long word = distance << DISTANCE_SHIFT | previous;
        return word >> DISTANCE_SHIFT == distance ? word : previous;
    }

    /** Returns the pointer of the next older version in a link word. */
    public static long previous(final long linkWord) {
        return linkWord & PREVIOUS_HAS_SKIP - 1;
    }

    /**
     * Returns the next older version that has a skip word; {@link #NO_RECORD} if none has one or the word does not hold the
     * distance.
     */
    public static long withSkip(final long linkWord) {
        final long distance = linkWord >> DISTANCE_SHIFT;
        return distance == 0 && (linkWord & PREVIOUS_HAS_SKIP) == 0 ? NO_RECORD : previous(linkWord) + distance;
    }

    /**
     * Returns the bytes of a record, with its padding to a multiple of {@link #ALIGNMENT}. Of its version word only the flags of
     * the two links and the expiry count; the key length may be {@link #NO_KEY}.
     */
    public static long recordBytes(final long versionWord, final int keyLength, final int valueLength) {
        long bytes = lengthsOffset(versionWord) + varintBytes(valueLength) + (long) valueLength;
        if (keyLength != NO_KEY) {
            bytes += varintBytes(keyLength) + keyLength;
        }
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Returns the size of a number, at least 0, as unsigned LEB128. */
    public static int varintBytes(final int number) {
        return number >>> SHORT_VARINT_BITS == 0 ? 1 : (38 - Integer.numberOfLeadingZeros(number)) / SHORT_VARINT_BITS;
    }
}
