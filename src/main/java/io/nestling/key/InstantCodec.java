/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.time.Instant;

/** Instants: the seconds since 1970 as int64, then the nanoseconds within the second as uint32. */
final class InstantCodec implements Codec<Instant> {
    static final String NAME = "instant";
    private static final int INSTANT_BYTES = Long.BYTES + Integer.BYTES;
    private static final long MIN_SECOND = Instant.MIN.getEpochSecond();
    private static final long MAX_SECOND = Instant.MAX.getEpochSecond();
    private static final int MAX_NANO = Instant.MAX.getNano();

    @Override
    public void encode(final Instant value, final KeyBuffer out) {
        out.reserve(INSTANT_BYTES, NAME);
        IntegerFormat.INT64.encode(value.getEpochSecond(), out);
        IntegerFormat.UINT32.encode(value.getNano(), out);
    }

    @Override
    public Instant decode(final KeyInput in) {
        final int start = in.position();
        in.require(INSTANT_BYTES, NAME);
        final long second = IntegerFormat.INT64.decode(in);
        final long nano = IntegerFormat.UINT32.decode(in);
        if (second < MIN_SECOND || second > MAX_SECOND) {
            throw new MalformedKeyException(start, "expected an instant with seconds " + MIN_SECOND + ".."
                + MAX_SECOND + " but was " + second);
        }
        if (nano > MAX_NANO) {
            throw new MalformedKeyException(
                start + Long.BYTES, "expected an instant with nanoseconds 0.." + MAX_NANO + " but was " + nano);
        }
        return Instant.ofEpochSecond(second, nano);
    }

    @Override
    public int compare(final Instant left, final Instant right) {
        return left.compareTo(right);
    }
}
