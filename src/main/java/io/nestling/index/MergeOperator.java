/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.List;

/**
 * Makes the value of a key of an older value and operands, which writers added without reading it: such as a sum, or a list that
 * is appended to.
 * <h2>Thread safety</h2>
 * Called by any thread that reads, flushes or merges, at the same time. A memtable calls it inside a guard or while a flush is
 * under way: it should be short, may not write to the memtable nor close it, and gives the same result for the same arguments,
 * since a flush asks twice.
 */
@FunctionalInterface
public interface MergeOperator {
    /**
     * Combines operands with the value before them. An exception that it throws fails the read, flush or merge with a {@link
     * MergeFailedException}, which names the key; an {@link Error} passes on as it is, without the key. Nothing else changes.
     *
     * @param key a copy of the key
     * @param value the value before the first operand, or null if the key had none: it was absent, deleted or expired. Not to be
     *     changed
     * @param operands at least one, from old to new, not to be changed
     * @return the new value, not null
     */
    byte[] merge(byte[] key, byte[] value, List<byte[]> operands);
}
