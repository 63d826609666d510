/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/** Argument and result checks shared by the native bridges. */
final class MappedRegions {
    private static final boolean WINDOWS = System.getProperty("os.name", "").startsWith("Windows");

    private MappedRegions() {
    }

    static void checkMapSize(final long bytes) {
        if (bytes <= 0 || bytes % NativeBridge.HUGE_PAGE_BYTES != 0) {
            throw new IllegalArgumentException("expected a positive multiple of "
                    + NativeBridge.HUGE_PAGE_BYTES + " bytes to map but was " + bytes);
        }
    }

    static void checkViewSize(final int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("expected bytes of a buffer of at least 0 but was " + bytes);
        }
    }

    static OutOfMemoryError notMapped(final long result, final long bytes) {
        return new OutOfMemoryError("cannot map " + bytes + " bytes: errno " + -result + "; raise what limits them ("
            + (WINDOWS ? "memory and page file together" : "ulimit -v, vm.overcommit_memory, vm.max_map_count")
            + ") or choose a smaller capacity");
    }

    static IllegalArgumentException notUnmapped(final int errno, final long address, final long bytes) {
        return new IllegalArgumentException(
                "cannot unmap " + bytes + " bytes at 0x" + Long.toHexString(address) + ": errno " + errno);
    }
}
