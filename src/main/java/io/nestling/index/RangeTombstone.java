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
 * @param toExclusive first key after the range; must not be changed
 * @param sequence its sequence number
 */
public record RangeTombstone(byte[] fromInclusive, byte[] toExclusive, long sequence) {
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
