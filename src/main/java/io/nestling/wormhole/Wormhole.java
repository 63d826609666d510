/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ordered index that reaches leaves of up to 88 entries through a hash table of the prefixes of their anchors. Keys of up to
 * 65,535 bytes are read from records ({@link io.nestling.offheap.KeySource}).
 * <p> A lookup probes O(log L) buckets for a key of L bytes, then reads a node, one line of a leaf and the record. About 17 bytes
 * a key on random keys.
 * <h2>Thread safety</h2>
 * As {@link PointIndex}: one writer, lock-free readers inside guards. No reader writes shared memory. A lookup of a present key
 * never waits for the writer; a miss in a leaf that is being split or merged, and a cursor on the way to such a leaf, wait until
 * that is done.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers.
 * <ol>
 * <li>Leaves form a doubly linked list, from the first one, which never dies, to the last one; none is dead or half written. An
 * unindexed leaf follows one that is marked as chained.</li>
 * <li>Ordering condition: anchors ascend strictly, the first one is empty, and a leaf's keys are at or above its anchor and below
 * the next one.</li>
 * <li>Prefix condition: none. An anchor may be a prefix of others; then the node of that prefix is terminal (9).</li>
 * <li>A leaf's count and taken slots are right, and no leaf is empty but an only one.</li>
 * <li>List order: a leaf's order has its entries in key order, each once.</li>
 * <li>Tag order: an entry has the tag of its key and stands in the home line of that tag, or behind lines marked as
 * overflown.</li>
 * <li>All keys of a leaf share its shared length and bits, which its anchor and the next one share. Each position has the next
 * bits of its entry's key as discriminator, and these do not descend.</li>
 * <li>Each node is found in the bucket of its prefix's hash, under its tag.</li>
 * <li>Exactly the proper prefixes of indexed anchors have a node, one each. Its tokens are those that continue it, each with the
 * last leaf below, and no leaf is behind them; its floor is the leaf of the prefix if that is an anchor, else the leaf before all
 * below.</li>
 * <li>Leaves, anchors, nodes, buckets and payload blocks are exactly the memory in use.</li>
 * </ol>
 * <h2>Pedigree</h2>
 * X. Wu, F. Ni, S. Jiang: Wormhole: A Fast Ordered Index for In-memory Data Management, EuroSys 2019. Different here:
 * <ul>
 * <li>nodes lead to the leaf at once: no second probe for a sibling, no step to a neighbour, no prefix condition, and so no leaf
 * that cannot be split;
 * <li>leaves are small hash tables of lines that hold tag and payload together, so that a lookup reads one line;
 * <li>two bytes of each key stand in the leaf in key order, which a put maintains: no reader and no cursor sorts;
 * <li>one hash table that grows by linear hashing, validated by a version, instead of two that are swapped.
 * </ul>
 */
public final class Wormhole implements OrderedIndex, IndexInspection {
    /* Greatest need of a split, beside an anchor's block: a leaf and alignment. */
    private static final int SPLIT_BYTES = LEAF_BYTES + 112;

    private final BlockAllocator blocks;
    private final WriteFailure failure;
    private final Slab slab;
    final Leaves leaves;
    private final MetaNodes nodes;
    final MetaTrieHashTable table;
    private final MetaSearch search;
    private final LeafRebalancer rebalancer;
    private final LeafOrder order;
    private final WormholeLeafWalk walk;
    private final ScratchPool<WormholeBatchLookup> batches;
    private final KeyHash keyHash;
    private int longestKey;
    /* Only the writer writes it, without a fence, which would wait for all stores of a put. */
    private final AtomicLong entryCount = new AtomicLong();
    private volatile boolean closed;

    /** Makes an empty index; throws if the context has no memory left. */
    public Wormhole(final IndexContext context) {
        this(context, KeyHash.secret());
    }

