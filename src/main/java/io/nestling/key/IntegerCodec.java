/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * An {@link IntegerFormat} over a boxed Java type.
 *
 * @param <T> Java type of the values
 */
record IntegerCodec<T>(
    IntegerFormat format, Class<T> javaType, ToLongFunction<T> toLong, LongFunction<T> fromLong)
    implements Codec<T> {

    @Override
    public String name() {
        return format.typeName();
    }

    @Override
    public void encode(final T value, final KeyBuffer out) {
        format.encode(toLong.applyAsLong(value), out);
    }

    @Override
    public T decode(final KeyInput in) {
        return fromLong.apply(format.decode(in));
    }

    @Override
    public int compare(final T left, final T right) {
        return format.compare(toLong.applyAsLong(left), toLong.applyAsLong(right));
    }
}
