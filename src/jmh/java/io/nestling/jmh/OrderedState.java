/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.workload.KeySet;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A loaded subject with cursors, and what a walk over all of it must add up to. */
@State(Scope.Benchmark)
public class OrderedState extends LoadedState {
    /** Lengths and last bytes of all keys. */
    long keyDigest;
    long payloadSum;

    @Override
    void loaded(final KeySet present) {
        keyDigest = 0;
        for (int i = 0; i < present.size(); i++) {
            final int length = present.length(i);
            keyDigest += length == 0 ? 0 : length + present.array(i)[present.offset(i) + length - 1];
        }
        payloadSum = payloadSum(present.size());
    }

    @Override
    boolean needsOrder() {
        return true;
    }
}
