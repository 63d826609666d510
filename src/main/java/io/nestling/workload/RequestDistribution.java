/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/** Which of the keys that are there an operation asks for. */
public enum RequestDistribution {
    /** All loaded keys alike. */
    UNIFORM,
    /**
     * Few loaded keys often: the r-th most popular key with a probability in proportion to r<sup>-0.99</sup>.
     * The popular keys are spread over the set, whatever its order.
     */
    ZIPFIAN,
    /**
     * As {@link #ZIPFIAN}, but the newer a key the more popular: the last one inserted is first, then the one
     * before.
     */
    LATEST,
    /** One loaded key every second time, and all loaded keys alike else. */
    HOT_KEY
}
