/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.OS;

/** What each native bridge must do; run once for each bridge that the build forces. */
@Tag("bridge")
@EnabledIf(value = "isNative", disabledReason = "the pure Java bridge has a test of its own")
class NativeBridgeContractTest {
    private static final long HUGE = NativeBridge.HUGE_PAGE_BYTES;
    private static final int PAGE = 4096;
    private static final int EINVAL = 22;

    private NativeBridge bridge;

    @BeforeEach
    void takeBridge() {
        bridge = NativeBridges.get();
    }

    @Test
    void shouldMapZeroedMemoryOnAHugePageBoundary() {
        for (final long bytes : new long[] {HUGE, 2 * HUGE, 7 * HUGE}) {
            final long address = bridge.map(bytes);
            assertEquals(0, address % HUGE, () -> "address 0x" + Long.toHexString(address));
            final ByteBuffer view = bridge.asByteBuffer(address, (int) bytes);
            assertEquals(bytes, view.capacity());
            assertEquals(ByteOrder.nativeOrder(), view.order());
            assertTrue(view.isDirect());
            for (int offset = 0; offset < bytes; offset += 8) {
                assertEquals(0, view.getLong(offset));
            }
            bridge.unmap(address, bytes);
        }
    }

    @Test
    void shouldKeepWhatIsWritten() {
        final long address = bridge.map(HUGE);
        final ByteBuffer view = bridge.asByteBuffer(address, (int) HUGE);
        for (int offset = 0; offset < HUGE; offset += 8) {
            view.putLong(offset, offset * 0x9E3779B97F4A7C15L);
        }
        final ByteBuffer upperHalf = bridge.asByteBuffer(address + HUGE / 2, (int) HUGE / 2);
        for (int offset = 0; offset < HUGE / 2; offset += 8) {
            assertEquals((offset + HUGE / 2) * 0x9E3779B97F4A7C15L, upperHalf.getLong(offset));
        }
        bridge.unmap(address, HUGE);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "all of a region counts against memory and page file together")
    void shouldMapFarMoreThanIsTouched() {
        final long bytes = 64L << 30;
        final long address = bridge.map(bytes);
        final ByteBuffer last = bridge.asByteBuffer(address + bytes - PAGE, PAGE);
        last.putLong(PAGE - 8, 42);
        assertEquals(42, last.getLong(PAGE - 8));
        bridge.unmap(address, bytes);
    }

    @Test
    void shouldGetHugePagesWhereTheKernelGrantsThem() {
        final String setting = HugePages.kernelSetting();
        assumeTrue(setting.equals("madvise") || setting.equals("always"), "huge pages: " + setting);
        assumeFalse(Boolean.getBoolean("test.emulated"), "qemu does not pass the advice on");
        final long bytes = 8 * HUGE;
        final long address = bridge.map(bytes);
        final long before = HugePages.bytesOfMappings(address, bytes);
        touch(address, bytes);
        assertTrue(HugePages.bytesOfMappings(address, bytes) >= before + HUGE);
        bridge.unmap(address, bytes);
    }

    @Test
    void shouldReleaseMemoryOnAdvice() {
        final long address = bridge.map(HUGE);
        touch(address, HUGE);
        assertEquals(0, bridge.advise(address, HUGE, MemoryAdvice.RELEASE));
        final ByteBuffer view = bridge.asByteBuffer(address, (int) HUGE);
        for (int offset = 0; offset < HUGE; offset += PAGE) {
            assertEquals(0, view.get(offset));
        }
        bridge.unmap(address, HUGE);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a range is rounded to pages")
    void shouldReturnTheErrnoOfRefusedAdvice() {
        final long address = bridge.map(HUGE);
        assertEquals(EINVAL, bridge.advise(address + 1, PAGE, MemoryAdvice.RELEASE));
        bridge.unmap(address, HUGE);
    }

    @Test
    void shouldKeepSmallPagesWhereAdvised() {
        final long address = bridge.map(2 * HUGE);
        final int refused = bridge.advise(address, 2 * HUGE, MemoryAdvice.NO_HUGE_PAGES);
        assumeTrue(refused == 0, "a kernel without huge pages");
        // The mapping has flags of its own now, so that the kernel counts no neighbour's pages in.
        touch(address, 2 * HUGE);
        assertEquals(0, HugePages.bytesOfMappings(address, 2 * HUGE));
        bridge.unmap(address, 2 * HUGE);
    }

    @Test
    void mapThrowsIllegalArgumentWhenTheSizeIsNoPositiveMultiple() {
        for (final long bytes : new long[] {0, -HUGE, 1, HUGE - 1, HUGE + PAGE, Long.MIN_VALUE}) {
            final IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> bridge.map(bytes));
            assertTrue(e.getMessage().endsWith("but was " + bytes), e.getMessage());
        }
    }

