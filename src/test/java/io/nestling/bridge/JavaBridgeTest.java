/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class JavaBridgeTest {
    private final NativeBridge bridge = NativeBridges.force("java");

    @Test
    void shouldRunNoNativeCode() {
        assertEquals("java", bridge.name());
        assertFalse(bridge.isNative());
    }

    @Test
    void everyNativeMethodThrowsUnsupportedOperationThatNamesTheBridge() {
        final List<Executable> calls = List.of(
                () -> bridge.prefetch(0),
                () -> bridge.prefetchVector(0, 0),
                () -> bridge.map(NativeBridge.HUGE_PAGE_BYTES),
                () -> bridge.unmap(0, NativeBridge.HUGE_PAGE_BYTES),
                () -> bridge.advise(0, 0, MemoryAdvice.HUGE_PAGES),
                () -> bridge.asByteBuffer(0, 0));
        assertThrows(UnsupportedOperationException.class,
                () -> bridge.address(ByteBuffer.allocateDirect(1)));
        for (final Executable call : calls) {
            final UnsupportedOperationException e = assertThrows(UnsupportedOperationException.class, call);
            assertTrue(e.getMessage().contains("'java'"), e.getMessage());
        }
    }
}