    Wormhole(final IndexContext context, final KeyHash keyHash) {
        final long bytes = Math.min(context.maxBytes(), context.allocator().maxSlabBytes());
        this.blocks = new BlockAllocator(
            context.allocator(), context.budget(), context.epochs(), bytes, WormholeBlockClasses.all());
        this.keyHash = keyHash;
        this.slab = blocks.slab();
        this.failure = context.failure();
        this.leaves = new Leaves(blocks, context.keys(), failure);
        this.order = new LeafOrder(leaves);
        this.nodes = new MetaNodes(slab);
        try {
            this.table = new MetaTrieHashTable(blocks, nodes);
            this.search = new MetaSearch(table, nodes, keyHash);
            final MetaTrieWriter trie = new MetaTrieWriter(table, nodes, search, blocks, keyHash);
            this.rebalancer = new LeafRebalancer(leaves, blocks, trie);
            this.walk = new WormholeLeafWalk(leaves);
            trie.makeRoot(reference(rebalancer.makeFirst()));
        } catch (final RuntimeException | Error e) {
            blocks.close();
            throw e;
        }
        this.batches = new ScratchPool<>(() -> new WormholeBatchLookup(leaves, table, search, keyHash));
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        // wormhole-concurrency.md, claims 1 and 2
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        // Before the search, which ends with a branch that is mispredicted.
        final long hash = keyHash.hash(key, offset, length);
        final long version = slab.getLongAcquire(TableLayout.VERSION_OFFSET);
        final long place = search.find(key, offset, length);
        final int leaf = search.route(place, key, offset, length);
        final long payload = leaf == 0 ? NONE : leaves.payloadOf(offset(leaf), hash, key, offset, length);
        return payload != NONE ? payload : miss(version, place, leaf, key, offset, length);
    }

