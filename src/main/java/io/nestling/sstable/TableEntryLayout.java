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
 *
 *  from version 2 on, in data blocks, whose tag has form 2 then, and whose value begins with the form as one byte:
 *  4  EXPIRING             expiry, a varint of milliseconds since the epoch, then valueLength bytes
 *  5  EXPIRING_APART       expiry, then offset and stored length of the value's chunks, varints
 *  6  OPERAND              valueLength bytes
 *  7  OPERAND_APART        offset and stored length of the operand's chunks, varints
 * </pre>
 */
final class TableEntryLayout {
    static final int FORM_TOMBSTONE = 0;
    static final int FORM_VALUE = 1;
    static final int FORM_RANGE_TOMBSTONE = 2;
    static final int FORM_VALUE_APART = 3;
    static final int FORM_EXPIRING = 4;
    static final int FORM_EXPIRING_APART = 5;
    static final int FORM_OPERAND = 6;
    static final int FORM_OPERAND_APART = 7;
    /** First form that a tag has no room for: it stands behind the key, and the tag has {@link #FORM_RANGE_TOMBSTONE}. */
    static final int FIRST_LATER_FORM = FORM_EXPIRING;
    static final int MAX_FORM = FORM_OPERAND_APART;
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

    /** Returns the form of an entry of a key; throws for a range tombstone, which is not an entry of a key. */
    static int formOf(final EntryKind kind, final int valueLength) {
        return switch (kind) {
            case TOMBSTONE -> FORM_TOMBSTONE;
            case VALUE -> valueLength > MAX_INLINE_VALUE_BYTES ? FORM_VALUE_APART : FORM_VALUE;
            case OPERAND -> valueLength > MAX_INLINE_VALUE_BYTES ? FORM_OPERAND_APART : FORM_OPERAND;
            case EXPIRING -> valueLength > MAX_INLINE_VALUE_BYTES ? FORM_EXPIRING_APART : FORM_EXPIRING;
            case RANGE_TOMBSTONE -> throw new IllegalStateException("a range tombstone is not an entry");
        };
    }

    /** Returns the kind of an entry with a form. */
    static EntryKind kindOf(final int form) {
        return switch (form) {
            case FORM_TOMBSTONE -> EntryKind.TOMBSTONE;
            case FORM_VALUE, FORM_VALUE_APART -> EntryKind.VALUE;
            case FORM_RANGE_TOMBSTONE -> EntryKind.RANGE_TOMBSTONE;
            case FORM_EXPIRING, FORM_EXPIRING_APART -> EntryKind.EXPIRING;
            case FORM_OPERAND, FORM_OPERAND_APART -> EntryKind.OPERAND;
            default -> throw new IllegalArgumentException("expected a form of 0 to " + MAX_FORM + " but was " + form);
        };
    }

    /** Returns whether an entry with a form has a valueLength: all but tombstones have. */
    static boolean hasValueLength(final int form) {
        return form != FORM_TOMBSTONE;
    }

    /** Returns whether the value of an entry with a form is stored apart. */
    static boolean isApart(final int form) {
        return form == FORM_VALUE_APART || form == FORM_EXPIRING_APART || form == FORM_OPERAND_APART;
    }

    /** Returns whether an entry with a form has an expiry. */
    static boolean expires(final int form) {
        return form == FORM_EXPIRING || form == FORM_EXPIRING_APART;
    }

    static long tag(final long sequence, final int form) {
        return sequence << FORM_BITS | (form < FIRST_LATER_FORM ? form : FORM_RANGE_TOMBSTONE);
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
