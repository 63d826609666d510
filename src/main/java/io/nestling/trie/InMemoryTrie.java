/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.PaddedAtomicLong;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabBytes;
import io.nestling.offheap.WriteFailure;
import io.nestling.trie.view.Trie;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/**
 * Ordered index that spells whole keys as paths of byte transitions through nodes in 32-byte blocks.
 * <p> A lookup takes one step a node; with ten million random 8-byte keys two to three dependent misses. Removal frees the path
 * and narrows the nodes left; replaced blocks are recycled.
 * <h2>Thread safety</h2>
 * As {@link PointIndex}: one writer, lock-free readers inside guards.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link TrieVerifier}.
 * <h2>Pedigree</h2>
 * B. Lambov: Trie Memtables in Cassandra, PVLDB 15(12), 2022, section 5. Different here:
 * <ul>
 * <li>leaves hold the payload in the pointer, without a content array;
 * <li>chains of up to 11 transitions take half a block;
 * <li>nodes of 7 to 24 children are broad: two adjacent lines instead of head, mid and tail blocks;
 * <li>split nodes with many children become flat, which saves two dependent misses;
 * <li>node type and block number share a pointer so that 8 GiB can be addressed, where the JDK can map them;
 * <li>keys can be removed, nodes shrink, blocks are recycled;
 * <li>no recursion: one release store in the slot of the changed node publishes each change.
 * </ul>
 */
public final class InMemoryTrie implements OrderedIndex, IndexInspection {
    static final int[] BLOCK_CLASSES = {HALF_BYTES, BLOCK_BYTES, BROAD_BYTES, FLAT_BYTES};

    final BlockAllocator blocks;
    private final Slab slab;
    final TrieNodes nodes;
    private final TrieInserter inserter;
    private final TrieRemover remover;
    private final WriteFailure failure;
    private final PaddedAtomicLong entryCount = new PaddedAtomicLong(0);
    private volatile boolean closed;

    /** Makes an empty trie; throws if the context has no memory left. */
    public InMemoryTrie(final IndexContext context) {
        final long bytes = Math.min(Math.min(context.maxBytes(), MAX_BYTES),
            context.allocator().maxSlabBytes());
        this.blocks =
            new BlockAllocator(context.allocator(), context.budget(), context.epochs(), bytes, BLOCK_CLASSES);
        this.slab = blocks.slab();
        this.failure = context.failure();
        this.nodes = new TrieNodes(slab);
        final TrieNodeWriter writer = new TrieNodeWriter(nodes, blocks);
        this.inserter = new TrieInserter(nodes, writer, blocks);
        this.remover = new TrieRemover(nodes, writer, blocks);
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        final int end = offset + length;
        int position = offset;
        int node = slab.getIntAcquire(ROOT_OFFSET);
        while (node > TrieBlockLayout.NONE && position < end) {
            final int type = type(node);
            if (type == SPARSE) {
                final long base = offset(node);
                final long meta = slab.getLongAcquire(base + SparseNodeLayout.META_OFFSET);
                final int index = SparseNodeLayout.indexOf(meta, key[position++] & 0xFF);
                if (index < 0) {
                    return NONE;
                }
                node = slab.getIntAcquire(base + ((long) index << POINTER_SHIFT));
            } else if (type == FLAT) {
                node = slab.getIntAcquire(offset(node) + SplitNodeLayout.flatSlot(key[position++] & 0xFF));
            } else if (nodes.isChainLike(node)) {
                final long start = nodes.chainStart(node);
                final long childSlot = nodes.chainChildSlot(node);
                final int chainLength = (int) (childSlot - start);
                if (chainLength > end - position
                    || SlabBytes.commonPrefix(slab, start, key, position, chainLength) != chainLength) {
                    return NONE;
                }
                position += chainLength;
                node = slab.getIntAcquire(childSlot);
            } else if (nodes.isStandalonePrefix(node)) {
                node = slab.getIntAcquire(nodes.chainChildSlot(node));
            } else {
                node = nodes.child(node, key[position++] & 0xFF);
            }
        }
        return position == end ? nodes.payloadAt(node) : NONE;
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        TrieBatchLookup.lookup(nodes, keys, payloads);
    }

    /** {@inheritDoc} These are the nodes on the keys' paths. */
    @Override
    public void prefetchAll(final KeyBatch keys) {
        checkOpen();
        try {
            TrieBatchLookup.lookup(nodes, keys, null);
        } catch (final OutOfMemoryError e) {
            return; // the puts go without it
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, true);
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, false);
    }

    private long put(
        final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
        try {
            final long before = inserter.put(key, offset, length, payload, replaces);
            if (before == NONE) {
                entryCount.setRelease(entryCount.get() + 1);
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
                entryCount.setRelease(entryCount.get() - 1);
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
            blocks.reserve(TrieInserter.blocksFor(entries, keyBytes, entryCount.get()), BLOCK_CLASS);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new TrieEntryCursor(nodes);
    }

    @Override
    public long entryCount() {
        return entryCount.get();
    }

    @Override
    public long bytesUsed() {
        return blocks.bytesUsed();
    }

    @Override
    public void verify() {
        checkOpen();
        new TrieVerifier(nodes, blocks, entryCount.get()).verify();
    }

    /**
     * Returns a view of this trie by nodes and transitions, for merges, slices and intersections, good until the trie is closed.
     * It shows what the trie holds when a cursor is made. Beside a writer, a cursor is made and used within one guard.
     */
    public Trie trie() {
        checkOpen();
        return direction -> {
            checkOpen();
            return new InMemoryTrieCursor(nodes, direction);
        };
    }

    /** Writes the nodes as text, one a line in key order, each below its parent. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        new TrieDumper(nodes).dump(out);
    }

    @Override
    public Map<String, Object> figures() {
        return statistics().figures();
    }

    /** Counts nodes and their bytes. Reads the whole trie; no writer may work meanwhile. */
    TrieStatistics statistics() {
        checkOpen();
        return TrieStatistics.of(nodes);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the trie is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        blocks.close();
    }
}
