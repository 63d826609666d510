/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * The values of another type in reverse order: every bit of their encoding inverted. An inverted prefix-free
 * encoding is prefix-free.
 *
 * @param <T> Java type of the values
 */
record DescendingCodec<T>(Codec<T> ascending) implements Codec<T> {
    @Override
    public String name() {
        return ascending.name() + " descending";
    }

    @Override
    public Class<T> javaType() {
        return ascending.javaType();
    }

    @Override
    public boolean acceptsNull() {
        return ascending.acceptsNull();
    }

    @Override
    public void encode(final T value, final KeyBuffer out) {
        final int start = out.length();
        ascending.encode(value, out);
        out.invertFrom(start);
    }

    @Override
    public T decode(final KeyInput in) {
        in.invert();
        final T value = ascending.decode(in);
        in.invert();
        return value;
    }

    @Override
    public int compare(final T left, final T right) {
        return ascending.compare(right, left);
    }
}
