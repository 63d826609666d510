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
 * LZ4 compression of single blocks. It uses the library's native code where that loads, else its Java code; each
 * reads what the other wrote, but they need not write the same bytes.
 */
final class Lz4 {
    /**
     * System property: {@code java} selects the Java code, {@code native} the native code or else an error; {@code fastest} is
     * the default.
     */
    static final String LZ4_PROP_NAME = "io.nestling.sstable.lz4";

    private static final LZ4Factory FACTORY = factory(System.getProperty(LZ4_PROP_NAME, "fastest"));
    private static final LZ4Compressor COMPRESSOR = FACTORY.fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR = FACTORY.safeDecompressor();

    private Lz4() {
    }

    private static LZ4Factory factory(final String choice) {
        return switch (choice) {
            case "fastest" -> LZ4Factory.fastestInstance();
            case "java" -> LZ4Factory.safeInstance();
            case "native" -> LZ4Factory.nativeInstance();
            default -> throw new IllegalArgumentException(
                "expected " + LZ4_PROP_NAME + " to be one of fastest, java, native but was '" + choice + "'");
        };
    }

    /** Returns the greatest compressed length of a number of bytes. */
    static int maxCompressedLength(final int length) {
        return COMPRESSOR.maxCompressedLength(length);
    }

    /** Compresses into space of at least {@link #maxCompressedLength} bytes and returns the compressed length. */
    static int compress(
        final byte[] source, final int offset, final int length, final byte[] destination,
        final int destinationOffset) {
        return COMPRESSOR.compress(
            source, offset, length, destination, destinationOffset, destination.length - destinationOffset);
    }

    /** Decompresses; throws if the result is not exactly {@code rawLength} bytes. */
    static void decompress(
        final byte[] source, final int offset, final int length,
        final byte[] destination, final int destinationOffset, final int rawLength) {
        final int unpacked;
        try {
            unpacked = DECOMPRESSOR.decompress(source, offset, length, destination, destinationOffset, rawLength);
        } catch (final LZ4Exception | IndexOutOfBoundsException e) {
            throw new MalformedBlockException("LZ4 data is malformed: " + e.getMessage(), e);
        }
        if (unpacked != rawLength) {
            throw new MalformedBlockException("LZ4 data holds " + unpacked + " bytes, the header says " + rawLength);
        }
    }
}
