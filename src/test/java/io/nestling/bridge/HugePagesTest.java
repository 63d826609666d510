/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

class HugePagesTest {
    private static final String MAPPINGS = String.join("\n",
            "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 ",
            "Size:               4096 kB",
            "AnonHugePages:      2048 kB",
            "VmFlags: rd wr mr mw me ac sd hg",
            "7f0000400000-7f0000800000 rw-p 00000000 00:00 0                          [anon]",
            "AnonHugePages:      4096 kB",
            "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
            "AnonHugePages:         0 kB",
            "");

    @Test
    void shouldCountTheMappingsThatOverlapTheRange() throws IOException {
        assertEquals(2048 << 10, count(0x7f0000000000L, 0x400000));
        assertEquals(2048 << 10, count(0x7f00003fffffL, 1));
        assertEquals(4096 << 10, count(0x7f0000400000L, 1));
        assertEquals(6144 << 10, count(0x7f00003fffffL, 2));
        assertEquals(0, count(0x7effffffffffL, 1));
        assertEquals(0, count(0x7f0000800000L, 1L << 30));
        assertEquals(0, count(0xffffffffff600000L, 1));
    }

    @Test
    void shouldKnowTheSettingsOfTheKernel() {
        final String setting = HugePages.kernelSetting();
        assertTrue(setting.matches("always|madvise|never|unknown"), setting);
    }

    private static long count(final long address, final long bytes) throws IOException {
        return HugePages.bytesOfMappings(new BufferedReader(new StringReader(MAPPINGS)), address, bytes);
    }
}
