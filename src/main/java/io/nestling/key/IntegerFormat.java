/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/** Fixed-length numbers: big endian, with the sign bit of signed ones inverted; {@link FloatBits} makes integers of floats. */
enum IntegerFormat {
    INT8("int8", Byte.BYTES, true),
    INT16("int16", Short.BYTES, true),
    INT32("int32", Integer.BYTES, true),
    INT64("int64", Long.BYTES, true),
    UINT8("uint8", Byte.BYTES, false),
    UINT16("uint16", Short.BYTES, false),
    UINT32("uint32", Integer.BYTES, false),
    UINT64("uint64", Long.BYTES, false),
    FLOAT32("float32", Float.BYTES, true),
    FLOAT64("float64", Double.BYTES, true);

    private final String typeName;
    private final int bytes;
    private final boolean signed;
    private final int unusedBits;
    private final long signBit;

    IntegerFormat(final String typeName, final int bytes, final boolean signed) {
        this.typeName = typeName;
        this.bytes = bytes;
        this.signed = signed;
        this.unusedBits = Long.SIZE - bytes * Byte.SIZE;
        this.signBit = signed ? Long.MIN_VALUE >>> unusedBits : 0;
    }

    String typeName() {
        return typeName;
    }

    /** Appends a number; throws if it is out of range. */
    void encode(final long value, final KeyBuffer out) {
        if (extend(value) != value) {
            throw new IllegalArgumentException(
                "expected " + typeName + " (" + smallest() + ".." + largest() + ") but was " + value);
        }
        out.reserve(bytes, typeName);
        out.putBigEndian(value ^ signBit, bytes);
    }

    /** Reads a number. */
    long decode(final KeyInput in) {
        return extend(in.bigEndian(bytes, typeName) ^ signBit);
    }

    int compare(final long left, final long right) {
        return signed ? Long.compare(left, right) : Long.compareUnsigned(left, right);
    }

    private long smallest() {
        return signed ? -signBit : 0;
    }

    private long largest() {
        return signed ? signBit - 1 : -1L >>> unusedBits;
    }

    private long extend(final long value) {
        final long shifted = value << unusedBits;
        return signed ? shifted >> unusedBits : shifted >>> unusedBits;
    }
}
