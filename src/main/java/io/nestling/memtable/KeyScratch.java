/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.PointIndex;

import java.util.Arrays;

/** A buffer for one key, one a thread, for keys that come in other buffers. */
final class KeyScratch {
    private static final int INITIAL_BYTES = 256;
    private static final ThreadLocal<KeyScratch> OF_THREAD = ThreadLocal.withInitial(KeyScratch::new);

    private byte[] bytes = new byte[INITIAL_BYTES];

    private KeyScratch() {
    }

    /** This thread's buffer, of at least a length. It is in use until the operation ends. */
    static byte[] ofLength(final int length) {
        final KeyScratch scratch = OF_THREAD.get();
        if (scratch.bytes.length < length) {
            final int larger = Math.max(length, 2 * scratch.bytes.length);
            scratch.bytes = Arrays.copyOf(scratch.bytes, Math.min(larger, PointIndex.MAX_KEY_BYTES));
        }
        return scratch.bytes;
    }
}
