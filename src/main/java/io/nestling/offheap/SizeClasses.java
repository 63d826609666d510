/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/** Classes of block sizes: multiples of 8 up to 512 bytes, eight steps per doubling above. */
public final class SizeClasses {
    /** Number of classes; those of blocks of up to 1 GiB are below. */
    public static final int CLASSES = 256;

    private static final int GRANULE_SHIFT = 3;
    private static final int LINEAR_SHIFT = 9;
    private static final int LINEAR_BYTES = 1 << LINEAR_SHIFT;
    private static final int LINEAR_CLASSES = LINEAR_BYTES >> GRANULE_SHIFT;
    private static final int STEPS_SHIFT = 3;

    private SizeClasses() {
    }

    /** Returns the smallest class, at least 1, whose blocks hold a number of bytes up to 1 GiB. */
    public static int of(final int bytes) {
        if (bytes <= LINEAR_BYTES) {
            return Math.max(1, bytes + (1 << GRANULE_SHIFT) - 1 >>> GRANULE_SHIFT);
        }
        final int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(bytes - 1);
        final int stepShift = log - STEPS_SHIFT;
        final int steps = bytes - (1 << log) + (1 << stepShift) - 1 >>> stepShift;
        return LINEAR_CLASSES + (log - LINEAR_SHIFT << STEPS_SHIFT) + steps;
    }

    /** Returns the bytes of a block of a class. */
    public static int bytes(final int sizeClass) {
        if (sizeClass <= LINEAR_CLASSES) {
            return sizeClass << GRANULE_SHIFT;
        }
        final int step = sizeClass - LINEAR_CLASSES - 1;
        final int log = LINEAR_SHIFT + (step >> STEPS_SHIFT);
        return (1 << log) + ((step & (1 << STEPS_SHIFT) - 1) + 1 << log - STEPS_SHIFT);
    }
}
