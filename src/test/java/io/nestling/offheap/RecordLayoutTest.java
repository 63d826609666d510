/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sizes and words of records, and the example that the layout gives. */
@Tag("bridge")
class RecordLayoutTest {
    private static final int VALUE_KIND = 1;

    private final KeepingAllocator slabs = new KeepingAllocator(SlabAllocator.direct());

    /** The first bytes of a record. */
    private String hex(final long pointer, final int length) {
        final byte[] bytes = new byte[length];
        slabs.slab(0).getBytes(pointer << RecordLayout.POINTER_SHIFT, bytes, 0, length);
        return HexFormat.of().formatHex(bytes);
    }

    private RecordStore open() {
        return new RecordStore(slabs, MemoryBudget.ofBytes(1 << 20), 1 << 20);
    }

    @Test
    void shouldBeAsTheExampleSays() {
        try (RecordStore store = open()) {
            final long pointer = store.append(5, VALUE_KIND, RecordLayout.NO_RECORD, 2);
            store.putValue(pointer, "ab".getBytes(StandardCharsets.UTF_8), 0, 2);
            assertEquals("0105000000000000" + "02" + "6162", hex(pointer, 11));
            assertEquals(16, RecordLayout.recordBytes(0, RecordLayout.NO_KEY, 2));
            assertEquals(pointer + 16 / RecordLayout.ALIGNMENT, store.append(6, VALUE_KIND, 0, 0));
        }
    }

    @Test
    void shouldPutPreviousAndKeyWhereThePictureSays() {
        try (RecordStore store = open()) {
            final long first = store.append(1, 0, RecordLayout.NO_RECORD, 0);
            final long word = RecordLayout.versionWord(0x1234, VALUE_KIND, true, true);
            final byte[] key = {9, 'k', 'e', 'y', 9};
            final long pointer = store.append(word, first, key, 1, 3, 1);
            store.putValue(pointer, new byte[] {'v'}, 0, 1);
            assertEquals("3134120000000000" + "0" + first + "00000000000000" + "01" + "03" + "6b6579" + "76",
                hex(pointer, 22));
            assertEquals(24, RecordLayout.recordBytes(RecordLayout.HAS_PREVIOUS, 3, 1));
        }
    }

    @Test
    void shouldPackAndUnpackVersionWords() {
        for (final long sequence : new long[] {0, 1, 255, 256, 1L << 40, RecordLayout.MAX_SEQUENCE}) {
            for (int kind = 0; kind <= RecordLayout.KIND_MASK; kind++) {
                for (int flags = 0; flags < 4; flags++) {
                    final boolean hasPrevious = (flags & 1) != 0;
                    final boolean hasKey = (flags & 2) != 0;
                    final long word = RecordLayout.versionWord(sequence, kind, hasPrevious, hasKey);
                    assertEquals(sequence, RecordLayout.sequence(word));
                    assertEquals(kind, RecordLayout.kind(word));
                    assertEquals(hasPrevious, (word & RecordLayout.HAS_PREVIOUS) != 0);
                    assertEquals(hasKey, (word & RecordLayout.HAS_KEY) != 0);
                    assertEquals((hasPrevious ? 16 : 8) + (kind & RecordLayout.HAS_EXPIRY), RecordLayout.lengthsOffset(word));
                }
            }
        }
    }

    @Test
    void shouldPutASkipWordBehindTheLinkWord() {
        try (RecordStore store = open()) {
            final long word = RecordLayout.versionWord(7, VALUE_KIND, true, false) | RecordLayout.HAS_SKIP;
            assertEquals(48, RecordLayout.lengthsOffset(word));
            assertEquals(56, RecordLayout.recordBytes(word, RecordLayout.NO_KEY, 1));
            final long first = store.append(word, RecordLayout.NO_RECORD, null, 0, RecordLayout.NO_KEY, 0);
            final long second = store.append(word, first, null, 0, RecordLayout.NO_KEY, 1);
            store.putValue(second, new byte[] {'v'}, 0, 1);
            new VersionLinks(store, true, 1).link(second, first);
            assertEquals(
                "9107000000000000" + "0400000008000000" + "0101000000000000" + "00".repeat(24) + "01" + "76",
                hex(second, 50));
        }
    }

    @Test
    void shouldPackAndUnpackLinkWords() {
        final long far = 1L << 27; // 1 GiB
        for (final long previous : new long[] {4, far, 1L << 34, (1L << 35) - 1}) {
            for (final long distance : new long[] {-far - 1, -far, -1, 1, far - 1, far}) {
                final long word = RecordLayout.linkWord(previous, previous + distance);
                assertEquals(previous, RecordLayout.previous(word));
                final boolean near = distance >= -far && distance < far;
                assertEquals(near ? previous + distance : RecordLayout.NO_RECORD, RecordLayout.withSkip(word));
            }
            assertEquals(previous, RecordLayout.linkWord(previous, RecordLayout.NO_RECORD));
            assertEquals(RecordLayout.NO_RECORD, RecordLayout.withSkip(previous));
            final long word = previous | RecordLayout.PREVIOUS_HAS_SKIP;
            assertEquals(previous, RecordLayout.previous(word));
            assertEquals(previous, RecordLayout.withSkip(word));
        }
    }

    @Test
    void shouldCountVarintBytes() {
        assertEquals(1, RecordLayout.varintBytes(0));
        for (int bits = 0; bits < 31; bits++) {
            final int power = 1 << bits;
            assertEquals(bits / 7 + 1, RecordLayout.varintBytes(power), "1 << " + bits);
            assertEquals(Math.max(1, (bits + 6) / 7), RecordLayout.varintBytes(power - 1),
                "(1 << " + bits + ") - 1");
        }
        assertEquals(5, RecordLayout.varintBytes(RecordLayout.MAX_VALUE_BYTES));
    }

    @Test
    void shouldRoundSizesUp() {
        for (int value = 0; value < 300; value++) {
            for (int key = RecordLayout.NO_KEY; key < 300; key += 7) {
                final long bytes = RecordLayout.recordBytes(0, key, value);
                final long raw = 8 + (value < 128 ? 1 : 2) + value
                    + (key == RecordLayout.NO_KEY ? 0 : (key < 128 ? 1 : 2) + key);
                assertTrue(bytes >= raw && bytes < raw + RecordLayout.ALIGNMENT);
                assertEquals(0, bytes % RecordLayout.ALIGNMENT);
                final long linked = RecordLayout.recordBytes(RecordLayout.HAS_PREVIOUS, key, value);
                assertEquals(bytes + 8, linked);
                assertFalse(linked < raw);
            }
        }
        assertEquals(1L << 31,
            RecordLayout.recordBytes(0, RecordLayout.NO_KEY, RecordLayout.MAX_VALUE_BYTES));
    }
}
