/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bridge and JDK of this process, and whether memory really comes on 2 MiB pages, determined by a probe.
 *
 * @param bridge name of the bridge in use
 * @param refusals reasons why faster bridges did not load, one line each
 * @param jdk version and name of the Java virtual machine
 * @param kernelSetting setting of transparent huge pages in the kernel, or {@code unknown}
 * @param probedBytes bytes that the probe mapped and touched; 0 if the bridge cannot map
 * @param hugeBytes bytes of the probe that came on huge pages
 */
public record BridgeReport(String bridge, List<String> refusals, String jdk, String kernelSetting,
        long probedBytes, long hugeBytes) {
    private static final int PROBED_BYTES = 2 * (int) NativeBridge.HUGE_PAGE_BYTES;
    private static final int SMALL_PAGE_BYTES = 4096;

    /** Maps 4 MiB, touches them, unmaps them and returns the report; throws if the forced bridge does not load. */
    public static BridgeReport probe() {
        final NativeBridge bridge = NativeBridges.get();
        final String jdk = Runtime.version() + " (" + System.getProperty("java.vm.name") + ")";
        final long probed = bridge.isNative() ? PROBED_BYTES : 0;
        final long huge = bridge.isNative() ? probeHugeBytes(bridge) : 0;
        return new BridgeReport(bridge.name(), NativeBridges.refusals(), jdk, HugePages.kernelSetting(),
                probed, huge);
    }

    /** Returns whether all memory of the probe came on huge pages. */
    public boolean hugePages() {
        return probedBytes > 0 && hugeBytes == probedBytes;
    }

    private static long probeHugeBytes(final NativeBridge bridge) {
        final long address = bridge.map(PROBED_BYTES);
        try {
            // The difference, since the kernel may include the pages of a neighbour: see HugePages.bytesOfMappings.
            final long before = HugePages.bytesOfMappings(address, PROBED_BYTES);
            final ByteBuffer view = bridge.asByteBuffer(address, PROBED_BYTES);
            for (int offset = 0; offset < PROBED_BYTES; offset += SMALL_PAGE_BYTES) {
                view.put(offset, (byte) 1);
            }
            final long after = HugePages.bytesOfMappings(address, PROBED_BYTES);
            return Math.max(0, Math.min(PROBED_BYTES, after - before));
        } finally {
            bridge.unmap(address, PROBED_BYTES);
        }
    }
}
