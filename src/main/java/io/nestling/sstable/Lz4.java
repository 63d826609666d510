/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 of single blocks. The library's native code is used where it loads, its plain Java code otherwise; both
 * read what the other wrote, but need not write the same bytes.
 */
final class Lz4 {
    /**
     * System property: {@code java} forces plain Java code, {@code native} makes missing native code an
     * error.
     */
    static final String LZ4_PROP_NAME = "io.nestling.sstable.lz4";

    private static final LZ4Factory FACTORY = factory(System.getProperty(LZ4_PROP_NAME, "fastest"));
    private static final LZ4Compressor COMPRESSOR = FACTORY.fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR = FACTORY.safeDecompressor();

    private Lz4() {
    }

    private static LZ4Factory factory(final String choice) {
        switch (choice) {
            case "fastest":
                return LZ4Factory.fastestInstance();
            case "java":
                return LZ4Factory.safeInstance();
            case "native":
                return LZ4Factory.nativeInstance();
            default:
                throw new IllegalArgumentException(LZ4_PROP_NAME + "=" + choice
                    + " is none of fastest, java, native");
        }
    }

    /** Most bytes that a number of bytes can turn into. */
    static int maxCompressedLength(final int length) {
        return COMPRESSOR.maxCompressedLength(length);
    }

    /**
     * Compresses into space of at least {@link #maxCompressedLength} bytes and returns the compressed length.
     */
    static int compress(
        final byte[] source, final int offset, final int length, final byte[] destination,
        final int destinationOffset) {
        return COMPRESSOR.compress(
            source, offset, length, destination, destinationOffset, destination.length - destinationOffset);
    }

    /**
     * Decompresses.
     *
     * @throws MalformedBlockException if the result is not exactly {@code rawLength} bytes
     */
    static void decompress(
        final byte[] source, final int offset, final int length,
        final byte[] destination, final int destinationOffset, final int rawLength) {
        final int unpacked;
        try {
            unpacked = DECOMPRESSOR.decompress(source, offset, length, destination, destinationOffset,
                rawLength);
        } catch (final LZ4Exception | IndexOutOfBoundsException e) {
            throw new MalformedBlockException("LZ4 data is malformed: " + e.getMessage(), e);
        }
        if (unpacked != rawLength) {
            throw new MalformedBlockException("LZ4 data holds " + unpacked + " bytes, the header says "
                + rawLength);
        }
    }
}
