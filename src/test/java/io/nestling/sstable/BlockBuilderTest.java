/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.bytes.Varint;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

/** Appends at every distance from the end of the builder's buffer keep what is there and arrive whole. */
class BlockBuilderTest {
    private static final int LARGEST_BYTES = 300 << 10;

    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
    private int size;

    private interface Append {
        void to(BlockBuilder builder);
    }

    /** Bytes that differ from their neighbours. */
    private static byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + i / 256 + 1);
        }
        return bytes;
    }

    private void expect(final byte[] bytes, final int length) {
        expected.write(bytes, 0, length);
        size += length;
    }

    /** A builder whose buffer has a number of bytes left. */
    private BlockBuilder withBytesLeft(final int capacity, final int left) {
        expected.reset();
        size = 0;
        final BlockBuilder builder = new BlockBuilder();
        // Grown once by the usual steps, then filled again.
        while (builder.buffer().length < capacity) {
            builder.addSpace(builder.buffer().length);
            builder.reset();
            builder.addSpace(Math.min(builder.buffer().length + 1, capacity));
            builder.reset();
        }
        assertEquals(capacity, builder.buffer().length);
        final byte[] filling = bytes(capacity - left);
        System.arraycopy(filling, 0, builder.buffer(), builder.addSpace(filling.length), filling.length);
        expect(filling, filling.length);
        return builder;
    }

    private void check(final int appended, final Append append) {
        for (int capacity = 4 << 10; capacity < LARGEST_BYTES; capacity += capacity >> 1) {
            for (int left = 0; left <= appended + 40 && left < capacity; left += 1 + appended / 50) {
                final BlockBuilder builder = withBytesLeft(capacity, left);
                append.to(builder);
                assertArrayEquals(expected.toByteArray(), Arrays.copyOf(builder.buffer(), size),
                    "with " + left + " of " + capacity + " bytes left");
            }
        }
    }

    @Test
    void shouldKeepBytesWhereverTheBufferGrows() {
        for (final int length : new int[] {1, 36, 4090, 65_535}) {
            final byte[] bytes = bytes(length + 7);
            check(length, builder -> {
                builder.addBytes(bytes, 7, length);
                expect(Arrays.copyOfRange(bytes, 7, 7 + length), length);
            });
        }
    }

    @Test
    void shouldKeepVarintsWhereverTheBufferGrows() {
        for (final long number : new long[] {0, 1000, Long.MAX_VALUE}) {
            final byte[] varint = new byte[Varint.length(number)];
            Varint.write(varint, 0, number);
            check(varint.length, builder -> {
                builder.addVarint(number);
                expect(varint, varint.length);
            });
        }
    }

    @Test
    void shouldKeepKeysWhereverTheBufferGrows() {
        for (final int length : new int[] {0, 40, 65_535}) {
            final byte[] key = bytes(length);
            final byte[] header = new byte[30];
            int end = Varint.write(header, 0, 0);
            end = Varint.write(header, end, length);
            end = Varint.write(header, end, TableEntryLayout.tag(7, TableEntryLayout.FORM_VALUE));
            final int headerLength = Varint.write(header, end, 5);
            check(headerLength + length, builder -> {
                builder.addKey(key, length, 0, 7, TableEntryLayout.FORM_VALUE, 5);
                expect(header, headerLength);
                expect(key, length);
            });
        }
    }

    @Test
    void shouldKeepRestartPointsWhereverTheBufferGrows() {
        check(Integer.BYTES, builder -> {
            assertEquals(size + Integer.BYTES, builder.finish());
            expect(new byte[Integer.BYTES], Integer.BYTES);
        });
    }
}
