/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/** Argument and result checks shared by the native bridges. */
final class MappedRegions {
    private MappedRegions() {
    }

    static void checkMapSize(final long bytes) {
        if (bytes <= 0 || bytes % NativeBridge.HUGE_PAGE_BYTES != 0) {
            throw new IllegalArgumentException("expected bytes to map to be a positive multiple of "
                    + NativeBridge.HUGE_PAGE_BYTES + " but was " + bytes);
        }
    }

    static void checkViewSize(final int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("expected bytes of a buffer of at least 0 but was " + bytes);
        }
    }

    static long checkMapped(final long result, final long bytes) {
        if (result < 0) {
            throw new OutOfMemoryError("cannot map " + bytes + " bytes: errno " + -result);
        }
        return result;
    }

    static void checkUnmapped(final int errno, final long address, final long bytes) {
        if (errno != 0) {
            throw new IllegalArgumentException("cannot unmap " + bytes + " bytes at 0x"
                    + Long.toHexString(address) + ": errno " + errno);
        }
    }
}
