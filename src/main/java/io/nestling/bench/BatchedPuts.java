/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;

/** An index that takes several puts at once. */
interface BatchedPuts {
    /**
     * Puts some keys, of which none occurs twice.
     *
     * @param keys the keys
     * @param payloads payload of key {@code i} at {@code from + i}
     * @param from where they begin
     * @return sum of what puts would return
     */
    long putAll(KeyBatch keys, int[] payloads, int from);
}
