/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class KeyChunkTest {
    @Test
    void shouldTakeChunksThatSortAsTheirBytes() {
        final byte[] key = {9, (byte) 0xFF, 1, 2, 3, 4, 5, 6, 7, 8};
        assertEquals(0xFF01_0203_0405_0607L, KeyChunk.at(key, 1, 9, 0));
        assertEquals(0x0102_0304_0506_0708L, KeyChunk.at(key, 1, 9, 1));
        assertEquals(0x0800_0000_0000_0000L, KeyChunk.at(key, 1, 9, 8));
        assertEquals(0, KeyChunk.at(key, 1, 9, 9));
        assertEquals(0, KeyChunk.at(key, 1, 9, 60_000));
        assertEquals(0x0901_0000_0000_0000L & ~0xFF_0000_0000_0000L | 0xFF_0000_0000_0000L, KeyChunk.at(key, 0, 2, 0));
        assertEquals(0xFF00_0000_0000_0000L, KeyChunk.at(key, 0, 2, 1));
        assertEquals(0, KeyChunk.at(key, 0, 0, 0));
    }
}
