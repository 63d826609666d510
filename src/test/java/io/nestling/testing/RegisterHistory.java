/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What several threads did to one key and what they were told, and whether that can be explained by some order in which each
 * operation happens at one moment between its call and its return (linearizability, Herlihy and Wing 1990). The check is the
 * search of Wing and Gong with Lowe's memory of states that were tried.
 */
public final class RegisterHistory {
    /** Stands for a key that is absent. */
    public static final long ABSENT = -1;
    /** Most operations of one history. */
    public static final int MAX_OPERATIONS = 62;

    /** Argument of a read that finds another payload than its result: a conditional replacement that failed. */
    public static final long OTHER = Long.MIN_VALUE;

    private final List<Operation> operations = Collections.synchronizedList(new ArrayList<>());

    /** What an operation does. */
    public enum Kind {
        /** Reads the payload. */
        GET,
        /** Replaces the payload and returns the one before. */
        PUT,
        /** Removes the key and returns the payload before. */
        REMOVE
    }

    /**
     * One operation.
     *
     * @param kind what it does
     * @param argument the payload put
     * @param result what it returned
     * @param calledAt when it was called, by {@link System#nanoTime()}
     * @param returnedAt when it had returned
     */
    public record Operation(Kind kind, long argument, long result, long calledAt, long returnedAt) {
        private long after(final long state) {
            return changes() ? kind == Kind.PUT ? argument : ABSENT : state;
        }

        private boolean fits(final long state) {
            return (result == state) != (kind == Kind.GET && argument == OTHER);
        }

        private boolean changes() {
            return kind == Kind.PUT || kind == Kind.REMOVE;
        }
    }

    /** Where a search stands: operations that have happened, and the payload. */
    private record State(long done, long payload) {
    }

    /**
     * Adds an operation that has returned.
     *
     * @param operation what was done
     */
    public void add(final Operation operation) {
        operations.add(operation);
    }

    /**
     * Looks for an order that explains the history.
     *
     * @param initial payload before it
     * @return whether there is one
     */
    public boolean isLinearizable(final long initial) {
        if (operations.size() > MAX_OPERATIONS) {
            throw new IllegalStateException(operations.size() + " operations are more than " + MAX_OPERATIONS);
        }
        return explain(0, initial, new HashSet<>());
    }

    private boolean explain(final long done, final long payload, final Set<State> tried) {
        if (done == (1L << operations.size()) - 1) {
            return true;
        }
        if (!tried.add(new State(done, payload))) {
            return false;
        }
        long firstReturn = Long.MAX_VALUE;
        for (int i = 0; i < operations.size(); i++) {
            if ((done >>> i & 1) == 0) {
                firstReturn = Math.min(firstReturn, operations.get(i).returnedAt());
            }
        }
        for (int i = 0; i < operations.size(); i++) {
            final Operation operation = operations.get(i);
            if ((done >>> i & 1) == 0 && operation.calledAt() <= firstReturn && !operation.changes() && operation.fits(payload)) {
                return explain(done | 1L << i, payload, tried); // a read that fits may as well come first
            }
        }
        for (int i = 0; i < operations.size(); i++) {
            final Operation operation = operations.get(i);
            if ((done >>> i & 1) == 0 && operation.calledAt() <= firstReturn && operation.changes() && operation.fits(payload)
                && explain(done | 1L << i, operation.after(payload), tried)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        operations.stream().sorted((left, right) -> Long.compare(left.calledAt(), right.calledAt()))
            .forEach(operation -> text.append(operation).append('\n'));
        return text.toString();
    }
}