    /**
     * Settles a lookup that found nothing in the leaf to which its search led at a structure version: validates that leaf, or
     * looks into the right one, or goes along the list of leaves if a writer changes the trie.
     */
    private long miss(
        final long version, final long place, final int searched, final byte[] key, final int offset, final int length) {
        final int found = search.verifiedLeaf(place, searched, key, offset, length);
        // 0: no node leads there; begin at the first leaf.
        final long leaf = offset(found == 0 ? slab.getInt(TableLayout.FIRST_LEAF_OFFSET) : found);
        if (found != searched || found == 0) {
            final long payload = leaves.payloadOf(leaf, keyHash.hash(key, offset, length), key, offset, length);
            if (payload != NONE) {
                return payload;
            }
        }
        final boolean chained = (leaves.state(leaf) & CHAINED) != 0;
        VarHandle.acquireFence();
        final boolean unchanged = (version & 1) == 0 && slab.getLong(TableLayout.VERSION_OFFSET) == version;
        return unchanged && !chained ? NONE : walk.get(leaf, keyHash.hash(key, offset, length), key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        final WormholeBatchLookup own = batches.take();
        try {
            for (int from = 0; from < keys.size(); from += WormholeBatchLookup.GROUP) {
                final int to = Math.min(keys.size(), from + WormholeBatchLookup.GROUP);
                final long version = slab.getLongAcquire(TableLayout.VERSION_OFFSET);
                own.lookUp(keys, from, to, payloads);
                for (int i = from; i < to; i++) {
                    if (payloads[i] == NONE) {
                        payloads[i] = miss(version, own.place(i - from), own.leaf(i - from), keys.array(i), keys.offset(i),
                            keys.length(i));
                    }
                }
            }
        } finally {
            own.forget();
            own.release();
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, true);
    }

    private long put(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
        try {
            return putChecked(key, offset, length, payload, replaces);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, false);
    }

    private long putChecked(
        final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        final long hash = keyHash.hash(key, offset, length);
        final long leaf = leafOf(hash, key, offset, length);
        final int count = count(slab.getLong(leaf + STATE_OFFSET));
        final int discriminator = leaves.discriminatorOf(leaf, key, offset, length);
        final int first = LeafOrder.rank(slab, leaf, count, discriminator);
        // A key whose discriminator no other key has is absent, and its position is known.
        final boolean alone = !order.isAt(leaf, first, count, discriminator);
        final long slot = alone ? -1 : leaves.slotOf(leaf, hash, key, offset, length);
        if (slot >= 0) {
            return replaces ? replace(slot, probe(hash) | leaves.encode(payload)) : leaves.payload(slab.getLong(slot));
        }
        if (length > longestKey) {
            rebalancer.expectKeys(length);
        }
        if (count >= MAX_ENTRIES) {
            splitAndInsert(leaf, probe(hash) | leaves.encode(payload), key, offset, length);
        } else {
            // The payload's block last: nothing that may fail comes between it and its use.
            final int position = alone ? first : order.positionAmong(leaf, first, count, key, offset, length);
            insert(leaf, position, probe(hash) | leaves.encode(payload), discriminator);
        }
        longestKey = Math.max(longestKey, length);
        entryCount.setRelease(entryCount.getPlain() + 1);
        return NONE;
    }

    private long replace(final long slot, final long word) {
        final long before = slab.getLong(slot);
        final long payload = leaves.payload(before);
        slab.putLongRelease(slot, word | before & OVERFLOW);
        leaves.retire(before);
        return payload;
    }

    private void splitAndInsert(
        final long found, final long word, final byte[] key, final int offset, final int length) {
        final long leaf;
        final int discriminator;
        final int position;
        try {
            leaf = rebalancer.split(found, key, offset, length);
            discriminator = leaves.discriminatorOf(leaf, key, offset, length);
            position = order.positionFor(leaf, count(slab.getLong(leaf + STATE_OFFSET)), discriminator, key, offset, length);
        } catch (final RuntimeException | Error e) {
            leaves.discard(word);
            throw e;
        }
        insert(leaf, position, word, discriminator);
    }

    /** Inserts an entry at its position in a leaf with room. */
    private void insert(final long leaf, final int position, final long word, final int discriminator) {
        final long state = slab.getLong(leaf + STATE_OFFSET);
        final int count = count(state);
        // The state before the word: a reader that found the key waits for its position.
        slab.putLongRelease(leaf + STATE_OFFSET, state | REWRITING);
        VarHandle.releaseFence();
        order.insert(leaf, position, count, leaves.place(leaf, word), discriminator);
        slab.putLongRelease(leaf + STATE_OFFSET, withCount(nextVersion(state), count + 1));
    }

    /** Returns the leaf of a key, for the writer. */
    private long leafOf(final long hash, final byte[] key, final int offset, final int length) {
        final long place = search.find(key, offset, length);
        final int likely = search.route(place, key, offset, length);
        order.requestLikelyEntries(offset(likely));
        leaves.loadEarly(offset(likely), hash);
        final long leaf = offset(search.verifiedLeaf(place, likely, key, offset, length));
        if ((leaves.state(leaf) & CHAINED) == 0) {
            return leaf;
        }
        final long found = walk.find(leaf, key, offset, length);
        if ((leaves.state(found) & UNINDEXED) != 0) {
            rebalancer.index(found);
        }
        return found;
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        failure.check();
        try {
            return removeChecked(key, offset, length);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private long removeChecked(final byte[] key, final int offset, final int length) {
        final long hash = keyHash.hash(key, offset, length);
        final long leaf = leafOf(hash, key, offset, length);
        final long slot = leaves.slotOf(leaf, hash, key, offset, length);
        if (slot < 0) {
            return NONE;
        }
        rebalancer.prepareMerge(leaf, slotAt(leaf, slot));
        final long word = slab.getLong(slot);
        final long payload = leaves.payload(word);
        final long state = rebalancer.beginRewriting(leaf);
        leaves.clear(leaf, slot);
        order.remove(leaf, order.positionOf(leaf, slotAt(leaf, slot)), count(state));
        rebalancer.endRewriting(leaf, state, state & (CHAINED | UNINDEXED), count(state) - 1);
        leaves.retire(word);
        entryCount.setRelease(entryCount.getPlain() - 1);
        rebalancer.mergePrepared();
        return payload;
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        // Each leaf that lacks fewer than LEAST_PART keys may be split soon; all others, and parts of split ones, after as many.
        final int part = LeafRebalancer.LEAST_PART;
        final long splits =
            Math.min(entries, entryCount.getPlain() / (MAX_ENTRIES - part + 1) + (entries + part - 1) / part);
        // An anchor is a prefix of a present or future key, in a block of up to twice its length.
        final int longest = Anchor.needsBlock(longestKey) ? WormholeBlockClasses.bytes(Anchor.blockClass(longestKey)) : 0;
        final long there = splits * longest;
        final long coming = keyBytes <= ANCHOR_BYTES ? 0 : 2 * keyBytes;
        // Blocks larger than a leaf are not found in free leaves.
        final long large = (longest <= LEAF_BYTES ? 0 : there) + (keyBytes <= LEAF_BYTES ? 0 : coming);
        final long payloads = (long) entries * WormholeBlockClasses.bytes(WormholeBlockClasses.PAYLOAD);
        final long bytes = splits * SPLIT_BYTES + payloads + there + coming - large;
        failure.check();
        try {
            blocks.reserve((bytes + LEAF_BYTES - 1) / LEAF_BYTES, WormholeBlockClasses.LEAF, large);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new WormholeCursor(leaves, search, keyHash, walk);
    }

    @Override
    public long entryCount() {
        return entryCount.getAcquire();
    }

    @Override
    public long bytesUsed() {
        return blocks.bytesUsed();
    }

    @Override
    public void verify() {
        checkOpen();
        new WormholeVerifier(leaves, table, nodes, blocks, keyHash).verify(entryCount.get(), rebalancer.spareLink());
    }

    /** Writes leaves and nodes as text, one a line in key order. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        new WormholeDumper(leaves, table, nodes, keyHash).dump(out);
    }

    @Override
    public Map<String, Object> figures() {
        checkOpen();
        return new WormholeStatistics(leaves, table, nodes).figures();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        blocks.close();
    }
}
