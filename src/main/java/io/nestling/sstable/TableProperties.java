/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The properties of a table: named values, to which later versions may add more. The payload of their block, with varints
 * and with UTF-8 names in ascending order:
 * <pre>
 *  properties := count (nameLength name valueLength value){count}
 * </pre>
 * <h2>Thread safety</h2>
 * Immutable.
 */
public final class TableProperties {
    static final String CREATOR = "creator";
    static final String COMPRESSION = "compression";
    static final String INDEX_KIND = "index_kind";
    static final String KEY_COUNT = "count.keys";
    static final String VALUE_COUNT = "count.values";
    static final String TOMBSTONE_COUNT = "count.tombstones";
    static final String EXPIRING_COUNT = "count.expiring";
    static final String OPERAND_COUNT = "count.operands";
    static final String RANGE_TOMBSTONE_COUNT = "count.range_tombstones";
    static final String DATA_BLOCK_COUNT = "count.data_blocks";
    static final String KEY_BYTES = "bytes.keys";
    static final String VALUE_BYTES = "bytes.values";
    static final String SMALLEST_KEY = "key.smallest";
    static final String GREATEST_KEY = "key.greatest";
    static final String SMALLEST_SEQUENCE = "sequence.smallest";
    static final String GREATEST_SEQUENCE = "sequence.greatest";
    static final String FILTER = "filter";
    static final String DIRECTORY = "directory";

    /* Four of them have a sum. */
    private static final long MAX_COUNT = Long.MAX_VALUE / 4;

    private final TreeMap<String, byte[]> values;

    TableProperties(final Map<String, byte[]> values) {
        this.values = new TreeMap<>(values);
    }

    /** Reads the payload of a properties block and checks that no property that every table has is missing. */
    static TableProperties decode(final byte[] payload, final int length) {
        final TreeMap<String, byte[]> values = new TreeMap<>();
        final ByteBuffer input = ByteBuffer.wrap(payload, 0, length);
        try {
            for (long left = Varint.readLong(input); left > 0; left--) {
                final String name = new String(bytes(input), StandardCharsets.UTF_8);
                if (!values.isEmpty() && name.compareTo(values.lastKey()) <= 0) {
                    throw new MalformedBlockException("property '" + name + "' after '" + values.lastKey() + "'");
                }
                values.put(name, bytes(input));
            }
        } catch (final IllegalArgumentException e) {
            throw new MalformedBlockException(e.getMessage(), e);
        }
        if (input.hasRemaining()) {
            throw new MalformedBlockException("properties end at " + input.position() + " of " + length + " bytes");
        }
        final TableProperties properties = new TableProperties(values);
        properties.checkComplete();
        return properties;
    }

    private static byte[] bytes(final ByteBuffer input) {
        final long length = Varint.readLong(input);
        if (length < 0 || length > input.remaining()) {
            throw new MalformedBlockException("property of " + length + " bytes at " + input.position() + " of " + input.limit());
        }
        final byte[] bytes = new byte[(int) length];
        input.get(bytes);
        return bytes;
    }

    private void checkComplete() {
        for (final String name : new String[] {KEY_COUNT, VALUE_COUNT, TOMBSTONE_COUNT, RANGE_TOMBSTONE_COUNT,
            DATA_BLOCK_COUNT, KEY_BYTES, VALUE_BYTES}) {
            number(name);
        }
        filter();
        directory();
        for (final String name : new String[] {CREATOR, COMPRESSION, INDEX_KIND}) {
            required(name);
        }
        if (Math.max(Math.max(valueCount(), tombstoneCount()), Math.max(expiringCount(), operandCount())) > MAX_COUNT) {
            throw new MalformedBlockException(valueCount() + " values, " + expiringCount() + " that expire, " + operandCount()
                + " operands and " + tombstoneCount() + " tombstones are too many");
        }
        if (entryCount() > 0) {
            required(SMALLEST_KEY);
            required(GREATEST_KEY);
        }
        if (entryCount() > 0 || rangeTombstoneCount() > 0) {
            number(SMALLEST_SEQUENCE);
            number(GREATEST_SEQUENCE);
        }
        if (smallestSequence() > greatestSequence() || greatestSequence() > TableEntryLayout.MAX_SEQUENCE) {
            throw new MalformedBlockException("sequence numbers from " + smallestSequence() + " to "
                + greatestSequence() + "; the limit is " + TableEntryLayout.MAX_SEQUENCE);
        }
    }

    byte[] encode() {
        final ByteArrayOutputStream payload = new ByteArrayOutputStream();
        payload.writeBytes(TableStatistics.varint(values.size()));
        values.forEach((name, value) -> {
            for (final byte[] bytes : List.of(name.getBytes(StandardCharsets.UTF_8), value)) {
                payload.writeBytes(TableStatistics.varint(bytes.length));
                payload.writeBytes(bytes);
            }
        });
        return payload.toByteArray();
    }

    static byte[] encodeHandle(final ChunkedHandle handle) {
        final byte[] bytes = new byte[3 * Long.BYTES];
        LittleEndian.putLong(bytes, 0, handle.offset());
        LittleEndian.putLong(bytes, Long.BYTES, handle.storedLength());
        LittleEndian.putLong(bytes, 2 * Long.BYTES, handle.rawLength());
        return bytes;
    }

