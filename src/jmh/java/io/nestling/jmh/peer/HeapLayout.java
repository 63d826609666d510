/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.lang.management.ManagementFactory;

/**
 * Sizes of objects on the heap of this virtual machine, from its flags.
 *
 * @param headerBytes of an object
 * @param referenceBytes of a reference
 * @param alignment of objects
 */
record HeapLayout(int headerBytes, int referenceBytes, int alignment) {
    private static final int COMPACT_HEADER_BYTES = 8;
    private static final int COMPRESSED_HEADER_BYTES = 12;
    private static final int FULL_HEADER_BYTES = 16;

    /** The layout of the running virtual machine. */
    static HeapLayout current() {
        final HotSpotDiagnosticMXBean flags = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        final int header;
        if (Boolean.parseBoolean(flag(flags, "UseCompactObjectHeaders", "false"))) {
            header = COMPACT_HEADER_BYTES;
        } else {
            header = Boolean.parseBoolean(flag(flags, "UseCompressedClassPointers", "true"))
                ? COMPRESSED_HEADER_BYTES : FULL_HEADER_BYTES;
        }
        final boolean compressed = Boolean.parseBoolean(flag(flags, "UseCompressedOops", "true"));
        return new HeapLayout(header, compressed ? Integer.BYTES : Long.BYTES,
            Integer.parseInt(flag(flags, "ObjectAlignmentInBytes", "8")));
    }

    private static String flag(final HotSpotDiagnosticMXBean flags, final String name, final String otherwise) {
        try {
            return flags.getVMOption(name).getValue();
        } catch (final IllegalArgumentException e) {
            return otherwise; // not known to this version
        }
    }

    /** Bytes of an object that has nothing but references. */
    long object(final int references) {
        return aligned(headerBytes + (long) references * referenceBytes);
    }

    /** Bytes of a byte array. */
    long byteArray(final int length) {
        return aligned((long) headerBytes + Integer.BYTES + length);
    }

    private long aligned(final long bytes) {
        return (bytes + alignment - 1) & -alignment;
    }
}
