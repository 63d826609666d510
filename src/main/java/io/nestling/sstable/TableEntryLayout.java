/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;
import io.nestling.index.EntryKind;

/**
 * Layout of the entries of data blocks, index blocks and range tombstone blocks. All numbers but the restart points and
 * their count are varints.
 * <pre>
 *  block  := entry+ restart+ restartCount
 *  entry  := shared unshared tag [valueLength] keyTail [value]
 *
 *  field         encoding  what
 *  shared        varint    leading bytes that the key shares with the one before, all of them;
 *                          0 at a restart point
 *  unshared      varint    bytes of keyTail
 *  tag           varint    sequence shifted left by 2, or-ed with the form (bits 0 and 1); in index blocks
 *                          the sequence is counted down from 2^56 - 1
 *  valueLength   varint    bytes of the value; absent for a tombstone
 *  keyTail       bytes     the key from byte {shared} on
 *  value         bytes     by form
 *  restart       4 bytes   offset of an entry whose key is written whole: the first and each 16th after it
 *  restartCount  4 bytes   at least 1
 *
 *  form                    value
 *  0  TOMBSTONE            nothing, and no valueLength
 *  1  VALUE                valueLength bytes; in an index block: offset and length of a data block, varints
 *  2  RANGE_TOMBSTONE      first key after the range, or nothing if it reaches to the end of all keys;
 *                          the entry's key is the first of it
 *  3  VALUE_APART          offset and stored length of the value's chunks, varints
 *                          (valueLength is that of the value itself)
 * </pre>
 */
final class TableEntryLayout {
    static final int FORM_TOMBSTONE = 0;
    static final int FORM_VALUE = 1;
    static final int FORM_RANGE_TOMBSTONE = 2;
    static final int FORM_VALUE_APART = 3;
    static final int FORM_BITS = 2;
    static final int FORM_MASK = (1 << FORM_BITS) - 1;

    static final long MAX_SEQUENCE = (1L << 56) - 1;
    static final int MAX_KEY_BYTES = 65_535;
    static final int MAX_VALUE_BYTES = Integer.MAX_VALUE - 16;
    /** Greatest length of a value in a data block; a longer one is stored apart. */
    static final int MAX_INLINE_VALUE_BYTES = 64 << 10;
    static final int RESTART_INTERVAL = 16;

    private TableEntryLayout() {
    }

    /**
     * Returns the form of an entry of a key.
     *
     * @throws IllegalStateException if it is a range tombstone, which is not an entry of a key
     */
    static int formOf(final EntryKind kind, final int valueLength) {
        return switch (kind) {
            case TOMBSTONE -> FORM_TOMBSTONE;
            case VALUE -> valueLength > MAX_INLINE_VALUE_BYTES ? FORM_VALUE_APART : FORM_VALUE;
            case RANGE_TOMBSTONE -> throw new IllegalStateException("a range tombstone is not an entry");
        };
    }

    /** Returns the kind of an entry with a form. */
    static EntryKind kindOf(final int form) {
        return switch (form) {
            case FORM_TOMBSTONE -> EntryKind.TOMBSTONE;
            case FORM_VALUE, FORM_VALUE_APART -> EntryKind.VALUE;
            case FORM_RANGE_TOMBSTONE -> EntryKind.RANGE_TOMBSTONE;
            default -> throw new IllegalArgumentException("expected a form of 0 to " + FORM_MASK + " but was " + form);
        };
    }

    static long tag(final long sequence, final int form) {
        return sequence << FORM_BITS | form;
    }

    /** Reads a varint of up to 32 bits. */
    static int readInt(final byte[] source, final int offset, final int limit) {
        try {
            return Varint.readInt(source, offset, limit);
        } catch (final IllegalArgumentException e) {
            throw new MalformedBlockException(e.getMessage(), e);
        }
    }

    /** Reads a varint of up to 64 bits. */
    static long readLong(final byte[] source, final int offset, final int limit) {
        try {
            return Varint.readLong(source, offset, limit);
        } catch (final IllegalArgumentException e) {
            throw new MalformedBlockException(e.getMessage(), e);
        }
    }
}
