/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;

/** An index with batched puts. */
interface BatchedPuts {
    /**
     * Puts keys, none of which occurs twice, with the payload of key {@code i} at {@code from + i}; returns the sum of the
     * results.
     */
    long putAll(KeyBatch keys, int[] payloads, int from);
}