    private ChunkedHandle handle(final String name) {
        final byte[] bytes = required(name);
        if (bytes.length != 3 * Long.BYTES) {
            throw new MalformedBlockException("property '" + name + "' of " + bytes.length + " bytes is no handle");
        }
        return new ChunkedHandle(LittleEndian.getLong(bytes, 0), LittleEndian.getLong(bytes, Long.BYTES),
            LittleEndian.getLong(bytes, 2 * Long.BYTES));
    }

    private byte[] required(final String name) {
        final byte[] value = values.get(name);
        if (value == null) {
            throw new MalformedBlockException("property '" + name + "' is missing");
        }
        return value;
    }

    private long number(final String name) {
        final byte[] value = required(name);
        try {
            final long number = Varint.readLong(value, 0, value.length);
            if (number >= 0 && Varint.length(number) == value.length) {
                return number;
            }
        } catch (final IllegalArgumentException e) {
            throw new MalformedBlockException("property '" + name + "': " + e.getMessage(), e);
        }
        throw new MalformedBlockException("property '" + name + "' is not one number");
    }

    private String text(final String name) {
        return new String(required(name), StandardCharsets.UTF_8);
    }

    private byte[] copyOrNull(final String name) {
        final byte[] value = values.get(name);
        return value == null ? null : value.clone();
    }

    ChunkedHandle filter() {
        return handle(FILTER);
    }

    ChunkedHandle directory() {
        return handle(DIRECTORY);
    }

    /** Returns the values by name, which must not be changed. */
    Map<String, byte[]> asMap() {
        return values;
    }

    /**
     * Returns the names of all properties, with those that this version does not know.
     *
     * @return the names in order
     */
    public SortedSet<String> names() {
        return Collections.unmodifiableSortedSet(values.navigableKeySet());
    }

    /**
     * Returns the number of entries: values, operands and tombstones, with every version of a key.
     *
     * @return the count
     */
    public long entryCount() {
        return valueCount() + expiringCount() + operandCount() + tombstoneCount();
    }

    /**
     * Returns the number of different keys.
     *
     * @return the count
     */
    public long keyCount() {
        return number(KEY_COUNT);
    }

    /**
     * Returns the number of entries with a value that does not expire.
     *
     * @return the count
     */
    public long valueCount() {
        return number(VALUE_COUNT);
    }

    /**
     * Returns the number of entries with a value that expires.
     *
     * @return the count
     */
    public long expiringCount() {
        return values.containsKey(EXPIRING_COUNT) ? number(EXPIRING_COUNT) : 0;
    }

    /**
     * Returns the number of operands.
     *
     * @return the count
     */
    public long operandCount() {
        return values.containsKey(OPERAND_COUNT) ? number(OPERAND_COUNT) : 0;
    }

    /**
     * Returns the number of tombstones of single keys.
     *
     * @return the count
     */
    public long tombstoneCount() {
        return number(TOMBSTONE_COUNT);
    }

    /**
     * Returns the number of range tombstones.
     *
     * @return the count
     */
    public long rangeTombstoneCount() {
        return number(RANGE_TOMBSTONE_COUNT);
    }

    /**
     * Returns the number of data blocks.
     *
     * @return the count
     */
    public long dataBlockCount() {
        return number(DATA_BLOCK_COUNT);
    }

    /**
     * Returns the total length of all keys, neither front-coded nor compressed.
     *
     * @return bytes
     */
    public long keyBytes() {
        return number(KEY_BYTES);
    }

    /**
     * Returns the total length of all values before compression.
     *
     * @return bytes
     */
    public long valueBytes() {
        return number(VALUE_BYTES);
    }

    /**
     * Returns the smallest key of an entry; range tombstones do not count.
     *
     * @return a copy, or null if there is no entry
     */
    public byte[] smallestKey() {
        return copyOrNull(SMALLEST_KEY);
    }

    /**
     * Returns the greatest key of an entry; range tombstones do not count.
     *
     * @return a copy, or null if there is no entry
     */
    public byte[] greatestKey() {
        return copyOrNull(GREATEST_KEY);
    }

    /**
     * Returns the smallest sequence number of an entry or range tombstone.
     *
     * @return the number, or -1 if the table is empty
     */
    public long smallestSequence() {
        return values.containsKey(SMALLEST_SEQUENCE) ? number(SMALLEST_SEQUENCE) : -1;
    }

    /**
     * Returns the greatest sequence number of an entry or range tombstone.
     *
     * @return the number, or -1 if the table is empty
     */
    public long greatestSequence() {
        return values.containsKey(GREATEST_SEQUENCE) ? number(GREATEST_SEQUENCE) : -1;
    }

    /**
     * Returns the name of the memtable's index.
     *
     * @return the name in the writer's options
     */
    public String indexKind() {
        return text(INDEX_KIND);
    }

    /**
     * Returns the name of the program that wrote the table.
     *
     * @return the name in the writer's options
     */
    public String creator() {
        return text(CREATOR);
    }

    /**
     * Returns the compression that the writer used.
     *
     * @return {@code lz4} or {@code none}
     */
    public String compression() {
        return text(COMPRESSION);
    }
}
