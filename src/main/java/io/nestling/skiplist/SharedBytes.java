/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import java.util.Arrays;

/** How many bytes two keys share, counted as if keys went on with zeroes: as many as the directory's chunks show. */
final class SharedBytes {
    private SharedBytes() {
    }

    /** Bytes that two keys share if they go on with zeroes, at most {@link Directory#MAX_SHARED}. */
    static int of(final byte[] key, final int offset, final int length, final byte[] other, final int otherLength) {
        final int mismatch = Arrays.mismatch(key, offset, offset + length, other, 0, otherLength);
        return mismatch < 0 ? Directory.MAX_SHARED : of(key, offset, length, other, otherLength, mismatch);
    }

    /** As {@link #of(byte[], int, int, byte[], int)} of two keys that are different from a place on. */
    static int of(
        final byte[] key, final int offset, final int length, final byte[] other, final int otherLength, final int mismatch) {
        int shared = mismatch;
        if (shared == length) {
            while (shared < otherLength && other[shared] == 0) {
                shared++;
            }
            return shared == otherLength ? Directory.MAX_SHARED : shared;
        }
        if (shared == otherLength) {
            while (shared < length && key[offset + shared] == 0) {
                shared++;
            }
            return shared == length ? Directory.MAX_SHARED : shared;
        }
        return shared;
    }
}
