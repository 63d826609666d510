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

/** Reads files as the program {@code lz4} writes them. */
public final class Lz4Frames {
    private static final String EARLY_END = "Stream ended prematurely";

    private Lz4Frames() {
    }

    /**
     * Unpacks LZ4 frames, one after the other; checksums are checked.
     *
     * @param input the frames; they are read in small pieces, so it should be buffered. It is closed with the
     *     result
     * @return the content; its reads throw an {@link EOFException} if the last frame ends early, an {@link
     *     IOException} if one is damaged
     * @throws EOFException if there is no whole frame header
     * @throws IOException if the input does not begin with a frame
     */
    public static InputStream open(final InputStream input) throws IOException {
        try {
            return new Frames(new LZ4FrameInputStream(input));
        } catch (final IOException e) {
            throw translated(e);
        }
    }

    /** The library has one type of exception for everything. */
    private static IOException translated(final IOException thrown) {
        final boolean early = EARLY_END.equals(thrown.getMessage());
        final IOException result = early ? new EOFException("LZ4 data ends early")
            : new IOException("cannot unpack LZ4 data: " + thrown.getMessage());
        result.initCause(thrown);
        return result;
    }

    private static final class Frames extends FilterInputStream {
        Frames(final InputStream frames) {
            super(frames);
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (final IOException e) {
                throw translated(e);
            }
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            try {
                return in.read(target, offset, length);
            } catch (final IOException e) {
                throw translated(e);
            }
        }
    }
}
