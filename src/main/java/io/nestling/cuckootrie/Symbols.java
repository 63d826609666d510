/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.bytes.KeyChunk;

/**
 * Keys as strings of 5-bit symbols: the key's bits, most significant first, the last symbol filled up with
 * zeroes, and behind it the end of the key, which sorts before every symbol.
 * <p>
 * Symbol strings sort as the keys do, and none is a prefix of another: a key that continues where another one ends has a symbol
 * where that one has its end, because each byte begins a new symbol (8 bits are more than a symbol takes).
 * <p>
 * Example: {@code "a"} is 01100 00100 end, {@code "a" 00} is 01100 00100 00000 00000 end.
 */
final class Symbols {
    private static final int BYTE_MASK = 0xFF;
    /** Bits of two bytes less those of a symbol. */
    private static final int WINDOW_SHIFT = 11;

    private Symbols() {
    }

    /** Returns the number of symbols of a key of some bytes, without its end. */
    static int count(final int length) {
        return (length * Byte.SIZE + SYMBOL_BITS - 1) / SYMBOL_BITS;
    }

    /** Returns the symbol {@code i} of a key. */
    static int at(final byte[] key, final int offset, final int length, final int i) {
        final int bit = i * SYMBOL_BITS;
        final int index = bit >>> 3;
        final int second = index + 1 < length ? key[offset + index + 1] & BYTE_MASK : 0;
        final int window = (key[offset + index] & BYTE_MASK) << Byte.SIZE | second;
        return window >>> WINDOW_SHIFT - (bit & 7) & SYMBOL_MASK;
    }

    /** Returns the code of symbol {@code i} of a key of {@code count} symbols, or of its end behind them. */
    static int codeAt(final byte[] key, final int offset, final int length, final int i, final int count) {
        return i < count ? at(key, offset, length, i) + FIRST_CODE : END_CODE;
    }

    /**
     * Returns the number of the name of {@link BucketLayout#TOP_DEPTH} symbols that begins as a key does and ends with a
     * given code.
     */
    static int topName(final byte[] key, final int offset, final int length, final int lastCode) {
        int name = 0;
        for (int i = 0; i < BucketLayout.TOP_DEPTH - 1; i++) {
            name = (name | at(key, offset, length, i)) << SYMBOL_BITS;
        }
        return name | lastCode - FIRST_CODE;
    }

    /** Returns the number of symbols that two keys share, given the number of bytes. */
    static int common(
        final byte[] left, final int leftOffset, final int leftLength,
        final byte[] right, final int rightLength, final int commonBytes) {
        final int most = Math.min(count(leftLength), count(rightLength));
        int i = Math.min(most, commonBytes * Byte.SIZE / SYMBOL_BITS);
        while (i < most && at(left, leftOffset, leftLength, i) == at(right, 0, rightLength, i)) {
            i++;
        }
        return i;
    }

    /** Returns the suffix that a leaf keeps of a key behind its name of {@code depth} codes. */
    static int suffix(final byte[] key, final int offset, final int length, final int depth) {
        final int count = count(length);
        final int left = count - depth;
        if (left < 0) {
            return SUFFIX_END; // the name includes the end of the key
        }
        final int known = Math.min(left, MAX_SUFFIX);
        return following(key, offset, length, depth) | known << SUFFIX_COUNT_SHIFT
            | (left == known ? SUFFIX_END : 0);
    }

    /** Compares a leaf's suffix, behind its name of {@code depth} codes, with a key; 0 also if the key continues behind it. */
    static int compareSuffix(final int suffix, final byte[] key, final int offset, final int length, final int depth) {
        final int known = suffixCount(suffix);
        if (known == 0) {
            return 0;
        }
        final int left = count(length) - depth;
        final int unknown = SYMBOL_BITS * (MAX_SUFFIX - Math.min(known, Math.max(0, left)));
        final int symbols = (suffix & SUFFIX_SYMBOLS) >>> unknown;
        final int order = symbols - (following(key, offset, length, depth) >>> unknown);
        return order != 0 ? order : known > left ? 1 : 0;
    }

    /**
     * Returns {@link CuckooTrieEntryLayout#MAX_SUFFIX} symbols of a key from an index on, the first one on top, with zeroes
     * behind the key's end.
     */
    static int following(final byte[] key, final int offset, final int length, final int from) {
        final int bit = from * SYMBOL_BITS;
        final long chunk = KeyChunk.at(key, offset, length, bit >>> 3) << (bit & 7);
        return (int) (chunk >>> Long.SIZE - MAX_SUFFIX * SYMBOL_BITS);
    }
}
