/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/** Encodes and decodes the values of one type: order-preserving, prefix-free, one encoding for each value. Stateless. */
interface Codec<T> {
    /** Appends a value; if it throws, the caller removes what was appended. */
    void encode(T value, KeyBuffer out);

    /** Reads a value; if it throws, the caller rewinds the input. */
    T decode(KeyInput in);

    /** Compares in the natural order of the type, which is the order of its encodings. */
    int compare(T left, T right);
}
