/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The compression of a text file. It follows from the file's name, and the first bytes must match. */
public enum Packing {
    /** Plain text. */
    NONE("", "plain text"),
    /** Members of gzip, which {@link GzipReader} unpacks. */
    GZIP(".gz", "gzip data"),
    /** Frames of LZ4. */
    LZ4(".lz4", "LZ4 data");

    /** The first bytes of packed files, one character a byte, '?' for any byte. */
    private static final Map<String, String> FORMATS = new TreeMap<>(Map.of(
        "\u001f\u008b\b", GZIP.content,
        "\u0004\"M\u0018", LZ4.content,
        "\u0002!L\u0018", "LZ4 data of the legacy format (lz4 -l)",
        "\u00fd7zXZ\0", "xz data",
        "(\u00b5/\u00fd", "zstd data",
        "BZh?1AY&SY", "bzip2 data",
        "PK\u0003\u0004", "zip data",
        "7z\u00bc\u00af'\u001c", "7z data"));
    private static final int LONGEST = 10;
    private static final int BYTE_MASK = 0xFF;

    private final String suffix;
    private final String content;

    Packing(final String suffix, final String content) {
        this.suffix = suffix;
        this.content = content;
    }

    /** Returns the packing of a file by its name in any case; {@link #NONE} if it does not have the suffix of another one. */
    public static Packing ofFileName(final String fileName) {
        final String name = fileName.toLowerCase(Locale.ROOT);
        return name.endsWith(GZIP.suffix) ? GZIP : name.endsWith(LZ4.suffix) ? LZ4 : NONE;
    }

    /** Returns the name of a file without the suffix of this packing, which it has. */
    public String plainName(final String fileName) {
        return fileName.substring(0, fileName.length() - suffix.length());
    }

    /**
     * Checks that the first bytes of an unread file are not those of another format, and returns a stream of the whole file;
     * throws, with the name of the format, if they are.
     */
    public InputStream checked(final InputStream file) throws IOException {
        final PushbackInputStream again = new PushbackInputStream(file, LONGEST);
        final byte[] first = again.readNBytes(LONGEST);
        again.unread(first);
        for (final Map.Entry<String, String> format : FORMATS.entrySet()) {
            final String found = format.getValue();
            if (!found.equals(content) && begins(first, format.getKey())) {
                throw new IOException("expected " + content + " but was " + found + ": unpack it first" + hint(found));
            }
        }
        return again;
    }

    private static boolean begins(final byte[] bytes, final String pattern) {
        boolean same = bytes.length >= pattern.length();
        for (int i = 0; same && i < pattern.length(); i++) {
            same = pattern.charAt(i) == '?' || pattern.charAt(i) == (bytes[i] & BYTE_MASK);
        }
        return same;
    }

    private static String hint(final String found) {
        for (final Packing packing : values()) {
            if (packing.content.equals(found)) {
                return ", or give it a name that ends in " + packing.suffix;
            }
        }
        return "";
    }
}
