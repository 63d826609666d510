/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A {@link PointIndex} that also shows its entries in key order. */
public interface OrderedIndex extends PointIndex {
    /**
     * Returns a new cursor over keys and payloads. It shows each key that was present when it was last positioned (by
     * {@code first}, {@code last}, {@code seek} or {@code seekLowerThan}) and is not removed meanwhile, each
     * once and in order. It may or may not show keys written meanwhile: a later one without an earlier one, and also
     * in the move that positions it.
     *
     * @return an unpositioned cursor
     */
    EntryCursor cursor();
}
