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
 * A sequence of keys, stored one after the other in few large arrays, so that reading them in order is
 * sequential in memory. Keys of one length need no offsets; others need four bytes a key.
 * <h2>Thread safety</h2>
 * Immutable. {@link #array} returns arrays of the set, which callers must not change.
 */
public final class KeySet {
    /** Greatest length of a key. */
    public static final int MAX_KEY_BYTES = 65_535;

    private static final int SEGMENT_BYTES = 1 << 26;

    /** Log2 of the number of keys in a segment; the last one may have fewer. */
    private final int segmentShift;
    private final int segmentMask;
    private final byte[][] segments;
    /** The offsets of the keys of each segment and the end of the last one; null if all keys have one length. */
    private final int[][] starts;
    private final int commonLength;
    /** Number in the segments of this set's first key. */
    private final int first;
    private final int size;
    private final long keyBytes;

    private KeySet(final Layout layout, final byte[][] segments, final int[][] starts, final int size, final long keyBytes) {
        this(layout.shift, segments, starts, layout.commonLength, new Range(0, size, keyBytes));
    }

    private KeySet(
        final int segmentShift, final byte[][] segments, final int[][] starts, final int commonLength, final Range range) {
        this.segmentShift = segmentShift;
        this.segmentMask = (1 << segmentShift) - 1;
        this.segments = segments;
        this.starts = starts;
        this.commonLength = commonLength;
        this.first = range.first;
        this.size = range.size;
        this.keyBytes = range.keyBytes;
    }

    private record Range(int first, int size, long keyBytes) {
    }

    /** The division of keys into segments of two to the power of {@code shift} keys each. */
    private record Layout(int shift, int commonLength) {
        static final int VARIOUS_LENGTHS = -1;

        static Layout of(final int shortest, final int longest) {
            final int keys = SEGMENT_BYTES / Math.max(longest, 1);
            return new Layout(
                Integer.SIZE - 1 - Integer.numberOfLeadingZeros(keys), shortest == longest ? longest : VARIOUS_LENGTHS);
        }

        boolean oneLength() {
            return commonLength != VARIOUS_LENGTHS;
        }
    }

    /**
     * Returns a builder of a set.
     *
     * @return a builder without keys
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the number of keys.
     *
     * @return the number, 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * Returns the array with a key.
     *
     * @param i number of the key, from 0
     * @return an array that must not be changed
     */
    public byte[] array(final int i) {
        return segments[first + i >>> segmentShift];
    }

    /**
     * Returns the offset of a key in {@link #array}.
     *
     * @param i number of the key, from 0
     * @return the offset of its first byte
     */
    public int offset(final int i) {
        final int number = first + i;
        final int inSegment = number & segmentMask;
        return starts == null ? inSegment * commonLength : starts[number >>> segmentShift][inSegment];
    }

    /**
     * Returns the length of a key.
     *
     * @param i number of the key, from 0
     * @return 0 to {@link #MAX_KEY_BYTES}
     */
    public int length(final int i) {
        if (starts == null) {
            return commonLength;
        }
        final int number = first + i;
        final int[] segmentStarts = starts[number >>> segmentShift];
        final int inSegment = number & segmentMask;
        return segmentStarts[inSegment + 1] - segmentStarts[inSegment];
    }

    /**
     * Copies a key.
     *
     * @param i number of the key, from 0
     * @return a new array
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public byte[] key(final int i) {
        Objects.checkIndex(i, size);
        final int offset = offset(i);
        return Arrays.copyOfRange(array(i), offset, offset + length(i));
    }

    /**
     * Returns the length of every key, if it is the same for all.
     *
     * @return bytes; negative if the keys may differ in length
     */
    public int commonLength() {
        return starts == null ? commonLength : Layout.VARIOUS_LENGTHS;
    }

    /**
     * Returns the total length of all keys.
     *
     * @return the sum of their lengths
     */
    public long keyBytes() {
        return keyBytes;
    }

    /**
     * Compares two keys as unsigned bytes.
     *
     * @param i number of a key, from 0
     * @param other a set, may be this one
     * @param j number of a key in {@code other}
     * @return negative, zero or positive as the first sorts before, with or after the second
     */
    public int compare(final int i, final KeySet other, final int j) {
        return ByteComparison.compare(
            array(i), offset(i), length(i), other.array(j), other.offset(j), other.length(j));
    }

    /**
     * Returns the same keys in a random order.
     *
     * @param seed the same seed gives the same order
     * @return a new set
     */
    public KeySet shuffled(final long seed) {
        final int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
        final Randomness randomness = new Randomness(seed);
        for (int i = size - 1; i > 0; i--) {
            final int j = randomness.below(i + 1);
            final int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        return ordered(i -> order[i], size);
    }

    /**
     * Returns the same keys in their unsigned order.
     *
     * @return a new set
     */
    public KeySet sorted() {
        final int[] order = KeySorter.order(this);
        return ordered(i -> order[i], size);
    }

    /**
     * Returns the same keys from the last to the first.
     *
     * @return a new set
     */
    public KeySet reversed() {
        return ordered(i -> size - 1 - i, size);
    }

    /**
     * Returns a view of consecutive keys, which copies nothing.
     *
     * @param from number of the first key
     * @param to number after the last key
     * @return keys {@code from} to {@code to - 1}
     * @throws IndexOutOfBoundsException if the set does not have them
     */
    public KeySet slice(final int from, final int to) {
        Objects.checkFromToIndex(from, to, size);
        long bytes = (long) commonLength * (to - from);
        if (starts != null) {
            bytes = 0;
            for (int i = from; i < to; i++) {
                bytes += length(i);
            }
        }
        return new KeySet(segmentShift, segments, starts, commonLength, new Range(first + from, to - from, bytes));
    }

    /**
     * Copies keys in another order.
     *
     * @param order number in this set of each key of the new set
     * @param count number of keys of the new set
     */
    KeySet ordered(final IntUnaryOperator order, final int count) {
        int shortest = MAX_KEY_BYTES;
        int longest = 0;
        if (starts == null) {
            shortest = commonLength;
            longest = commonLength;
        } else {
            for (int i = 0; i < count; i++) {
                final int length = length(order.applyAsInt(i));
                shortest = Math.min(shortest, length);
                longest = Math.max(longest, length);
            }
        }
        final Layout layout = Layout.of(shortest, longest);
        final int segmentCount = segmentCount(count, layout.shift);
        final byte[][] newSegments = new byte[segmentCount][];
        final int[][] newStarts = layout.oneLength() ? null : new int[segmentCount][];
        long bytes = 0;
        for (int s = 0; s < segmentCount; s++) {
            final int begin = s << layout.shift;
            final int keys = Math.min(count - begin, 1 << layout.shift);
            final int[] segmentStarts = layout.oneLength() ? null : new int[keys + 1];
            newSegments[s] = segment(order, begin, keys, segmentStarts);
            if (segmentStarts != null) {
                newStarts[s] = segmentStarts;
            }
            bytes += newSegments[s].length;
        }
        return new KeySet(layout, newSegments, newStarts, count, bytes);
    }

    private byte[] segment(final IntUnaryOperator order, final int begin, final int keys, final int[] newStarts) {
        int length = keys * Math.max(commonLength, 0);
        if (newStarts != null) {
            for (int i = 0; i < keys; i++) {
                newStarts[i + 1] = newStarts[i] + length(order.applyAsInt(begin + i));
            }
            length = newStarts[keys];
        } else if (keys > 0) {
            length = keys * length(order.applyAsInt(begin));
        }
        final byte[] segment = new byte[length];
        int position = 0;
        for (int i = 0; i < keys; i++) {
            final int source = order.applyAsInt(begin + i);
            final int bytes = length(source);
            System.arraycopy(array(source), offset(source), segment, position, bytes);
            position += bytes;
        }
        return segment;
    }

    private static int segmentCount(final int keys, final int shift) {
        return (int) ((long) keys + (1L << shift) - 1 >>> shift);
    }

    /** Builds a set key by key. Not thread-safe. */
    public static final class Builder {
        private static final int CHUNK_SHIFT = 10;
        private static final int CHUNK_KEYS = 1 << CHUNK_SHIFT;

        private final List<byte[]> chunks = new ArrayList<>();
        private final List<char[]> chunkLengths = new ArrayList<>();
        private byte[] chunk = new byte[CHUNK_KEYS * Long.BYTES];
        private char[] lengths = new char[CHUNK_KEYS];
        private int chunkBytes;
        private int chunkKeys;
        private int shortest = MAX_KEY_BYTES;
        private int longest;

        private Builder() {
        }

        /**
         * Appends a key. Does not check for duplicates.
         *
         * @param array array with the key; copied
         * @param offset start of the key
         * @param length bytes of the key
         * @return this
         * @throws IllegalArgumentException if the key is longer than {@link #MAX_KEY_BYTES}
         * @throws IndexOutOfBoundsException if the range is not in the array
         */
        public Builder add(final byte[] array, final int offset, final int length) {
            Objects.checkFromIndexSize(offset, length, array.length);
            if (length > MAX_KEY_BYTES) {
                throw new IllegalArgumentException("a key of " + length + " bytes is longer than " + MAX_KEY_BYTES);
            }
            if (chunkKeys == CHUNK_KEYS) {
                endChunk();
            }
            if (chunk.length - chunkBytes < length) {
                chunk = Arrays.copyOf(chunk, Math.max(2 * chunk.length, chunkBytes + length));
            }
            System.arraycopy(array, offset, chunk, chunkBytes, length);
            chunkBytes += length;
            lengths[chunkKeys++] = (char) length;
            shortest = Math.min(shortest, length);
            longest = Math.max(longest, length);
            return this;
        }

        private void endChunk() {
            chunks.add(Arrays.copyOf(chunk, chunkBytes));
            chunkLengths.add(lengths);
            lengths = new char[CHUNK_KEYS];
            chunkBytes = 0;
            chunkKeys = 0;
        }

        /**
         * Returns the number of keys added.
         *
         * @return the number
         */
        public int size() {
            return (chunks.size() << CHUNK_SHIFT) + chunkKeys;
        }

        /**
         * Builds the set. The builder must not be used afterwards.
         *
         * @return the keys in the order in which they were added
         */
        public KeySet build() {
            final int keys = size();
            endChunk();
            final Layout layout = Layout.of(Math.min(shortest, longest), longest);
            final int segmentCount = segmentCount(keys, layout.shift);
            final byte[][] segments = new byte[segmentCount][];
            final int[][] starts = layout.oneLength() ? null : new int[segmentCount][];
            long bytes = 0;
            for (int s = 0; s < segmentCount; s++) {
                final int begin = s << layout.shift - CHUNK_SHIFT;
                final int end = Math.min(begin + (1 << layout.shift - CHUNK_SHIFT), chunks.size());
                if (starts != null) {
                    starts[s] = starts(begin, end, Math.min(keys - (begin << CHUNK_SHIFT), 1 << layout.shift));
                }
                segments[s] = joined(begin, end);
                bytes += segments[s].length;
            }
            return new KeySet(layout, segments, starts, keys, bytes);
        }

        private int[] starts(final int begin, final int end, final int keys) {
            final int[] starts = new int[keys + 1];
            for (int i = 0; i < keys; i++) {
                starts[i + 1] = starts[i] + chunkLengths.get(begin + (i >>> CHUNK_SHIFT))[i & CHUNK_KEYS - 1];
            }
            chunkLengths.subList(begin, end).replaceAll(ignored -> null);
            return starts;
        }

        /** Joins chunks and drops them, so that hardly more than one copy of the keys exists at a time. */
        private byte[] joined(final int begin, final int end) {
            int length = 0;
            for (int c = begin; c < end; c++) {
                length += chunks.get(c).length;
            }
            final byte[] segment = new byte[length];
            int position = 0;
            for (int c = begin; c < end; c++) {
                final byte[] part = chunks.set(c, null);
                System.arraycopy(part, 0, segment, position, part.length);
                position += part.length;
            }
            return segment;
        }
    }
}
