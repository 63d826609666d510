/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A {@link PointIndex} that also shows its entries in key order. */
public interface OrderedIndex extends PointIndex {
    /**
     * A new cursor over keys and payloads. It shows each key that was there when it was last positioned (by
     * {@code first}, {@code last}, {@code seek} or {@code seekLowerThan}) and that is not removed meanwhile, each
     * once and in order. Keys written meanwhile may or may not be seen, also a later one without an earlier one, and also
     * by the move that positions it.
     *
     * @return a cursor that stands nowhere
     */
    EntryCursor cursor();
}
