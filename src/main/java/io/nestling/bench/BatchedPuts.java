/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;

/** An index with batched puts. */
interface BatchedPuts {
    /**
     * Puts keys, none of which occurs twice.
     *
     * @param keys the keys
     * @param payloads array with the payload of key {@code i} at {@code from + i}
     * @param from index of the first payload
     * @return sum of the results of the puts
     */
    long putAll(KeyBatch keys, int[] payloads, int from);
}
