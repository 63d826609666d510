/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.UUID;

/**
 * UUIDs: the 16 bytes as written in hexadecimal. The order is that of the text form, unlike
 * {@link UUID#compareTo}, which is signed.
 */
final class UuidCodec implements Codec<UUID> {
    static final String NAME = "uuid";
    private static final int UUID_BYTES = 2 * Long.BYTES;

    @Override
    public void encode(final UUID value, final KeyBuffer out) {
        out.reserve(UUID_BYTES, NAME);
        out.putBigEndian(value.getMostSignificantBits(), Long.BYTES);
        out.putBigEndian(value.getLeastSignificantBits(), Long.BYTES);
    }

    @Override
    public UUID decode(final KeyInput in) {
        in.require(UUID_BYTES, NAME);
        final long high = in.bigEndian(Long.BYTES, NAME);
        return new UUID(high, in.bigEndian(Long.BYTES, NAME));
    }

    @Override
    public int compare(final UUID left, final UUID right) {
        final int order = Long.compareUnsigned(left.getMostSignificantBits(), right.getMostSignificantBits());
        return order != 0 ? order : Long.compareUnsigned(left.getLeastSignificantBits(), right.getLeastSignificantBits());
    }
}
