/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import java.util.List;

/**
 * An operation of a run, with its result.
 *
 * @param what its kind
 * @param fiber number of its fiber
 * @param key number of its key
 * @param argument the payload that it writes; {@code NONE} for a removal
 * @param expected the payload that a replacement expects
 * @param result what it returned
 * @param from time of its call
 * @param to time of its return
 * @param moves what a cursor showed; null if it is no scan
 */
record Event(Operation.What what, int fiber, int key, long argument, long expected, long result, long from, long to,
    List<Move> moves) {

    /**
     * The state of a cursor after a move. The first one positions it.
     *
     * @param forward its direction
     * @param from time of its call
     * @param to time of its return
     * @param key the key, null at the end
     * @param payload the payload or value
     * @param number number of the key, -1 if nobody put it
     */
    record Move(boolean forward, long from, long to, byte[] key, long payload, int number) {
        @Override
        public String toString() {
            return (forward ? ">" : "<") + (key == null ? "none" : number + "=" + Long.toHexString(payload))
                + "@" + from + ".." + to;
        }
    }

    static Event get(final int fiber, final int key, final long result, final long from, final long to) {
        return new Event(Operation.What.GET, fiber, key, 0, 0, result, from, to, null);
    }

    /** Returns whether the key has another payload after it, as far as its result says. */
    boolean changes() {
        return switch (what) {
            case PUT -> true;
            case REMOVE -> result != -1;
            case PUT_IF_ABSENT -> result == -1;
            case REPLACE -> result == 1;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return from + ".." + to + " fiber " + fiber + " " + what + " key " + key + " " + Long.toHexString(argument) + " -> "
            + (moves == null ? Long.toHexString(result) : moves.toString());
    }
}
