/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * IEEE 754 double precision: big endian, the sign bit inverted, and for negative numbers all other bits too.
 * Every NaN is written as the canonical one, which sorts last.
 */
final class Float64Codec implements Codec<Double> {
    static final Float64Codec INSTANCE = new Float64Codec();

    private static final String NAME = "float64";
    private static final long CANONICAL_NAN_BITS = Double.doubleToLongBits(Double.NaN);

    private Float64Codec() {
    }

    static void encodeDouble(final double value, final KeyBuffer out) {
        final long bits = Double.doubleToLongBits(value);
        out.reserve(Double.BYTES, NAME);
        out.putBigEndian(bits ^ (bits >> Long.SIZE - 1 | Long.MIN_VALUE), Double.BYTES);
    }

    static double decodeDouble(final KeyInput in) {
        final int start = in.position();
        final long stored = in.bigEndian(Double.BYTES, NAME);
        final long bits = stored ^ (~stored >> Long.SIZE - 1 | Long.MIN_VALUE);
        final double value = Double.longBitsToDouble(bits);
        if (Double.isNaN(value) && bits != CANONICAL_NAN_BITS) {
            throw new MalformedKeyException(start,
                "expected float64 but was a NaN that is not the canonical one");
        }
        return value;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Class<Double> javaType() {
        return Double.class;
    }

    @Override
    public void encode(final Double value, final KeyBuffer out) {
        encodeDouble(value, out);
    }

    @Override
    public Double decode(final KeyInput in) {
        return decodeDouble(in);
    }

    @Override
    public int compare(final Double left, final Double right) {
        return Double.compare(left, right);
    }
}
