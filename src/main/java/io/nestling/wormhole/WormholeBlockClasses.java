/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

/** Size classes of the blocks of a Wormhole: powers of two from 16 bytes, as those of nodes. */
final class WormholeBlockClasses {
    static final int MIN_SHIFT = LeafLayout.REFERENCE_SHIFT;
    static final int LEAF = classOf(LeafLayout.LEAF_BYTES);
    /** A run of consecutive buckets. */
    static final int SEGMENT = classOf(1 << 12);
    static final int LINK = classOf(TableLayout.BUCKET_BYTES);
    /** A payload that is too large for an entry word. */
    static final int PAYLOAD = 0;
    static final int COUNT = classOf(1 << 16) + 1;

    private WormholeBlockClasses() {
    }

    /** Returns the smallest class whose blocks hold a number of bytes. */
    static int classOf(final int bytes) {
        return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1) - MIN_SHIFT);
    }

    static int bytes(final int sizeClass) {
        return 1 << sizeClass + MIN_SHIFT;
    }

    /** Returns the sizes in bytes of all classes, for an allocator. */
    static int[] all() {
        final int[] all = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            all[i] = bytes(i);
        }
        return all;
    }
}
