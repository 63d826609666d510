/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/** An {@link IntegerFormat} over a boxed Java type. */
record IntegerCodec<T>(IntegerFormat format, ToLongFunction<T> toLong, LongFunction<T> fromLong) implements Codec<T> {
    @Override
    public void encode(final T value, final KeyBuffer out) {
        format.encode(toLong.applyAsLong(value), out);
    }

    @Override
    public T decode(final KeyInput in) {
        final int start = in.position();
        final long number = format.decode(in);
        final T value = fromLong.apply(number);
        // Of all numbers that the format takes, only NaNs other than the canonical one come back as another one.
        if (toLong.applyAsLong(value) != number) {
            throw new MalformedKeyException(start,
                "expected " + format.typeName() + " but was a NaN that is not the canonical one");
        }
        return value;
    }

    @Override
    public int compare(final T left, final T right) {
        return format.compare(toLong.applyAsLong(left), toLong.applyAsLong(right));
    }
}
