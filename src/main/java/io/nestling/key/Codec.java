/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * How the values of one type become bytes and back: order-preserving, prefix-free, one encoding for each
 * value. Stateless.
 *
 * @param <T> Java type of the values
 */
interface Codec<T> {
    /** Name of the type for messages. */
    String name();

    /** Class of the values. */
    Class<T> javaType();

    /** Whether {@code null} is a value of the type. */
    default boolean acceptsNull() {
        return false;
    }

    /** Appends a value; when it throws, the caller takes back what was appended. */
    void encode(T value, KeyBuffer out);

    /** Reads a value; when it throws, the caller rewinds the input. */
    T decode(KeyInput in);

    /** The natural order of the type, which is the order of its encodings. */
    int compare(T left, T right);
}
