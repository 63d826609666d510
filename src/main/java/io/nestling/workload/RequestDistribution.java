/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/** The distribution of requested keys. */
public enum RequestDistribution {
    /** All loaded keys with equal probability. */
    UNIFORM,
    /**
     * Zipf's law: the r-th most popular key with a probability proportional to r<sup>-0.99</sup>.
     * The popular keys are spread over the set.
     */
    ZIPFIAN,
    /** As {@link #ZIPFIAN}, but newer keys are more popular: first the last one inserted, then the one before it. */
    LATEST,
    /** One loaded key in half of the requests, else all loaded keys with equal probability. */
    HOT_KEY
}
