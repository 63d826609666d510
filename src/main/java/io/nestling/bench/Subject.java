/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;

import java.io.IOException;

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
     */
    PointIndex index();

    /**
     * Returns the bytes without keys and values, on and off heap; for an index that stores keys itself, of the whole structure.
     */
    long indexBytes();

    /** Returns the bytes of index, keys and values, on and off heap. The value of an index is its payload of eight bytes. */
    long totalBytes();

    /**
     * Enters a guard, which a reader concurrent with a writer needs: entries that it finds stay valid until {@link #exitGuard},
     * which takes the token that this returns.
     */
    default int enterGuard() {
        return 0;
    }

    /** Exits a guard. */
    default void exitGuard(final int guard) {
        // Subjects that protect their readers by other means need no guards.
    }

    /** Ends all writes, as before the flush of a full memtable; does nothing unless overridden. */
    default void freeze() {
    }

    /**
     * Emits all entries in key order to a sink and returns their number; {@code keyBytes} is the length of all keys together. An
     * index without values emits its payloads, in eight bytes.
     */
    default long flush(final EntrySink sink, final long keyBytes) throws IOException {
        try (PayloadCursor cursor = new PayloadCursor(((OrderedIndex) index()).cursor())) {
            return emit(cursor, index().entryCount(), Long.BYTES, sink, keyBytes);
        }
    }

    /**
     * Emits all entries of a cursor to a sink and returns their number; the cursor has values of {@code valueBytes}, and all keys
     * together {@code keyBytes}.
     */
    static long emit(
        final EntryCursor cursor, final long entries, final int valueBytes, final EntrySink sink, final long keyBytes)
        throws IOException {
        sink.begin(entries, keyBytes + entries * valueBytes, 0);
        long emitted = 0;
        for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
            sink.entry(cursor);
            emitted++;
        }
        sink.end();
        return emitted;
    }

    /** Frees all memory. */
    @Override
    void close();
}
