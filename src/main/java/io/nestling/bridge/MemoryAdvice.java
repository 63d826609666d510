/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/** Advice for a range of memory, in terms of Linux {@code madvise(2)}. */
public enum MemoryAdvice {
    /** Use huge pages for pages touched from now on ({@code MADV_HUGEPAGE}). */
    HUGE_PAGES(14),
    /** Never use huge pages ({@code MADV_NOHUGEPAGE}). */
    NO_HUGE_PAGES(15),
    /** Populate all pages of the range now, as if each had been written ({@code MADV_POPULATE_WRITE}, Linux 5.14). */
    POPULATE(23),
    /** Merge the range's present pages into huge pages now ({@code MADV_COLLAPSE}, Linux 6.1). */
    COLLAPSE(25),
    /** Drop the content; the range reads as zeroes afterwards ({@code MADV_DONTNEED}). */
    RELEASE(4);

    private final int code;

    MemoryAdvice(final int code) {
        this.code = code;
    }

    /** Returns the value that {@code madvise(2)} takes on Linux. */
    public int code() {
        return code;
    }
}
