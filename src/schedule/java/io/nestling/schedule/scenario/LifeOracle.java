/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.memory.SpaceExhaustedException;
import java.util.List;

/** Judges which calls a memtable took: writes until it is frozen, and all calls until it is closed. */
final class LifeOracle {
    private static final String FROZEN = "memtable is frozen";
    private static final String CLOSED = "memtable is closed";

    /**
     * One call, or one move of a cursor.
     *
     * @param what its kind
     * @param isWrite whether a frozen memtable refuses it
     * @param refusal what it threw, or null
     * @param from time of the call
     * @param to time of its return
     */
    record Call(String what, boolean isWrite, RuntimeException refusal, long from, long to) {
        @Override
        public String toString() {
            return from + ".." + to + " " + what + (refusal == null ? "" : " threw " + refusal);
        }
    }

    /**
     * When something happened that is for ever.
     *
     * @param from not before
     * @param to not after
     */
    record Turn(long from, long to) {
        static final Turn NEVER = new Turn(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private final Turn freeze;
    private final Turn close;
    private final boolean mayBeFull;

    /**
     * @param mayBeFull whether a write may be refused for lack of space
     */
    LifeOracle(final Turn freeze, final Turn close, final boolean mayBeFull) {
        this.freeze = freeze;
        this.close = close;
        this.mayBeFull = mayBeFull;
    }

    /** Returns what is wrong, or null. */
    String check(final List<Call> calls) {
        for (final Call call : calls) {
            if (!isRight(call)) {
                return (call.refusal == null ? "TAKEN TOO LATE: " : "REFUSED: ") + call + trace(call.refusal)
                    + "\n   frozen " + freeze + ", closed " + close;
            }
        }
        return null;
    }

    private boolean isRight(final Call call) {
        if (call.refusal == null) {
            return call.from <= close.to && (!call.isWrite || call.from <= freeze.to);
        }
        if (call.refusal instanceof SpaceExhaustedException) {
            return call.isWrite && mayBeFull;
        }
        return CLOSED.equals(call.refusal.getMessage()) && close.from <= call.to
            || FROZEN.equals(call.refusal.getMessage()) && call.isWrite && freeze.from <= call.to;
    }

    private static String trace(final RuntimeException refusal) {
        return refusal == null ? "" : " at " + List.of(refusal.getStackTrace()).stream().limit(8).toList();
    }
}
