/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;
import io.nestling.index.EntryKind;

import java.util.Arrays;
import java.util.Map;

/** Counts the content of a table. A writer stores the counts as properties; a verifier counts again and compares. */
final class TableStatistics {
    private long keyCount;
    private long valueCount;
    private long tombstoneCount;
    private long expiringCount;
    private long operandCount;
    private long rangeTombstoneCount;
    private long dataBlockCount;
    private long keyBytes;
    private long valueBytes;
    private long smallestSequence = Long.MAX_VALUE;
    private long greatestSequence = -1;
    private byte[] smallestKey;

    /** Counts an entry; {@code newKey} is false if it is an older version of the previous entry's key. */
    void addEntry(final int keyLength, final int form, final int valueLength, final long sequence, final boolean newKey) {
        if (newKey) {
            keyCount++;
        }
        final EntryKind kind = TableEntryLayout.kindOf(form);
        tombstoneCount += kind == EntryKind.TOMBSTONE ? 1 : 0;
        valueCount += kind == EntryKind.VALUE ? 1 : 0;
        expiringCount += kind == EntryKind.EXPIRING ? 1 : 0;
        operandCount += kind == EntryKind.OPERAND ? 1 : 0;
        keyBytes += keyLength;
        valueBytes += valueLength;
        addSequence(sequence);
    }

    /** Sets the smallest key. */
    void setSmallestKey(final byte[] key, final int length) {
        smallestKey = Arrays.copyOf(key, length);
    }

    void addRangeTombstone(final long sequence) {
        rangeTombstoneCount++;
        addSequence(sequence);
    }

    void addDataBlock() {
        dataBlockCount++;
    }

    private void addSequence(final long sequence) {
        smallestSequence = Math.min(smallestSequence, sequence);
        greatestSequence = Math.max(greatestSequence, sequence);
    }

    long entryCount() {
        return valueCount + tombstoneCount + expiringCount + operandCount;
    }

    /** Returns the version of the format that the entries need. */
    int version() {
        return expiringCount + operandCount == 0 ? Footer.FIRST_VERSION : Footer.VERSION;
    }

    long keyCount() {
        return keyCount;
    }

    long rangeTombstoneCount() {
        return rangeTombstoneCount;
    }

    long dataBlockCount() {
        return dataBlockCount;
    }

    /** Returns the total length of keys and values. */
    long byteCount() {
        return keyBytes + valueBytes;
    }

    /** Adds the counts to the properties. */
    void putInto(final Map<String, byte[]> properties, final byte[] greatestKey, final int greatestKeyLength) {
        properties.put(TableProperties.KEY_COUNT, varint(keyCount));
        properties.put(TableProperties.VALUE_COUNT, varint(valueCount));
        properties.put(TableProperties.TOMBSTONE_COUNT, varint(tombstoneCount));
        if (expiringCount > 0) {
            properties.put(TableProperties.EXPIRING_COUNT, varint(expiringCount));
        }
        if (operandCount > 0) {
            properties.put(TableProperties.OPERAND_COUNT, varint(operandCount));
        }
        properties.put(TableProperties.RANGE_TOMBSTONE_COUNT, varint(rangeTombstoneCount));
        properties.put(TableProperties.DATA_BLOCK_COUNT, varint(dataBlockCount));
        properties.put(TableProperties.KEY_BYTES, varint(keyBytes));
        properties.put(TableProperties.VALUE_BYTES, varint(valueBytes));
        if (entryCount() > 0) {
            properties.put(TableProperties.SMALLEST_KEY, smallestKey);
            properties.put(TableProperties.GREATEST_KEY, Arrays.copyOf(greatestKey, greatestKeyLength));
        }
        if (greatestSequence >= 0) {
            properties.put(TableProperties.SMALLEST_SEQUENCE, varint(smallestSequence));
            properties.put(TableProperties.GREATEST_SEQUENCE, varint(greatestSequence));
        }
    }

    static byte[] varint(final long value) {
        final byte[] bytes = new byte[Varint.length(value)];
        Varint.write(bytes, 0, value);
        return bytes;
    }
}
