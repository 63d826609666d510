/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;

/**
 * One loaded index under measurement, of this library or of a peer. The payload that is put is the payload
 * that is read: where an index needs keys in records, the record is part of the subject, and so is the read
 * of its value.
 * <h2>Thread safety</h2> As that of its index: one writer and many readers, unless the factory says
 * otherwise. Readers that run beside a writer hold a guard ({@link #enterGuard}). Payloads are 0 to 2^20 - 1.
 */
public interface Subject extends AutoCloseable {
    /**
     * The index; an {@link io.nestling.index.OrderedIndex} if the factory says so.
     *
     * @return one and the same at each call
     */
    PointIndex index();

    /**
     * Memory without keys and values; for an index that spells keys itself, of the whole structure. On and
     * off heap.
     *
     * @return bytes
     */
    long indexBytes();

    /**
     * Memory of index and keys without values. On and off heap.
     *
     * @return bytes
     */
    long totalBytes();

    /**
     * Enters a guard, as a reader does that runs beside a writer: what it finds stays in place until {@link
     * #exitGuard}.
     *
     * @return a token for {@link #exitGuard}
     */
    default int enterGuard() {
        return 0;
    }

    /**
     * Leaves a guard.
     *
     * @param guard what {@link #enterGuard} returned
     */
    default void exitGuard(final int guard) {
        // A subject that keeps what its readers hold by other means needs no guards.
    }

    /** Gives all memory back. */
    @Override
    void close();
}
