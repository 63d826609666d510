/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;

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
    public void close() {
        index.close();
    }
}
