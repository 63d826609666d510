/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The operands of a key, gathered until a version ends them: a value, or a deletion.
 * <h2>Thread safety</h2>
 * One thread.
 */
public final class Operands {
    private final Deque<byte[]> operands = new ArrayDeque<>();
    private byte[] value;
    private boolean complete;

    /** Creates them without an operand. */
    public Operands() {
    }

    /**
     * Adds an operand that is older than all before.
     *
     * @param operand the operand, which is kept
     */
    public void addOlder(final byte[] operand) {
        operands.addFirst(operand);
    }

    /**
     * Ends them: nothing older counts.
     *
     * @param older the value before them, which is kept; null if the key was deleted or had expired
     */
    public void end(final byte[] older) {
        value = older;
        complete = true;
    }

    /**
     * Returns whether they were ended.
     *
     * @return false if older data counts, too
     */
    public boolean isComplete() {
        return complete;
    }

    /**
     * Combines them; if they were not ended, with no value.
     *
     * @param key the key
     * @param rules have the operator
     * @return the value
     * @throws MergeFailedException if the operator is missing or fails
     */
    public byte[] combine(final byte[] key, final ValueRules rules) {
        return rules.combine(key, value, List.copyOf(operands));
    }

    /**
     * Returns what they say of the key.
     *
     * @param key the key
     * @param sequence sequence number of the newest operand
     * @param rules have the operator
     * @return a value if they were ended, else the operands
     * @throws MergeFailedException if the operator is missing or fails
     */
    public LookupResult result(final byte[] key, final long sequence, final ValueRules rules) {
        return complete ? LookupResult.value(sequence, combine(key, rules))
            : LookupResult.operands(sequence, List.copyOf(operands));
    }
}
