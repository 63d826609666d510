/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import net.jpountz.lz4.LZ4FrameInputStream;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads files that the program {@code lz4} wrote. */
public final class Lz4Frames {
    private static final String EARLY_END = "Stream ended prematurely";
    private static final String NO_FRAME = "Stream unsupported";
    private static final String BAD_DESCRIPTOR = "Invalid or unsupported frame descriptor";

    private Lz4Frames() {
    }

    /**
     * Unpacks consecutive LZ4 frames and checks their checksums.
     *
     * @param input the frames; they are read in small pieces, so it should be buffered. It is closed with the result
     * @return the content; its reads throw an {@link EOFException} if the last frame ends early, an {@link
     *     IOException} if one is damaged
     * @throws EOFException if there is no whole frame header
     * @throws IOException if the input does not begin with a frame
     */
    public static InputStream open(final InputStream input) throws IOException {
        final Packed packed = new Packed(input);
        try {
            return new Frames(new LZ4FrameInputStream(packed), packed);
        } catch (final IOException e) {
            throw translated(e, packed);
        }
    }

    /** Returns an exception that tells an early end from damage; the library throws the same type for both. */
    private static IOException translated(final IOException thrown, final Packed packed) {
        if (packed.failure != null) {
            return packed.failure;
        }
        final IOException result = EARLY_END.equals(thrown.getMessage())
            ? new EOFException("at byte " + packed.bytes)
            : new IOException("cannot unpack LZ4 data before byte " + packed.bytes + ": " + problem(thrown));
        result.initCause(thrown);
        return result;
    }

    private static String problem(final IOException thrown) {
        final String message = String.valueOf(thrown.getMessage());
        return switch (message) {
            case NO_FRAME -> "expected a frame (lz4 without -l) but was something else";
            case BAD_DESCRIPTOR -> "expected a frame with independent blocks (lz4 -BI) and without dictionary";
            default -> message;
        };
    }

    /** The packed bytes. Counts them, and keeps an error of their source apart from those of the library. */
    private static final class Packed extends FilterInputStream {
        private long bytes;
        private IOException failure;

        Packed(final InputStream input) {
            super(input);
        }

        @Override
        public int read() throws IOException {
            try {
                final int value = in.read();
                bytes += value < 0 ? 0 : 1;
                return value;
            } catch (final IOException e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            try {
                final int count = in.read(target, offset, length);
                bytes += Math.max(count, 0);
                return count;
            } catch (final IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    private static final class Frames extends FilterInputStream {
        private final Packed packed;

        Frames(final InputStream frames, final Packed packed) {
            super(frames);
            this.packed = packed;
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (final IOException e) {
                throw translated(e, packed);
            }
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            try {
                return in.read(target, offset, length);
            } catch (final IOException e) {
                throw translated(e, packed);
            }
        }
    }
}
