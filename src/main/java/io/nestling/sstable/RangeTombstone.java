/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Arrays;

/**
 * Says that every key of a range was deleted: what was written under it with a smaller sequence number is
 * gone.
 *
 * @param fromInclusive first key of the range; not to be changed
 * @param toExclusive first key after the range; not to be changed
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
        return 31 * (31 * Arrays.hashCode(fromInclusive) + Arrays.hashCode(toExclusive))
            + Long.hashCode(sequence);
    }
}
