/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;

/**
 * The deletion of every key of a range: it hides entries with smaller sequence numbers.
 *
 * @param fromInclusive first key of the range; must not be changed
 * @param toExclusive first key after the range; must not be changed; null if the range reaches to the end of all keys
 * @param sequence its sequence number
 */
public record RangeTombstone(byte[] fromInclusive, byte[] toExclusive, long sequence) {
    /**
     * Returns whether a key lies in the range.
     *
     * @param key the key
     * @return whether it is at or above the first key and below the end
     */
    public boolean covers(final byte[] key) {
        return Arrays.compareUnsigned(fromInclusive, key) <= 0
            && (toExclusive == null || Arrays.compareUnsigned(key, toExclusive) < 0);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof RangeTombstone that && sequence == that.sequence
            && Arrays.equals(fromInclusive, that.fromInclusive)
            && Arrays.equals(toExclusive, that.toExclusive);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(fromInclusive) + Arrays.hashCode(toExclusive)) + Long.hashCode(sequence);
    }
}
