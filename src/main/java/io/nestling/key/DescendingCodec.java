/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * The values of another type in reverse order: every bit of their encoding inverted. An inverted prefix-free encoding is
 * prefix-free.
 */
record DescendingCodec<T>(KeyType<T> ascending) implements Codec<T> {
    @Override
    public void encode(final T value, final KeyBuffer out) {
        final int start = out.length();
        ascending.codec().encode(value, out);
        out.invertFrom(start);
    }

    @Override
    public T decode(final KeyInput in) {
        in.invert();
        final T value = ascending.codec().decode(in);
        in.invert();
        return value;
    }

    @Override
    public int compare(final T left, final T right) {
        return ascending.codec().compare(right, left);
    }
}
