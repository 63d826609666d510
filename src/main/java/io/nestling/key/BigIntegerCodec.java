/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static io.nestling.key.SignMagnitude.LONG_FORM;
import static io.nestling.key.SignMagnitude.MAX_SHORT_BYTES;
import static io.nestling.key.SignMagnitude.ZERO;

import java.math.BigInteger;

/** Big integers in the form of {@link SignMagnitude}; only the key limit bounds the magnitude. */
final class BigIntegerCodec implements Codec<BigInteger> {
    static final String NAME = "bigInteger";

    @Override
    public void encode(final BigInteger value, final KeyBuffer out) {
        final BigInteger magnitude = value.abs();
        final int bytes = (int) (((long) magnitude.bitLength() + Byte.SIZE - 1) / Byte.SIZE);
        final boolean longForm = bytes > MAX_SHORT_BYTES;
        out.reserve(1L + (longForm ? Short.BYTES : 0) + bytes, NAME);
        final int start = out.length();
        if (longForm) {
            out.put(LONG_FORM);
            out.putBigEndian(bytes, Short.BYTES);
        } else {
            out.put(ZERO + bytes);
        }
        final byte[] array = magnitude.toByteArray();
        out.put(array, array.length - bytes, bytes);
        if (value.signum() < 0) {
            out.invertFrom(start);
        }
    }

    @Override
    public BigInteger decode(final KeyInput in) {
        final int stored = in.next(NAME);
        final boolean negative = stored < ZERO;
        final int header = negative ? SignMagnitude.invert(stored) : stored;
        if (header > LONG_FORM || negative && header == ZERO) {
            throw in.unexpected("the header of bigInteger", stored);
        }
        if (negative) {
            in.invert();
        }
        final byte[] magnitude = readMagnitude(header, in);
        if (negative) {
            in.invert();
        }
        return new BigInteger(negative ? -1 : Integer.signum(magnitude.length), magnitude);
    }

    private static byte[] readMagnitude(final int header, final KeyInput in) {
        int bytes = header - ZERO;
        if (header == LONG_FORM) {
            bytes = (int) in.bigEndian(Short.BYTES, "length of bigInteger");
            if (bytes <= MAX_SHORT_BYTES) {
                throw new MalformedKeyException(in.position() - Short.BYTES,
                    "expected a length of bigInteger above "
                    + MAX_SHORT_BYTES + " but was " + bytes);
            }
        }
        in.require(bytes, "magnitude of bigInteger");
        final byte[] magnitude = new byte[bytes];
        in.read(magnitude);
        if (bytes > 0 && magnitude[0] == 0) {
            throw new MalformedKeyException(
                in.position() - bytes, "expected magnitude of bigInteger but was a leading zero byte");
        }
        return magnitude;
    }

    @Override
    public int compare(final BigInteger left, final BigInteger right) {
        return left.compareTo(right);
    }
}
