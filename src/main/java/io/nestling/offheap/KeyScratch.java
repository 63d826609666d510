/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * A buffer for one key that the caller passed in another buffer.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class KeyScratch extends ScratchPool.Scratch {
    /** The pool of all buffers. */
    public static final ScratchPool<KeyScratch> POOL = new ScratchPool<>(KeyScratch::new);

    private static final int KEPT_BYTES = 1 << 12;
    private static final int INITIAL_BYTES = 256;

    private byte[] bytes = new byte[INITIAL_BYTES];

    private KeyScratch() {
    }

    /** Returns a buffer of at least a length and of any content, valid until this object is released. A long one is not kept. */
    public byte[] ofLength(final int length) {
        if (length > KEPT_BYTES) {
            return new byte[length];
        }
        if (bytes.length < length) {
            bytes = new byte[KEPT_BYTES];
        }
        return bytes;
    }
}
