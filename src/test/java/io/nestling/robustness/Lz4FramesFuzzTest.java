/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.sstable.Lz4Frames;
import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes {@link Lz4Frames}: frames of any settings, skippable ones, blocks, sizes, linked blocks, legacy frames and damage,
 * against {@link FuzzedLz4#unpack}. What is not whole, or not supported, must be an {@link IOException}.
 * <p>
 * Seen to fail with this fault: a frame that ends early is taken for the end of the file.
 */
@Tag("robustness")
class Lz4FramesFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "lz4-frames";
    private static final long FIXED_BYTES = 256 << 10;
    private static final int MAX_BLOCK_BYTES = 4 << 20;
    private static final int MAX_LZ4_FACTOR = 255;

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(
            Effort.seconds(0, 20, 300), FuzzedLz4.seeds(Seeds.random(NAME)), FuzzedLz4::mutate);
    }

    /** Space for one block, which is at most 4 MiB, packed and unpacked. */
    @Override
    public long allocationLimit(final byte[] input) {
        return FIXED_BYTES + 4L * input.length + 2 * Math.min(MAX_BLOCK_BYTES, (long) MAX_LZ4_FACTOR * input.length);
    }

    @Override
    public String read(final byte[] input) {
        final byte[] buffer = new byte[1 << 12];
        long bytes = 0;
        try (InputStream in = Lz4Frames.open(new ByteArrayInputStream(input))) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                bytes += count;
            }
            return "whole " + (Long.SIZE - Long.numberOfLeadingZeros(bytes));
        } catch (final EOFException e) {
            return "!early " + (Long.SIZE - Long.numberOfLeadingZeros(bytes));
        } catch (final IOException e) {
            return "!" + String.valueOf(e.getMessage()).replaceAll("[0-9]+", "") + (bytes > 0);
        }
    }

    @Override
    public void compare(final byte[] input) throws IOException {
        final byte[] expected = FuzzedLz4.unpack(input);
        if (expected == null) {
            assertThrows(IOException.class, () -> unpack(input));
        } else {
            assertArrayEquals(expected, unpack(input));
        }
    }

    private static byte[] unpack(final byte[] input) throws IOException {
        try (InputStream in = Lz4Frames.open(new ByteArrayInputStream(input))) {
            return in.readAllBytes();
        }
    }
}
