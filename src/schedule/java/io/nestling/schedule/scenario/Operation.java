/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import java.util.Arrays;

/**
 * One operation of a fiber.
 *
 * @param what its kind
 * @param keys numbers of its keys; -1: none
 * @param moves further moves of a cursor
 */
record Operation(What what, int[] keys, int moves) {
    /** Kinds of operations; the last nine are those of memtables alone. */
    enum What { PUT, PUT_IF_ABSENT, REPLACE, REMOVE, ADVANCE, GET, GET_ALL, SCAN, BACK_SCAN, ZIGZAG, BATCH, FREEZE, FLUSH, CLOSE,
        OPEN, RESERVED, MERGE, MERGE_ALL, MERGE_RESERVED }

    static Operation of(final What what, final int... keys) {
        return new Operation(what, keys, 0);
    }

    int key() {
        return keys[0];
    }

    /** Returns whether the next move of a cursor goes forward. */
    boolean movesForward(final int move) {
        return what == What.SCAN || what == What.ZIGZAG && (move / 2 + keys[0] & 1) == 0;
    }

    @Override
    public String toString() {
        return what + Arrays.toString(keys) + (moves > 0 ? "*" + moves : "");
    }
}
