/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.ScratchPool;

/**
 * Buffers of one operation. Nested operations have separate buffers: an index of Cassandra may write to another memtable within
 * a write.
 */
final class Scratch extends ScratchPool.Scratch {
    private static final ScratchPool<Scratch> POOL = new ScratchPool<>(Scratch::new);
    private static final int MAX_KEPT_BYTES = 1 << 14;

    KeyScratch key = new KeyScratch();
    KeyScratch rowKey = new KeyScratch();
    ByteBlob in = new ByteBlob();
    ByteBlob out = new ByteBlob();

    private Scratch() {
    }

    /** Takes buffers from the pool; the caller returns them with {@link #recycle}. */
    static Scratch take() {
        return POOL.take();
    }

    /** Returns the buffers to the pool, those that are at most 16 KiB. */
    void recycle() {
        if (key.bytes.length > MAX_KEPT_BYTES) {
            key = new KeyScratch();
        }
        if (rowKey.bytes.length > MAX_KEPT_BYTES) {
            rowKey = new KeyScratch();
        }
        if (in.bytes.length > MAX_KEPT_BYTES) {
            in = new ByteBlob();
        }
        if (out.bytes.length > MAX_KEPT_BYTES) {
            out = new ByteBlob();
        }
        release();
    }
}
