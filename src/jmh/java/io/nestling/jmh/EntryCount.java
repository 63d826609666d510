/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Entries that an invocation has gone through; shown as a rate beside that of invocations. */
@AuxCounters(AuxCounters.Type.OPERATIONS)
@State(Scope.Thread)
public class EntryCount {
    /** Entries in this iteration. */
    public long entries;

    /** Starts anew. */
    @Setup(Level.Iteration)
    public void clear() {
        entries = 0;
    }
}
