/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * IEEE 754 single precision: big endian, the sign bit inverted, and for negative numbers all other bits too.
 * Every NaN is written as the canonical one, which sorts last.
 */
final class Float32Codec implements Codec<Float> {
    static final Float32Codec INSTANCE = new Float32Codec();

    private static final String NAME = "float32";
    private static final int CANONICAL_NAN_BITS = Float.floatToIntBits(Float.NaN);

    private Float32Codec() {
    }

    static void encodeFloat(final float value, final KeyBuffer out) {
        final int bits = Float.floatToIntBits(value);
        out.reserve(Float.BYTES, NAME);
        out.putBigEndian(bits ^ (bits >> Integer.SIZE - 1 | Integer.MIN_VALUE), Float.BYTES);
    }

    static float decodeFloat(final KeyInput in) {
        final int start = in.position();
        final int stored = (int) in.bigEndian(Float.BYTES, NAME);
        final int bits = stored ^ (~stored >> Integer.SIZE - 1 | Integer.MIN_VALUE);
        final float value = Float.intBitsToFloat(bits);
        if (Float.isNaN(value) && bits != CANONICAL_NAN_BITS) {
            throw new MalformedKeyException(start,
                "expected float32 but was a NaN that is not the canonical one");
        }
        return value;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Class<Float> javaType() {
        return Float.class;
    }

    @Override
    public void encode(final Float value, final KeyBuffer out) {
        encodeFloat(value, out);
    }

    @Override
    public Float decode(final KeyInput in) {
        return decodeFloat(in);
    }

    @Override
    public int compare(final Float left, final Float right) {
        return Float.compare(left, right);
    }
}