    @Test
    void mapThrowsOutOfMemoryWhenTheKernelRefuses() {
        final long most = Long.MAX_VALUE / HUGE * HUGE;
        for (final long bytes : new long[] {most, 1L << 60}) {
            final OutOfMemoryError e = assertThrows(OutOfMemoryError.class, () -> bridge.map(bytes));
            assertTrue(e.getMessage().contains(bytes + " bytes: errno "), e.getMessage());
            assertTrue(e.getMessage().contains("or choose a smaller capacity"), e.getMessage());
        }
    }

    @Test
    void unmapThrowsIllegalArgumentWhenTheAddressIsNoPage() {
        final IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> bridge.unmap(HUGE + 1, HUGE));
        assertTrue(e.getMessage().contains("0x200001"), e.getMessage());
    }

    @Test
    void shouldTellTheAddressOfABuffer() {
        final long address = bridge.map(HUGE);
        try {
            assertEquals(address, bridge.address(bridge.asByteBuffer(address, (int) HUGE)));
            assertEquals(address + PAGE, bridge.address(bridge.asByteBuffer(address, (int) HUGE).position(PAGE).slice()));
        } finally {
            bridge.unmap(address, HUGE);
        }
    }

    @Test
    void asByteBufferThrowsIllegalArgumentWhenTheSizeIsNegative() {
        assertThrows(IllegalArgumentException.class, () -> bridge.asByteBuffer(HUGE, -1));
    }

    @Test
    void shouldPrefetchMappedMemoryWithoutChangingIt() {
        final long address = bridge.map(HUGE);
        final ByteBuffer view = bridge.asByteBuffer(address, (int) HUGE);
        final int count = 100;
        for (int i = 0; i < count; i++) {
            view.putLong(i * 8, address + i * 64L);
        }
        for (int round = 0; round < 20_000; round++) {
            bridge.prefetch(address + round);
            bridge.prefetchVector(address, round % count);
        }
        for (int i = 0; i < count; i++) {
            assertEquals(address + i * 64L, view.getLong(i * 8));
        }
        bridge.unmap(address, HUGE);
    }

    @Test
    void shouldIgnorePrefetchesOfUnmappedAddresses() {
        final long address = bridge.map(HUGE);
        final long[] bad = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47};
        final ByteBuffer view = bridge.asByteBuffer(address, (int) HUGE);
        for (int i = 0; i < bad.length; i++) {
            view.putLong(i * 8, bad[i]);
        }
        assertDoesNotThrow(() -> {
            for (final long one : bad) {
                bridge.prefetch(one);
            }
            bridge.prefetchVector(address, bad.length);
            bridge.prefetchVector(0, 0);
            bridge.prefetchVector(0, -1);
        });
        bridge.unmap(address, HUGE);
    }

    @Test
    void shouldHaveAName() {
        assertTrue(bridge.name().matches("ffm|jni"), bridge.name());
        assertFalse(bridge.toString().isEmpty());
    }

    static boolean isNative() {
        return NativeBridges.get().isNative();
    }

    private void touch(final long address, final long bytes) {
        final ByteBuffer view = bridge.asByteBuffer(address, (int) bytes);
        for (int offset = 0; offset < bytes; offset += PAGE) {
            view.put(offset, (byte) 1);
        }
    }
}
