/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

/**
 * Layout of entries and records in a {@link RecordArena}.
 * <pre>
 *  entry, to which the payload of an index points, for a partition or for a row of a wide one:
 *    newest      8 bytes  pointer of the newest record, 0 for none; written with release, read with acquire
 *    key         length and bytes, if the index stores no keys
 *    record      the first one, after padding to 8 bytes
 *
 *  record of a whole partition:
 *    length      4 bytes  of the blob
 *    blob        {@link PartitionBlob}
 *
 *  record of a wide partition:
 *    length      4 bytes  of the blob, with its bits flipped: negative
 *    number      4 bytes  prefix of the keys of its rows
 *    version     8 bytes  of the rows to be read; written with release, read with acquire
 *    created     8 bytes  version that created the record
 *    blob        {@link PartitionBlob} without rows
 *
 *  record of a row:
 *    length      4 bytes  of the row
 *    version     4 + 3 bytes of the write, and
 *    previous    5 bytes  pointer of the previous record, 0 for none
 *    row         {@link RowLayout}
 * </pre>
 * Everything but {@code newest} and {@code version} of a wide partition is written before the record is published.
 */
final class Records {
    /** Offset of the content of a whole partition. */
    static final int BLOB_OFFSET = 4;
    /** Offset of the number of a wide partition. */
    static final int NUMBER_OFFSET = 4;
    /** Difference between the pointers of a wide partition's version and of its record. */
    static final long VERSION_POINTER_OFFSET = 1;
    /** Offset of the version of a wide partition. */
    static final int VERSION_OFFSET = 8;
    /** Offset of the version that created the record of a wide partition. */
    static final int CREATED_VERSION_OFFSET = 16;
    /** Offset of the content of a wide partition. */
    static final int WIDE_BLOB_OFFSET = 24;
    /** Number of bits of a pointer. */
    static final int POINTER_BITS = 40;
    /** Offset of the content of a row. */
    static final int ROW_OFFSET = 16;

    /** Length from which on a partition or row is merged without the lock. */
    static final int LARGE_BYTES = 4096;

    private static final int ROW_VERSION_OFFSET = 4;
    private static final int ROW_PREVIOUS_OFFSET = 8;
    private static final long PREVIOUS_MASK = (1L << POINTER_BITS) - 1;

    private Records() {
    }

    /** Returns the offset of the first record of an entry. */
    static int firstRecordOffset(final boolean storesKeys, final int keyLength) {
        final int bytes = RecordArena.ENTRY_KEY_OFFSET + (storesKeys ? 0 : RecordArena.keyBytes(keyLength));
        return bytes + Long.BYTES - 1 & -Long.BYTES;
    }

    /** Creates an entry with space for its first record, which is its newest one, and returns the entry. */
    static long newEntry(
        final RecordArena arena, final boolean storesKeys, final KeyScratch key, final int recordBytes) {
        final int offset = firstRecordOffset(storesKeys, key.length);
        final long entry = arena.allocate(offset + recordBytes);
        arena.putLong(entry, 0, firstRecord(entry, offset));
        if (!storesKeys) {
            arena.putKey(entry, key.bytes, key.length);
        }
        return entry;
    }

    /** Returns the pointer of the first record of an entry. */
    static long firstRecord(final long entry, final int offset) {
        return entry + (offset >>> RecordArena.POINTER_SHIFT);
    }

    // ---- rows ----

    /** Writes the header of a row's record. */
    static void putRowHeader(
        final RecordArena arena, final long record, final long version, final long previous, final int length) {
        arena.putInt(record, 0, length);
        arena.putInt(record, ROW_VERSION_OFFSET, (int) version);
        arena.putLong(record, ROW_PREVIOUS_OFFSET, version >>> Integer.SIZE << POINTER_BITS | previous);
    }

    /** Returns the record of a row that a version sees, or {@link RecordArena#NONE}. */
    static long rowOf(final RecordArena arena, final long newest, final long version) {
        long record = newest;
        while (record != RecordArena.NONE) {
            final long word = arena.getLong(record, ROW_PREVIOUS_OFFSET);
            final long own = word >>> POINTER_BITS << Integer.SIZE | arena.getInt(record, ROW_VERSION_OFFSET) & 0xFFFF_FFFFL;
            if (own <= version) {
                return record;
            }
            record = word & PREVIOUS_MASK;
        }
        return RecordArena.NONE;
    }

    /** Copies a row and sets the position to its beginning. */
    static void readRow(final RecordArena arena, final long record, final ByteBlob destination) {
        final int length = arena.getInt(record, 0);
        arena.getBytes(record, ROW_OFFSET, destination.ofLength(length), 0, length);
        destination.position = 0;
    }
}
