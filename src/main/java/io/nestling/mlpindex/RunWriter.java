/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.Runs.CHUNK;
import static io.nestling.mlpindex.Runs.DIRECTORY;
import static io.nestling.mlpindex.Runs.HEADER_BYTES;
import static io.nestling.mlpindex.Runs.capacity;
import static io.nestling.mlpindex.Runs.count;
import static io.nestling.mlpindex.Runs.entryOffset;
import static io.nestling.mlpindex.Runs.header;
import static io.nestling.mlpindex.Runs.kind;
import static io.nestling.mlpindex.Runs.sizeClass;

import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

/**
 * Adds keys to runs and removes them. A larger chunk, or two halves, replace a full chunk; blocks that readers may hold are
 * retired unchanged.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class RunWriter {
    /** Bytes of the largest blocks that one added key may take: two halves, directories aside. */
    static final long BYTES_PER_SPLIT = 2 * 512;
    private static final long CHUNK_BYTES = 512;
    /* Runs of so many chunks get larger chunks, so that their directory remains small. */
    private static final int MANY_CHUNKS = 2048;
    private static final long LARGE_CHUNK_BYTES = 8192;
    private static final int MOST_UNLINKED = 4;

    private final Runs runs;
    private final BlockAllocator blocks;
    private final Slab slab;
    private final RunPosition position = new RunPosition();
    private final long[] unlinked = new long[MOST_UNLINKED];
    private int unlinkedCount;
    private long run;

    RunWriter(final Runs runs, final BlockAllocator blocks) {
        this.runs = runs;
        this.blocks = blocks;
        this.slab = blocks.slab();
    }

    /** Returns the run after the last change, possibly in another block. */
    long run() {
        return run;
    }

    /** Makes a run of one payload. */
    long create(final long payload) {
        final long block = MlpBlockClasses.allocate(blocks, MlpBlockClasses.of(HEADER_BYTES + Long.BYTES));
        slab.putLong(entryOffset(block, 0), payload);
        slab.putLongRelease(block, header(CHUNK, MlpBlockClasses.of(HEADER_BYTES + Long.BYTES), 1));
        return block;
    }

    /** Makes a run of two payloads in the order of their keys. */
    long create(final long payload0, final long payload1) {
        final long block = create(payload0);
        slab.putLong(entryOffset(block, 1), payload1);
        slab.putLongRelease(block, runs.header(block) + 1);
        return block;
    }

    /** Retires a run of one chunk that no leaf leads to any more. */
    void retire(final long block) {
        blocks.retire(block, sizeClass(runs.header(block)));
    }

    /** Retires what the last change replaced. Called when no reader can find it any more. */
    void finish() {
        while (unlinkedCount > 0) {
            retire(unlinked[--unlinkedCount]);
        }
    }

    /** Notes a block to be retired by {@link #finish}. */
    void unlink(final long block) {
        unlinked[unlinkedCount++] = block;
    }

    /**
     * Adds a key or, if {@code replaces} says so, replaces its payload; returns the earlier payload, or {@link PointIndex#NONE}.
     */
    long put(
        final long into, final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        final long before = find(into, key, offset, length);
        if (before != PointIndex.NONE) {
            if (replaces) {
                slab.putLongRelease(entryOffset(position.chunk, position.index), payload);
            }
            return before;
        }
        final long header = runs.header(position.chunk);
        if (position.count < capacity(sizeClass(header))) {
            insert(position.chunk, position.index, payload);
        } else if (MlpBlockClasses.bytes(sizeClass(header)) < chunkBytes()) {
            final long larger = copy(position.chunk, 0, position.count, sizeClass(header) + 1);
            insert(larger, position.index, payload);
            replaceChunk(larger);
        } else {
            split(payload);
        }
        return PointIndex.NONE;
    }

    private long chunkBytes() {
        return position.chunks < MANY_CHUNKS ? CHUNK_BYTES : LARGE_CHUNK_BYTES;
    }

    private void insert(final long block, final int index, final long entry) {
        replace(block, index, 0, 1, entry, 0);
    }

    private void removeEntry(final long block, final int index) {
        replace(block, index, 1, 0, 0, 0);
    }

    /** Replaces some entries of a block by the first {@code added} of two others, under the version of the block. */
    private void replace(
        final long block, final int index, final int removed, final int added, final long entry0, final long entry1) {
        final long header = runs.header(block);
        final int shift = added - removed;
        final int behind = count(header) - index - removed;
        runs.beginChange(block);
        for (int i = 0; i < behind; i++) {
            // Those that go to the right do so from the last one on.
            final int from = shift < 0 ? index + removed + i : count(header) - 1 - i;
            slab.putLong(entryOffset(block, from + shift), slab.getLong(entryOffset(block, from)));
        }
        if (added > 0) {
            slab.putLong(entryOffset(block, index), entry0);
        }
        if (added > 1) {
            slab.putLong(entryOffset(block, index + 1), entry1);
        }
        slab.putLongRelease(block, header + shift);
        runs.endChange(block);
    }

    private long copy(final long block, final int from, final int to, final int sizeClass) {
        return copyInto(MlpBlockClasses.allocate(blocks, sizeClass), block, from, to, sizeClass);
    }

    private long copyInto(final long target, final long block, final int from, final int to, final int sizeClass) {
        for (int i = from; i < to; i++) {
            slab.putLong(entryOffset(target, i - from), slab.getLong(entryOffset(block, i)));
        }
        slab.putLongRelease(target, header(kind(runs.header(block)), sizeClass, to - from));
        return target;
    }

    /** Replaces the chunk where the search ended by a copy. */
    private void replaceChunk(final long chunk) {
        if (position.directory == 0) {
            run = chunk;
        } else {
            slab.putLongRelease(entryOffset(position.directory, position.chunkNumber), chunk);
        }
        unlink(position.chunk);
    }

    /** Replaces the chunk where the search ended by two halves. */
    private void split(final long payload) {
        final int sizeClass = sizeClass(runs.header(position.chunk));
        // For ascending keys the left half stays full.
        final boolean last = position.index == position.count && position.chunkNumber == position.chunks - 1;
        final int middle = last ? position.count - 1 : position.count >>> 1;
        final long left = copy(position.chunk, 0, middle, sizeClass);
        final long right = blocks.tryAllocate(sizeClass);
        if (right == 0) {
            blocks.free(left, sizeClass);
            throw noBlock(sizeClass);
        }
        copyInto(right, position.chunk, middle, position.count, sizeClass);
        final long directory = directoryFor(left, right, sizeClass);
        if (position.index <= middle) {
            insert(left, position.index, payload);
        } else {
            insert(right, position.index - middle, payload);
        }
        if (directory == position.directory) {
            replace(directory, position.chunkNumber, 1, 2, left, right);
        } else {
            fillDirectory(directory, left, right);
            run = directory;
        }
        unlink(position.chunk);
    }

    /** Returns the directory if it has room for one more chunk, else a larger block; frees the halves if there is none. */
    private long directoryFor(final long left, final long right, final int sizeClass) {
        if (position.directory != 0 && position.chunks < capacity(sizeClass(runs.header(position.directory)))) {
            return position.directory;
        }
        final int directoryClass = MlpBlockClasses.of(HEADER_BYTES + (position.chunks + 1L) * Long.BYTES);
        final long block =
            MlpBlockClasses.bytes(directoryClass) > MlpBlockClasses.largest() ? 0 : blocks.tryAllocate(directoryClass);
        if (block == 0) {
            blocks.free(left, sizeClass);
            blocks.free(right, sizeClass);
            throw noBlock(directoryClass);
        }
        slab.putLong(block, header(DIRECTORY, directoryClass, 0));
        return block;
    }

    private SpaceExhaustedException noBlock(final int sizeClass) {
        return new SpaceExhaustedException(
            "no block of " + MlpBlockClasses.bytes(sizeClass) + " bytes for a run of " + position.chunks
                + " chunks of keys that share eight bytes: " + blocks.bytesReserved() + " bytes are taken, blocks have at most "
                + MlpBlockClasses.largest());
    }

    private void fillDirectory(final long directory, final long left, final long right) {
        int to = 0;
        for (int i = 0; i < position.chunks; i++) {
            if (i == position.chunkNumber) {
                slab.putLong(entryOffset(directory, to++), left);
                slab.putLong(entryOffset(directory, to++), right);
            } else {
                slab.putLong(entryOffset(directory, to++), slab.getLong(entryOffset(position.directory, i)));
            }
        }
        slab.putLongRelease(directory, runs.header(directory) + to);
        if (position.directory != 0) {
            unlink(position.directory);
        }
    }

    /** Finds a key; returns its payload, or {@link PointIndex#NONE}. */
    long find(final long in, final byte[] key, final int offset, final int length) {
        run = in;
        runs.search(in, key, offset, length, position);
        return position.equal ? position.payload : PointIndex.NONE;
    }

    /** Returns whether the run in which {@link #find} found a key is one chunk of so many keys. */
    boolean hasOnly(final int keys) {
        return position.directory == 0 && position.count == keys;
    }

    /** Returns the other payload of a run of one chunk of two keys. */
    long other() {
        return runs.entry(position.chunk, 1 - position.index);
    }

    /** Removes the key that {@link #find} found, not the last one of the run. */
    void removeFound() {
        if (position.directory == 0 || position.count > 1) {
            removeEntry(position.chunk, position.index);
            if (position.directory != 0) {
                if (!merge(position.chunkNumber)) {
                    merge(position.chunkNumber - 1);
                }
            }
        } else {
            removeEntry(position.directory, position.chunkNumber);
            unlink(position.chunk);
        }
        if (position.directory != 0 && count(runs.header(position.directory)) == 1) {
            run = runs.entry(position.directory, 0);
            unlink(position.directory);
        }
    }

    /** Merges a chunk with the next one if both are sparse. */
    private boolean merge(final int number) {
        if (number < 0 || number + 1 >= position.chunks) {
            return false;
        }
        final long chunk = runs.entry(position.directory, number);
        final long next = runs.entry(position.directory, number + 1);
        final int sizeClass = sizeClass(runs.header(next));
        final int count = count(runs.header(chunk));
        final int nextCount = count(runs.header(next));
        if (count + nextCount > capacity(sizeClass) >>> 1) {
            return false;
        }
        final long merged = blocks.tryAllocate(sizeClass);
        if (merged == 0) {
            return false;
        }
        copyInto(merged, chunk, 0, count, sizeClass);
        for (int i = 0; i < nextCount; i++) {
            slab.putLong(entryOffset(merged, count + i), runs.entry(next, i));
        }
        slab.putLongRelease(merged, header(CHUNK, sizeClass, count + nextCount));
        replace(position.directory, number, 2, 1, merged, 0);
        unlink(chunk);
        unlink(next);
        return true;
    }
}
