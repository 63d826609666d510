/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.ByteComparison;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntUnaryOperator;

/**
 * A sequence of keys, stored one after the other in arrays of 1024 keys, so that reading them in order is
 * sequential in memory. Keys of one length need no offsets; others need four bytes a key.
 * <h2>Thread safety</h2>
 * Immutable. {@link #array} returns arrays of the set, which callers must not change.
 */
public final class KeySet {
    /** Greatest length of a key. */
    public static final int MAX_KEY_BYTES = 65_535;

    private static final int CHUNK_SHIFT = 10;
    /** Number of keys in a chunk; the last one may have fewer. */
    private static final int CHUNK_KEYS = 1 << CHUNK_SHIFT;
    private static final int VARIOUS_LENGTHS = -1;

    private final byte[][] chunks;
    /** The offsets of the keys of each chunk and the end of the last one; null if all keys have one length. */
    private final int[][] starts;
    private final int commonLength;
    /** Number in the chunks of this set's first key. */
    private final int first;
    private final int size;
    private final long keyBytes;

    private KeySet(final Builder builder, final int size) {
        chunks = builder.chunks.toArray(new byte[0][]);
        this.size = size;
        final int shortest = Math.min(builder.shortest, builder.longest);
        commonLength = shortest == builder.longest ? shortest : VARIOUS_LENGTHS;
        starts = commonLength == VARIOUS_LENGTHS ? builder.chunkStarts.toArray(new int[0][]) : null;
        keyBytes = builder.keyBytes;
        first = 0;
    }

    private KeySet(final KeySet whole, final int first, final int size, final long keyBytes) {
        chunks = whole.chunks;
        starts = whole.starts;
        commonLength = whole.commonLength;
        this.first = first;
        this.size = size;
        this.keyBytes = keyBytes;
    }

    /** Returns a builder of a set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the number of keys. */
    public int size() {
        return size;
    }

    /** Returns the array with a key, which must not be changed. */
    public byte[] array(final int i) {
        return chunks[first + i >>> CHUNK_SHIFT];
    }

    /** Returns the offset of the first byte of a key in {@link #array}. */
    public int offset(final int i) {
        final int number = first + i;
        final int inChunk = number & CHUNK_KEYS - 1;
        return starts == null ? inChunk * commonLength : starts[number >>> CHUNK_SHIFT][inChunk];
    }

    /** Returns the length of a key, 0 to {@link #MAX_KEY_BYTES}. */
    public int length(final int i) {
        if (starts == null) {
            return commonLength;
        }
        final int number = first + i;
        final int[] chunkStarts = starts[number >>> CHUNK_SHIFT];
        final int inChunk = number & CHUNK_KEYS - 1;
        return chunkStarts[inChunk + 1] - chunkStarts[inChunk];
    }

    /** Returns a copy of a key; throws an {@link IndexOutOfBoundsException} if there is no such key. */
    public byte[] key(final int i) {
        Objects.checkIndex(i, size);
        final int offset = offset(i);
        return Arrays.copyOfRange(array(i), offset, offset + length(i));
    }

    /** Returns the length of every key, if it is the same for all; negative if the keys may differ in length. */
    public int commonLength() {
        return commonLength;
    }

    /** Returns the total length of all keys. */
    public long keyBytes() {
        return keyBytes;
    }

    /** Compares two keys as unsigned bytes: negative, zero or positive as the first sorts before, with or after the second. */
    public int compare(final int i, final KeySet other, final int j) {
        return ByteComparison.compare(array(i), offset(i), length(i), other.array(j), other.offset(j), other.length(j));
    }

    /** Returns the same keys in their unsigned order. */
    public KeySet sorted() {
        final int[] order = KeySetSorter.order(this);
        return ordered(i -> order[i], size);
    }

    /** Returns the same keys from the last to the first. */
    public KeySet reversed() {
        return ordered(i -> size - 1 - i, size);
    }

    /** Returns a view of the keys {@code from} to {@code to - 1}, which copies nothing; throws if the set does not have them. */
    public KeySet slice(final int from, final int to) {
        Objects.checkFromToIndex(from, to, size);
        long bytes = (long) commonLength * (to - from);
        if (starts != null) {
            bytes = 0;
            for (int i = from; i < to; i++) {
                bytes += length(i);
            }
        }
        return new KeySet(this, first + from, to - from, bytes);
    }

    /** Copies some keys in another order, by their numbers in this set. */
    KeySet ordered(final IntUnaryOperator order, final int count) {
        final Builder builder = builder();
        for (int i = 0; i < count; i++) {
            final int source = order.applyAsInt(i);
            builder.add(array(source), offset(source), length(source));
        }
        return builder.build();
    }

    /** Builds a set key by key. Not thread-safe. */
    public static final class Builder {
        private final List<byte[]> chunks = new ArrayList<>();
        private final List<int[]> chunkStarts = new ArrayList<>();
        private byte[] chunk = new byte[CHUNK_KEYS * Long.BYTES];
        private final int[] starts = new int[CHUNK_KEYS + 1];
        private int chunkKeys;
        private int shortest = MAX_KEY_BYTES;
        private int longest;
        private long keyBytes;

        private Builder() {
        }

        /** Appends a copy of a key; throws if it is longer than {@link #MAX_KEY_BYTES}. Does not check for duplicates. */
        public Builder add(final byte[] array, final int offset, final int length) {
            Objects.checkFromIndexSize(offset, length, array.length);
            if (length > MAX_KEY_BYTES) {
                throw new IllegalArgumentException("a key of " + length + " bytes is longer than " + MAX_KEY_BYTES);
            }
            if (chunkKeys == CHUNK_KEYS) {
                endChunk();
            }
            final int start = starts[chunkKeys];
            if (chunk.length - start < length) {
                chunk = Arrays.copyOf(chunk, Math.max(2 * chunk.length, start + length));
            }
            System.arraycopy(array, offset, chunk, start, length);
            starts[++chunkKeys] = start + length;
            shortest = Math.min(shortest, length);
            longest = Math.max(longest, length);
            keyBytes += length;
            return this;
        }

        private void endChunk() {
            chunks.add(Arrays.copyOf(chunk, starts[chunkKeys]));
            chunkStarts.add(Arrays.copyOf(starts, chunkKeys + 1));
            chunkKeys = 0;
        }

        /** Returns the number of keys added. */
        public int size() {
            return (chunks.size() << CHUNK_SHIFT) + chunkKeys;
        }

        /** Builds the set in the order in which its keys were added. The builder must not be used afterwards. */
        public KeySet build() {
            final int keys = size();
            endChunk();
            return new KeySet(this, keys);
        }
    }
}
