/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bridge.BridgeReport;
import io.nestling.offheap.Slab;

import java.util.Locale;

/** The lines above the figures, which cannot be read without them: bridge, pages, JDK, machine. */
final class RunHeader {
    private static final long MIB = 1L << 20;
    private static final String MALLOC_SETTING = "GLIBC_TUNABLES";
    private static boolean silent;

    private RunHeader() {
    }

    /** Prints no more headers of single runs in this process. */
    static void silence() {
        silent = true;
    }

    /** Prints lines above a run. */
    static void print(final String lines) {
        if (!silent) {
            System.out.printf(Locale.ROOT, "%n%s%n# %s%n", lines.replaceAll("(?m)^", "# "), memory());
        }
    }

    /** One line: bridge and pages, and where the memory of peers may come from. */
    static String memory() {
        final BridgeReport report = BridgeReport.probe();
        final String pages = report.hugePages() ? "2 MiB" : "4 KiB";
        final String malloc = System.getenv(MALLOC_SETTING);
        return "bridge " + report.bridge() + ", pages " + pages + " (kernel: " + report.kernelSetting() + "), slabs up to "
            + Slab.MAX_BYTES / MIB + " MiB, " + MALLOC_SETTING + " " + (malloc == null ? "not set" : malloc);
    }

    /** One line: JDK and machine. */
    static String machine() {
        final Runtime runtime = Runtime.getRuntime();
        return "JDK " + BridgeReport.probe().jdk() + ", " + runtime.availableProcessors() + " processors, "
            + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", heap "
            + runtime.maxMemory() / MIB + " MiB";
    }
}
