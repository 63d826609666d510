/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

/**
 * The keys that share a word, as sorted chunks of payloads, found by comparing the payloads' keys. A run is one chunk, or a
 * directory of ordered chunks, none of which is empty.
 * <pre>
 *  block of 32 bytes to 512 KiB
 *  byte 0       4      5        6   8         16
 *       +-------+------+--------+---+---------+---------+---
 *       | count | kind | class  | 0 | entry 0 | entry 1 | ...
 *       +-------+------+--------+---+---------+---------+---
 *  kind 0: a chunk, entries are payloads; kind 1: a directory, entries are offsets of chunks
 * </pre>
 * <h2>Thread safety</h2>
 * Any number of readers inside guards, beside one {@link RunWriter}. It shifts entries under the version of their block, and
 * never moves entries to another block without publishing that block first.
 */
final class Runs {
    static final int HEADER_BYTES = 8;
    static final int CHUNK = 0;
    static final int DIRECTORY = 1;
    private static final int VERSIONS = 256;
    private static final int PLACE_SHIFT = 5;
    private static final int KIND_SHIFT = 32;
    private static final int CLASS_SHIFT = 40;
    private static final int BYTE_MASK = 0xFF;

    private final Slab slab;
    private final KeySource keys;
    private final MlpVersions versions;

    Runs(final Slab slab, final KeySource keys, final WriteFailure failure) {
        this.slab = slab;
        this.versions = new MlpVersions(VERSIONS, failure);
        this.keys = keys;
    }

    static long header(final int kind, final int sizeClass, final int count) {
        return (long) sizeClass << CLASS_SHIFT | (long) kind << KIND_SHIFT | count;
    }

    static int count(final long header) {
        return (int) header;
    }

    static int kind(final long header) {
        return (int) (header >>> KIND_SHIFT) & BYTE_MASK;
    }

    static int sizeClass(final long header) {
        return (int) (header >>> CLASS_SHIFT) & BYTE_MASK;
    }

    static int capacity(final int sizeClass) {
        return (int) ((MlpBlockClasses.bytes(sizeClass) - HEADER_BYTES) / Long.BYTES);
    }

    static long entryOffset(final long block, final int i) {
        return block + HEADER_BYTES + ((long) i << 3);
    }

    Slab slab() {
        return slab;
    }

    long header(final long block) {
        return slab.getLongAcquire(block);
    }

    long entry(final long block, final int i) {
        return slab.getLongAcquire(entryOffset(block, i));
    }

    void beginChange(final long block) {
        versions.beginChange(block >>> PLACE_SHIFT);
    }

    void endChange(final long block) {
        versions.endChange(block >>> PLACE_SHIFT);
    }

    private int begin(final long block) {
        return versions.begin(block >>> PLACE_SHIFT);
    }

    private boolean unchanged(final long block, final int version) {
        return versions.unchanged(block >>> PLACE_SHIFT, version);
    }

    /** Finds the first key of a run at or above a given one. */
    void search(final long run, final byte[] key, final int offset, final int length, final RunPosition to) {
        // mlpindex-concurrency.md, claim 9
        do {
            enter(run, to);
            int number = 0;
            if (to.directory != 0) {
                // The last chunk that does not begin above the key, or the first chunk.
                final int above = ceiling(run, to.chunks, key, offset, length, to);
                number = to.equal ? above : Math.max(0, above - 1);
            }
            openChunk(to, number);
            to.index = ceiling(to.chunk, to.count, key, offset, length, to);
            to.payload = to.index < to.count ? entry(to.chunk, to.index) : 0;
        } while (!isUnchanged(to));
    }

    /** Returns the index of the first entry of a block whose first key is at or above a given one; tells whether it is equal. */
    private int ceiling(
        final long block, final int count, final byte[] key, final int offset, final int length, final RunPosition to) {
        int low = 0;
        int high = count;
        to.equal = false;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            final long entry = entry(block, middle);
            final int order = keys.compareKey(block == to.directory ? entry(entry, 0) : entry, key, offset, length);
            if (order < 0) {
                low = middle + 1;
            } else {
                to.equal |= order == 0;
                high = middle;
            }
        }
        return low;
    }

    /**
     * Finds the key of a run that is next to a given one in a direction, or the given one itself if {@code inclusive}; returns
     * whether there is one.
     */
    boolean searchFrom(
        final long run, final byte[] key, final int length, final boolean forward, final boolean inclusive,
        final RunPosition to) {
        final int step = forward ? 1 : -1;
        while (true) {
            search(run, key, 0, length, to);
            if (to.equal && inclusive) {
                return true;
            }
            if (forward && !to.equal) {
                to.index--; // to the last entry below the key
            }
            if (move(step, to)) {
                return true;
            }
            if (isAtEnd(step, to) && isUnchanged(to)) {
                return false;
            }
        }
    }

    /** Moves to the first or last key of a run. */
    void goToEnd(final long run, final boolean first, final RunPosition to) {
        do {
            enter(run, to);
            openChunk(to, first ? 0 : to.chunks - 1);
            to.equal = false;
            to.index = first ? 0 : to.count - 1;
            to.payload = entry(to.chunk, to.index);
        } while (!isUnchanged(to));
    }

    /** Moves one entry forward or back; returns false if there is none, or if the run has changed. */
    boolean move(final int step, final RunPosition position) {
        final int target = position.index + step;
        int number = position.chunkNumber;
        if (target >= 0 && target < position.count) {
            position.index = target;
        } else {
            number += step;
            if (number < 0 || number >= position.chunks || !isUnchanged(position)) {
                return false;
            }
            openChunk(position, number);
            position.index = step > 0 ? 0 : position.count - 1;
        }
        position.payload = entry(position.chunk, position.index);
        return isUnchanged(position);
    }

    /** Returns whether chunk and directory are unchanged since the position was found. */
    boolean isUnchanged(final RunPosition position) {
        return unchanged(position.chunk, position.chunkVersion)
            && (position.directory == 0 || unchanged(position.directory, position.directoryVersion));
    }

    /** Returns whether there is no entry in a direction. */
    static boolean isAtEnd(final int step, final RunPosition position) {
        final int target = position.index + step;
        return step > 0
            ? target >= position.count && position.chunkNumber == position.chunks - 1
            : target < 0 && position.chunkNumber == 0;
    }

    private void enter(final long run, final RunPosition to) {
        final int version = begin(run);
        final long header = header(run);
        if (kind(header) == CHUNK) {
            to.directory = 0;
            to.chunks = 1;
            to.chunk = run;
        } else {
            to.directory = run;
            to.directoryVersion = version;
            to.chunks = count(header);
        }
    }

    private void openChunk(final RunPosition to, final int number) {
        to.chunkNumber = number;
        if (to.directory != 0) {
            to.chunk = entry(to.directory, number);
        }
        to.chunkVersion = begin(to.chunk);
        to.count = count(header(to.chunk));
    }

    /** Returns the number of keys of a run. For statistics and verifiers. */
    long size(final long run) {
        final long header = header(run);
        if (kind(header) == CHUNK) {
            return count(header);
        }
        long size = 0;
        for (int i = 0; i < count(header); i++) {
            size += count(header(entry(run, i)));
        }
        return size;
    }
}
