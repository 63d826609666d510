/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;

import java.io.IOException;

/**
 * A peer's index as a subject.
 *
 * @param index the index
 */
record PeerSubject(PeerIndex index) implements Subject {
    @Override
    public long indexBytes() {
        return index.bytesUsed();
    }

    @Override
    public long totalBytes() {
        return index.totalBytes();
    }

    @Override
    public long flush(final EntrySink sink, final long keyBytes) throws IOException {
        try (EntryCursor cursor = index.cursor()) {
            return Subject.emit(cursor, index.entryCount(), index.valueBytes(), sink, keyBytes);
        }
    }

    @Override
    public void close() {
        index.close();
    }
}
