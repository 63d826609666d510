/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

/**
 * Buffers of one operation. A thread has as many of them as it has operations within each other: an index of Cassandra may
 * write to another memtable from within a write.
 */
final class Scratch {
    private static final ThreadLocal<Scratch> TOP = ThreadLocal.withInitial(Scratch::new);
    private static final int MAX_KEPT_BYTES = 1 << 20;

    final KeyScratch key = new KeyScratch();
    final KeyScratch rowKey = new KeyScratch();
    ByteBlob in = new ByteBlob();
    ByteBlob out = new ByteBlob();

    private Scratch above;
    private boolean taken;

    private Scratch() {
    }

    /** Takes buffers for the calling thread, which it gives back. */
    static Scratch take() {
        Scratch scratch = TOP.get();
        while (scratch.taken) {
            if (scratch.above == null) {
                scratch.above = new Scratch();
            }
            scratch = scratch.above;
        }
        scratch.taken = true;
        return scratch;
    }

    /** Gives the buffers back. */
    void release() {
        taken = false;
        if (in.bytes.length > MAX_KEPT_BYTES) {
            in = new ByteBlob();
        }
        if (out.bytes.length > MAX_KEPT_BYTES) {
            out = new ByteBlob();
        }
    }
}
