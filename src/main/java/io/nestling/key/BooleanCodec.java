/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/** Booleans: one byte, {@code 00} for false and {@code 01} for true. */
final class BooleanCodec implements Codec<Boolean> {
    static final String NAME = "boolean";
    private static final int FALSE = 0;
    private static final int TRUE = 1;

    @Override
    public void encode(final Boolean value, final KeyBuffer out) {
        out.reserve(1, NAME);
        out.put(value ? TRUE : FALSE);
    }

    @Override
    public Boolean decode(final KeyInput in) {
        final int stored = (int) in.bigEndian(1, NAME);
        if (stored > TRUE) {
            throw in.unexpected("boolean (00 or 01)", stored);
        }
        return stored == TRUE;
    }

    @Override
    public int compare(final Boolean left, final Boolean right) {
        return Boolean.compare(left, right);
    }
}
