/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The choice of the bridge in this process; how it goes in processes with other flags is in {@link
 * BridgeProcessTest}.
 */
@Tag("bridge")
class NativeBridgesTest {
    @Test
    void shouldUseTheForcedBridge() {
        final String forced = System.getProperty(NativeBridges.BRIDGE_PROP_NAME);
        assumeTrue(forced != null, "no bridge is forced");
        assertEquals(forced, NativeBridges.get().name());
        assertEquals(List.of(), NativeBridges.refusals());
    }

    @Test
    void shouldGiveTheSameBridgeAtEveryCall() {
        assertSame(NativeBridges.get(), NativeBridges.get());
    }

    @Test
    void shouldSayWhyEachFasterBridgeWasPassedOver() {
        final List<String> refusals = new ArrayList<>();
        final NativeBridge bridge = NativeBridges.firstAvailable(refusals);
        final List<String> order = List.of("ffm", "jni", "java");
        assertEquals(order.indexOf(bridge.name()), refusals.size(), refusals.toString());
        for (int i = 0; i < refusals.size(); i++) {
            assertTrue(refusals.get(i).startsWith(order.get(i) + ": "), refusals.get(i));
        }
    }

    @Test
    void forceThrowsIllegalArgumentWhenNoBridgeHasTheName() {
        final IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> NativeBridges.force("fmm"));
        assertTrue(e.getMessage().contains("'fmm'"), e.getMessage());
    }

    @Test
    void forceThrowsIllegalStateWithTheCauseWhenTheBridgeDoesNotLoad() {
        assumeTrue(Runtime.version().feature() < 22, "ffm loads here");
        final IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> NativeBridges.force("ffm"));
        assertTrue(e.getMessage().contains("'ffm'"), e.getMessage());
        assertTrue(e.getMessage().contains("needs JDK 22"), e.getMessage());
        assertInstanceOf(BridgeUnavailableException.class, e.getCause());
    }

    @Test
    void shouldReportWhatTheProcessRunsOn() {
        final BridgeReport report = BridgeReport.probe();
        assertEquals(NativeBridges.get().name(), report.bridge());
        assertEquals(NativeBridges.refusals(), report.refusals());
        assertTrue(report.jdk().startsWith(Runtime.version().toString()), report.jdk());
        assertNotNull(report.kernelSetting());
        assertEquals(NativeBridges.get().isNative() ? 4L << 20 : 0, report.probedBytes());
        assertTrue(report.hugeBytes() >= 0 && report.hugeBytes() <= report.probedBytes(), report.toString());
        if (report.kernelSetting().equals("never")) {
            assertEquals(0, report.hugeBytes());
        }
    }

    @Test
    void shouldCallPagesHugeOnlyIfAllOfTheProbeIs() {
        assertTrue(new BridgeReport("jni", List.of(), "17", "madvise", 4, 4).hugePages());
        assertEquals(false, new BridgeReport("jni", List.of(), "17", "madvise", 4, 2).hugePages());
        assertEquals(false, new BridgeReport("java", List.of(), "17", "madvise", 0, 0).hugePages());
    }
}
