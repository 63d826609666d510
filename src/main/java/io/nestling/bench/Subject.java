/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;

/**
 * One measured index, of this library or of a peer, which returns the payloads that were put. If an index needs records for the
 * keys, they are part of the subject, and so is the read of their values. Payloads are 0 to 2^20 - 1.
 * <h2>Thread safety</h2>
 * That of its index: one writer and many readers, or many writers if the factory allows it. Readers concurrent with a writer
 * hold a guard ({@link #enterGuard}).
 */
public interface Subject extends AutoCloseable {
    /**
     * Returns the index, which is an {@link io.nestling.index.OrderedIndex} if the factory is {@link SubjectFactory#ordered}.
     *
     * @return the same index at each call
     */
    PointIndex index();

    /**
     * Returns the memory without keys and values, on and off heap; for an index that stores keys itself, of the whole structure.
     *
     * @return bytes
     */
    long indexBytes();

    /**
     * Returns the memory of index and keys without values, on and off heap.
     *
     * @return bytes
     */
    long totalBytes();

    /**
     * Enters a guard, which a reader concurrent with a writer needs: entries that it finds stay valid until {@link #exitGuard}.
     *
     * @return a token for {@link #exitGuard}
     */
    default int enterGuard() {
        return 0;
    }

    /**
     * Exits a guard.
     *
     * @param guard the result of {@link #enterGuard}
     */
    default void exitGuard(final int guard) {
        // Subjects that protect their readers by other means need no guards.
    }

    /** Frees all memory. */
    @Override
    void close();
}
