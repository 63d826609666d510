/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/**
 * Ordered index for keys of eight bytes: a trie of fan-out 256 with compressed paths, whose nodes stand in a
 * cuckoo hash table under the prefixes that lead to them.
 * <p>
 * The location of a leaf follows from the key and the leaf's level, and nearly all leaves are at two or three levels. A lookup
 * reads the four buckets of two levels at once, then those of the third, and mostly costs one round trip to memory. A leaf has
 * its whole key and the payload. Keys of other lengths stand by their first eight bytes; those that share them form a sorted run,
 * found as fast and searched by reading records. About 31 bytes a key for random keys, up to 40 for keys with many small nodes.
 * <h2>Thread safety</h2>
 * As {@link PointIndex}: one writer, lock-free readers inside guards, which retry when the writer changed what they read.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link MlpVerifier}.
 * <h2>Pedigree</h2>
 * H. Xu: Efficient Data Structures via Memory Level Parallelism, MIT 2019, section 4. What is different here:
 * docs/design/mlpindex.md.
 */
public final class MlpIndex implements OrderedIndex, IndexInspection {
    private static final int CELLS_PER_ENTRY = 2;
    private static final long LINE_BYTES = 64;
    private static final int LINE_CLASS = 1;

    private final GrowingSlab growing;
    private final BlockAllocator blocks;
    private final BucketWriter writer;
    private final FlatLevels flat;
    private final Lookup lookup;
    private final LeafWriter leafWriter;
    private final MlpInserter inserter;
    private final MlpRemover remover;
    private final WriteFailure failure;
    private volatile long entryCount;
    private volatile boolean closed;

    /** Makes an empty index; the context needs no source of keys if all have eight bytes. Throws if it has no memory left. */
    public MlpIndex(final IndexContext context) {
        this(context, KeyHash.secret());
    }

    /** Makes an empty index with a given hash. */
    MlpIndex(final IndexContext context, final KeyHash keyHash) {
        final SlabAllocator allocator = context.allocator();
        final long maxBytes = context.maxBytes();
        failure = context.failure();
        // A quarter is left for bitmaps and runs.
        growing = new GrowingSlab(allocator, context.budget(), slabBytes(allocator, maxBytes - maxBytes / 4));
        BlockAllocator made = null;
        try {
            made = new BlockAllocator(allocator, context.budget(), context.epochs(),
                slabBytes(allocator, maxBytes / 4), MlpBlockClasses.all());
            writer = new BucketWriter(growing, keyHash, failure);
        } catch (final RuntimeException | Error e) {
            if (made != null) {
                made.close();
            }
            growing.close();
            throw e;
        }
        blocks = made;
        flat = new FlatLevels(blocks);
        final LeafReader leaves = new LeafReader(new Runs(blocks.slab(), context.keys(), failure), context.keys());
        lookup = new Lookup(writer.table(), flat, leaves);
        leafWriter = new LeafWriter(leaves, blocks);
        remover = new MlpRemover(writer, flat, leafWriter);
        inserter = new MlpInserter(writer, flat, leafWriter, remover);
    }

    private static long slabBytes(final SlabAllocator allocator, final long wanted) {
        final long slabs = Math.max(1, (wanted + MemoryBudget.SLAB_BYTES - 1) / MemoryBudget.SLAB_BYTES);
        return Math.min(slabs * MemoryBudget.SLAB_BYTES, allocator.maxSlabBytes());
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        final long meta = lookup.findLeaf(KeyWord.of(key, offset, length));
        return meta == MlpNodeLayout.FREE ? NONE : lookup.leaves().payload(meta, key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        MlpBatchLookup.lookup(lookup, keys, payloads);
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, true);
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, false);
    }

    private long put(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        leafWriter.checkLength(key, offset, length);
        failure.check();
        try {
            final long before = inserter.put(key, offset, length, payload, replaces);
            if (before == NONE) {
                entryCount++;
            }
            return before;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        failure.check();
        try {
            final long before = remover.remove(key, offset, length);
            if (before != NONE) {
                entryCount--;
            }
            return before;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        failure.check();
        try {
            writer.reserve((long) entries * CELLS_PER_ENTRY);
            final long bytes = entries == 0 ? 0 : flat.bytesFor(entries) + leafWriter.bytesFor(entries);
            blocks.reserve((bytes + LINE_BYTES - 1) / LINE_BYTES, LINE_CLASS);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new MlpCursor(lookup, this::checkOpen);
    }

    @Override
    public long entryCount() {
        return entryCount;
    }

    @Override
    public long bytesUsed() {
        return writer.bytesUsed() + blocks.bytesUsed();
    }

    @Override
    public void verify() {
        checkOpen();
        new MlpVerifier(this).verify();
    }

    /** Writes the trie as text, one line for each node in key order. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        new MlpDumper(this).dump(out);
    }

    @Override
    public Map<String, Object> figures() {
        checkOpen();
        return MlpStatistics.of(this).figures();
    }

    Lookup lookup() {
        return lookup;
    }

    BucketWriter writer() {
        return writer;
    }

    BlockAllocator blocks() {
        return blocks;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        growing.close();
        blocks.close();
    }
}
