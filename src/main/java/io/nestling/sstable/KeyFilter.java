/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Hashing;

/**
 * Blocked Bloom filter with about one false positive in a hundred absent keys. Each key sets six bits of one 64-byte
 * block, so that a lookup reads one cache line. It takes ten bits a key.
 * <p>
 * Hash {@code h} is XXH64 of the key with seed 0. The upper 32 bits choose the block: {@code (h >>> 32) * blocks >>> 32}. The
 * lower 32 bits {@code g} choose the bits: for each of them, {@code g *= 0x9E3779B9}, and bit {@code g >>> 23} of the block is
 * set; bit {@code i} is bit {@code i & 63} of the block's little-endian 64-bit word {@code i >>> 6}.
 * <h2>Thread safety</h2>
 * Any number of threads may look up keys once all are added and the filter is safely published.
 */
final class KeyFilter {
    static final int BITS_PER_KEY = 10;
    static final int BLOCK_BYTES = 64;
    private static final int MAX_BYTES_PER_ENTRY = 2;
    private static final int PROBES = 6;
    private static final int GOLDEN_RATIO = 0x9E3779B9;
    private static final int WORDS_PER_BLOCK_SHIFT = 3;
    private static final int BLOCK_BITS_SHIFT = 9;
    private static final int WORD_MASK = Long.SIZE - 1;
    private static final int WORD_SHIFT = 6;
    /** One gibibyte; tables with more than 858 million entries get fewer bits a key. */
    private static final long MAX_BYTES = 1L << 30;

    private final long[] words;
    private final int blocks;
    /* Nobody needs it: so the compiler keeps the reads. */
    private long lastRead;

    private KeyFilter(final long byteCount) {
        words = new long[(int) (byteCount / Long.BYTES)];
        blocks = (int) (byteCount / BLOCK_BYTES);
    }

    /** Returns an empty filter for a number of keys. */
    static KeyFilter forKeys(final long keyCount) {
        return new KeyFilter(BLOCK_BYTES * blocksFor(keyCount));
    }

    private static long blocksFor(final long keyCount) {
        final long most = MAX_BYTES / BLOCK_BYTES;
        return keyCount >= most * BLOCK_BYTES ? most
            : Math.min(most, (keyCount * BITS_PER_KEY + BLOCK_BYTES * Byte.SIZE - 1) / (BLOCK_BYTES * Byte.SIZE));
    }

    /**
     * Returns a filter with the same keys, of the number that were added; if this one was made for more of them, one of eight to
     * sixteen bits a key.
     */
    KeyFilter shrunkTo(final long keyCount) {
        if (keyCount == 0) {
            return new KeyFilter(0);
        }
        final long most = keyCount * MAX_BYTES_PER_ENTRY / BLOCK_BYTES + 1;
        final int factor = (int) Math.max((blocks + most - 1) / most, blocks / blocksFor(keyCount));
        if (factor <= 1) {
            return this;
        }
        final KeyFilter shrunk = new KeyFilter((long) BLOCK_BYTES * ((blocks + factor - 1) / factor));
        for (int block = 0; block < blocks; block++) {
            // A block of hashes whose upper halves go from first to last; they may go to two blocks.
            final long first = (((long) block << Integer.SIZE) + blocks - 1) / blocks;
            final long last = (((long) (block + 1) << Integer.SIZE) - 1) / blocks;
            for (int to = Hashing.reduce(first << Integer.SIZE, shrunk.blocks);
                to <= Hashing.reduce(last << Integer.SIZE, shrunk.blocks); to++) {
                for (int i = 0; i < BLOCK_BYTES / Long.BYTES; i++) {
                    shrunk.words[(to << WORDS_PER_BLOCK_SHIFT) + i] |= words[(block << WORDS_PER_BLOCK_SHIFT) + i];
                }
            }
        }
        return shrunk;
    }

    /** Returns an empty filter of a size for a table with a number of entries; the caller fills it with {@link #putBytes}. */
    static KeyFilter ofSize(final long byteCount, final long entryCount) {
        if (byteCount < 0 || byteCount > MAX_BYTES || byteCount % BLOCK_BYTES != 0
            || (byteCount - BLOCK_BYTES) / MAX_BYTES_PER_ENTRY > entryCount) {
            throw new MalformedBlockException("filter of " + byteCount + " bytes for " + entryCount
                + " entries; expected whole blocks of " + BLOCK_BYTES + " bytes, at most " + MAX_BYTES_PER_ENTRY
                + " bytes an entry");
        }
        return new KeyFilter(byteCount);
    }

    static long hash(final byte[] key, final int offset, final int length) {
        return Hashing.hash64(key, offset, length, 0);
    }

    long byteCount() {
        return (long) words.length * Long.BYTES;
    }

    void add(final long hash) {
        if (blocks == 0) {
            return;
        }
        final int block = Hashing.reduce(hash, blocks) << WORDS_PER_BLOCK_SHIFT;
        int bits = (int) hash;
        for (int i = 0; i < PROBES; i++) {
            bits *= GOLDEN_RATIO;
            final int bit = bits >>> Integer.SIZE - BLOCK_BITS_SHIFT;
            words[block + (bit >>> WORD_SHIFT)] |= 1L << (bit & WORD_MASK);
        }
    }

    /** Adds the first of some hashes. Their blocks are read first, so that they come from memory at the same time. */
    void addAll(final long[] hashes, final int count) {
        long read = 0;
        for (int i = 0; i < count && blocks > 0; i++) {
            read += words[Hashing.reduce(hashes[i], blocks) << WORDS_PER_BLOCK_SHIFT];
        }
        lastRead = read;
        for (int i = 0; i < count; i++) {
            add(hashes[i]);
        }
    }

    /** Returns false if no key with this hash was added. */
    boolean mayContain(final long hash) {
        if (blocks == 0) {
            return false;
        }
        final int block = Hashing.reduce(hash, blocks) << WORDS_PER_BLOCK_SHIFT;
        int bits = (int) hash;
        for (int i = 0; i < PROBES; i++) {
            bits *= GOLDEN_RATIO;
            final int bit = bits >>> Integer.SIZE - BLOCK_BITS_SHIFT;
            if ((words[block + (bit >>> WORD_SHIFT)] & 1L << (bit & WORD_MASK)) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Copies bytes from an offset on until the array is full or the filter ends, and returns their number. */
    int copyBytes(final long offset, final byte[] destination) {
        final int length = (int) Math.min(destination.length, byteCount() - offset);
        for (int i = 0; i < length; i += Long.BYTES) {
            LittleEndian.putLong(destination, i, words[(int) ((offset + i) / Long.BYTES)]);
        }
        return length;
    }

    /** Sets bytes at an offset. */
    void putBytes(final long offset, final byte[] source, final int length) {
        for (int i = 0; i < length; i += Long.BYTES) {
            words[(int) ((offset + i) / Long.BYTES)] = LittleEndian.getLong(source, i);
        }
    }
}
