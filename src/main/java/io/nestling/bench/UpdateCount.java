/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** How many versions of present keys the mixed workloads write at most. */
final class UpdateCount {
    /** Workloads of which half of the operations are updates, and one that does nothing else, which counts twice. */
    private static final long UPDATING_MIXES = 5;

    private UpdateCount() {
    }

    /**
     * The most versions of one run.
     *
     * @param keys number of keys
     * @param averageBytes average length of a key
     * @return the number
     */
    static long most(final long keys, final long averageBytes) {
        return UPDATING_MIXES * MixedWorkload.UPDATE_PASSES * KeyMaterial.queries(keys, averageBytes) / 2;
    }
}
