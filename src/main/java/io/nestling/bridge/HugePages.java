/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's state of huge pages: its setting, and how many bytes of a range are on huge pages. Linux only;
 * elsewhere the results are {@code unknown} and 0.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread at any time. They read files of {@code /proc} and {@code /sys}: not
 * for hot paths.
 */
public final class HugePages {
    private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");

    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)\\]");
    private static final Pattern RANGE = Pattern.compile("^([0-9a-f]+)-([0-9a-f]+) .*");
    private static final Pattern HUGE = Pattern.compile("^AnonHugePages:\\s+(\\d+) kB$");
    private static final int HEX = 16;
    private static final int KIB_SHIFT = 10;

    private HugePages() {
    }

    /**
     * Returns the kernel's setting of transparent huge pages: {@code always}, {@code madvise}, {@code never}, or {@code unknown}
     * if the kernel does not show it.
     */
    public static String kernelSetting() {
        try {
            final Matcher matcher = CHOSEN.matcher(Files.readString(SETTING));
            return matcher.find() ? matcher.group(1) : "unknown";
        } catch (final IOException e) {
            return "unknown";
        }
    }

    /**
     * Returns the bytes on huge pages of all mappings that overlap a range; 0 if the kernel does not show them. The kernel counts
     * by mapping and may merge neighbouring mappings, so this may be more than the range has.
     */
    public static long bytesOfMappings(final long address, final long bytes) {
        try (BufferedReader reader = Files.newBufferedReader(MAPPINGS)) {
            return bytesOfMappings(reader, address, bytes);
        } catch (final IOException e) {
            return 0;
        }
    }

    static long bytesOfMappings(final BufferedReader reader, final long address, final long bytes)
            throws IOException {
        long sum = 0;
        boolean overlaps = false;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            final Matcher range = RANGE.matcher(line);
            if (range.matches()) {
                final long start = Long.parseUnsignedLong(range.group(1), HEX);
                final long end = Long.parseUnsignedLong(range.group(2), HEX);
                overlaps = Long.compareUnsigned(start, address + bytes) < 0
                        && Long.compareUnsigned(address, end) < 0;
            } else if (overlaps) {
                final Matcher huge = HUGE.matcher(line);
                if (huge.matches()) {
                    sum += Long.parseLong(huge.group(1)) << KIB_SHIFT;
                }
            }
        }
        return sum;
    }
}
