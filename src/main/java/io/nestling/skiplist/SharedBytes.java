/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import java.util.Arrays;

/** Counts the bytes that two keys share if keys go on with zeroes, as the node index's chunks do. */
final class SharedBytes {
    private SharedBytes() {
    }

    /** Returns the number of bytes that two keys share, at most {@link NodeIndex#MAX_SHARED}. */
    static int of(final byte[] key, final int offset, final int length, final byte[] other, final int otherLength) {
        final int mismatch = Arrays.mismatch(key, offset, offset + length, other, 0, otherLength);
        return mismatch < 0 ? NodeIndex.MAX_SHARED : of(key, offset, length, other, otherLength, mismatch);
    }

    /** As {@link #of(byte[], int, int, byte[], int)}, for keys with a known mismatch. */
    static int of(
        final byte[] key, final int offset, final int length, final byte[] other, final int otherLength, final int mismatch) {
        int shared = mismatch;
        if (shared == length) {
            while (shared < otherLength && other[shared] == 0) {
                shared++;
            }
            return shared == otherLength ? NodeIndex.MAX_SHARED : shared;
        }
        if (shared == otherLength) {
            while (shared < length && key[offset + shared] == 0) {
                shared++;
            }
            return shared == length ? NodeIndex.MAX_SHARED : shared;
        }
        return shared;
    }
}
