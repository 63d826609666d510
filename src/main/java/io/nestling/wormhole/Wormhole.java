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
import io.nestling.memory.BlockAllocator;
import io.nestling.memory.ScratchPool;
import io.nestling.memory.Slab;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.WriteFailure;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ordered index that reaches leaves of up to 88 entries through a hash table of the prefixes of their anchors. Keys are
 * read from records ({@link io.nestling.memory.KeySource}); any key of up to 65,535 bytes.
 * <p> A lookup probes O(log L) buckets for a key of L bytes, several at a time, then reads a node, one line of a leaf and
 * the record. About 17 bytes a key on random keys.
 * <h2>Thread safety</h2>
 * As {@link PointIndex} says: one writer, lock-free readers under guards. No reader writes shared memory. A lookup of a key
 * that is there never waits for the writer; a miss in a leaf that is just being divided or joined, and a cursor that is to
 * show such a leaf, wait until that is done.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers.
 * <ol>
 * <li>Leaves form a list that is linked both ways, from the first one, which stays for good, to the last one; none is dead
 * or half written. An unindexed leaf follows one that is marked as chained.</li>
 * <li>Ordering condition: anchors ascend strictly, the first one is empty, and a leaf's keys are at or above its anchor and
 * below the next one.</li>
 * <li>Prefix condition: none. An anchor may be a prefix of others; the node of that prefix is marked then (9).</li>
 * <li>A leaf counts its entries and names the slots that they take right, and none is empty but the only one.</li>
 * <li>List order: the places of a leaf hold its entries in key order, each once.</li>
 * <li>Tag order: an entry has the tag of its key and lies in the home line of that tag, or behind lines that are marked as
 * overflown.</li>
 * <li>All keys of a leaf share what the leaf says they share, which is no more than its anchor and the next one have in
 * common. Each place has what follows in its entry's key, and these discriminators do not descend.</li>
 * <li>Each node is found in the bucket of its prefix's hash, under its tag.</li>
 * <li>Every proper prefix of an indexed anchor has one node and nothing else has one. Its tokens are those that continue
 * it, each with the last leaf below, and no leaf stands behind them; its floor is the leaf of the prefix if that is an
 * anchor, else the leaf before all below.</li>
 * <li>Leaves, anchors, nodes, buckets and payload blocks fill exactly the memory in use.</li>
 * </ol>
 * <h2>Pedigree</h2>
 * X. Wu, F. Ni, S. Jiang: Wormhole: A Fast Ordered Index for In-memory Data Management, EuroSys 2019. H. Xu: MlpIndex (MIT
 * 2019), section 4.2 for several probes at a time. Different here:
 * <ul>
 * <li>nodes lead to the leaf at once: no second probe for a sibling, no walk to a neighbour, no prefix condition and so no
 * leaf that cannot be divided;
 * <li>leaves are small hash tables of lines that hold tag and payload together, so that a lookup reads one line;
 * <li>two bytes of each key stand in the leaf in key order, which a put keeps: no reader and no cursor sorts;
 * <li>one hash table that grows by linear hashing, validated by a version, in place of two that are swapped.
 * </ul>
 */
public final class Wormhole implements OrderedIndex, IndexInspection {
    private static final int SEARCHES = 3;
    /* What a put may take: a leaf, and what aligning it and the block of a large payload cost. */
    private static final int PUT_BYTES = LEAF_BYTES + 128;

    private final BlockAllocator blocks;
    private final WriteFailure failure;
    private final Slab slab;
    private final Leaves leaves;
    private final MetaNodes nodes;
    private final MetaTrieHashTable table;
    private final MetaSearch search;
    private final LeafSplitter splitter;
    private final LeafPlaces places;
    private final LeafWalk walk;
    private final ScratchPool<LookupScratch> scratches;
    private final KeyHash keyHash;
    private int longestKey;
    /* Written by the writer alone, without a fence, which would wait for all stores of a put. */
    private final AtomicLong entryCount = new AtomicLong();
    private volatile boolean closed;

    /**
     * Makes an empty index.
     *
     * @param context source of memory and keys
     * @throws SpaceExhaustedException if the context has no memory left
     */
    public Wormhole(final IndexContext context) {
        this(context, KeyHash.secret());
    }

    Wormhole(final IndexContext context, final KeyHash keyHash) {
        final long bytes = Math.min(context.maxBytes(), context.allocator().maxSlabBytes());
        this.blocks = new BlockAllocator(
            context.allocator(), context.budget(), context.epochs(), bytes, BlockClasses.all());
        this.keyHash = keyHash;
        this.slab = blocks.slab();
        this.failure = context.failure();
        this.leaves = new Leaves(blocks, context.keys(), failure);
        this.places = new LeafPlaces(leaves);
        this.nodes = new MetaNodes(slab);
        try {
            this.table = new MetaTrieHashTable(blocks, nodes);
            this.search = new MetaSearch(table, nodes, keyHash);
            final MetaTrieWriter trie = new MetaTrieWriter(table, nodes, search, blocks, keyHash);
            this.splitter = new LeafSplitter(leaves, blocks, trie);
            this.walk = new LeafWalk(leaves);
            trie.makeRoot(reference(splitter.makeFirst()));
        } catch (final RuntimeException | Error e) {
            blocks.close();
            throw e;
        }
        this.scratches = new ScratchPool<>(() -> new LookupScratch(
            new MetaSearch(table, nodes, keyHash), () -> new BatchLookup(leaves, table, nodes, keyHash)));
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        final LookupScratch scratch = scratches.take();
        try {
            final MetaSearch own = scratch.search;
            final int leaf = own.search(key, offset, length);
            final long hash = own.hasher().hash();
            final long payload = leaf == 0 ? NONE : leaves.payloadOf(offset(leaf), hash, key, offset, length);
            return payload != NONE ? payload : getAgain(own, key, offset, length);
        } finally {
            scratch.search.hasher().release();
            scratch.release();
        }
    }

    /** Looks a key up that was not found at first: makes sure that it was looked for in the right place. */
    private long getAgain(final MetaSearch own, final byte[] key, final int offset, final int length) {
        own.hasher().reset(key, offset, length);
        final long hash = own.hasher().hash();
        int leaf = 0;
        for (int i = 0; i < SEARCHES; i++) {
            final long version = slab.getLongAcquire(TableLayout.VERSION_OFFSET);
            leaf = own.searchVerified(key, offset, length);
            if (leaf != 0) {
                final long state = leaves.state(offset(leaf));
                final long payload = leaves.payloadOf(offset(leaf), hash, key, offset, length);
                if (payload != NONE) {
                    return payload;
                }
                VarHandle.acquireFence();
                if ((version & 1) == 0 && slab.getLong(TableLayout.VERSION_OFFSET) == version) {
                    if ((state & CHAINED) == 0) {
                        return NONE;
                    }
                    break;
                }
            }
            Thread.onSpinWait();
        }
        final int start = leaf == 0 ? slab.getInt(TableLayout.FIRST_LEAF_OFFSET) : leaf;
        return walk.get(offset(start), hash, key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        final LookupScratch scratch = scratches.take();
        try {
            getAll(scratch, keys, payloads);
        } finally {
            scratch.search.hasher().release();
            scratch.release();
        }
    }

    private void getAll(final LookupScratch scratch, final KeyBatch keys, final long[] payloads) {
        final BatchLookup own = scratch.batch();
        for (int from = 0; from < keys.size(); from += BatchLookup.GROUP) {
            final int to = Math.min(keys.size(), from + BatchLookup.GROUP);
            own.lookUp(keys, from, to, payloads);
            for (int i = from; i < to; i++) {
                if (payloads[i] == NONE) {
                    payloads[i] = getAgain(scratch.search, keys.array(i), keys.offset(i), keys.length(i));
                }
            }
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
        try {
            return putChecked(key, offset, length, payload);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private long putChecked(final byte[] key, final int offset, final int length, final long payload) {
        final long leaf = leafOf(key, offset, length);
        final long hash = search.hasher().hash();
        final int count = count(slab.getLong(leaf + STATE_OFFSET));
        final int discriminator = leaves.discriminatorOf(leaf, key, offset, length);
        final int first = places.firstPlace(leaf, count, discriminator);
        // A key whose discriminator no other has is not there, and its place is known.
        final boolean alone = !places.isAt(leaf, first, count, discriminator);
        final long slot = alone ? -1 : leaves.slotOf(leaf, hash, key, offset, length);
        if (slot >= 0) {
            return replace(slot, probe(hash) | encode(payload));
        }
        if (count >= MAX_ENTRIES) {
            splitAndInsert(leaf, probe(hash) | encode(payload), key, offset, length);
        } else {
            // Room for the payload last: nothing that may fail comes between it and its use.
            final int place = alone ? first : places.placeAmong(leaf, first, count, key, offset, length);
            insert(leaf, place, probe(hash) | encode(payload), discriminator);
        }
        longestKey = Math.max(longestKey, length);
        entryCount.setRelease(entryCount.getPlain() + 1);
        return NONE;
    }

    private long encode(final long payload) {
        final long word = leaves.encode(payload);
        if (word != -1) {
            return word;
        }
        blocks.requireSpace(1, BlockClasses.LEAF);
        return leaves.encode(payload);
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
        final int place;
        try {
            leaf = splitter.split(found, key, offset, length);
            discriminator = leaves.discriminatorOf(leaf, key, offset, length);
            place = places.placeFor(leaf, count(slab.getLong(leaf + STATE_OFFSET)), discriminator, key, offset, length);
        } catch (final RuntimeException | Error e) {
            leaves.discard(word);
            throw e;
        }
        insert(leaf, place, word, discriminator);
    }

    /** Puts an entry at its place into a leaf that has room for it. */
    private void insert(final long leaf, final int place, final long word, final int discriminator) {
        final long state = slab.getLong(leaf + STATE_OFFSET);
        final int count = count(state);
        // The state tells of it before the word is there: who has found the key waits for its place.
        slab.putLongRelease(leaf + STATE_OFFSET, state | REWRITING);
        VarHandle.releaseFence();
        places.insert(leaf, place, count, leaves.place(leaf, word), discriminator);
        slab.putLongRelease(leaf + STATE_OFFSET, withCount(nextVersion(state), count + 1));
    }

    /** The leaf of a key, for the writer. */
    private long leafOf(final byte[] key, final int offset, final int length) {
        final int likely = search.search(key, offset, length);
        places.requestEntries(offset(likely));
        leaves.touch(offset(likely), search.hasher().hash());
        final long leaf = offset(search.verified(likely, key, offset));
        if ((leaves.state(leaf) & CHAINED) == 0) {
            return leaf;
        }
        final long found = walk.find(leaf, key, offset, length);
        if ((leaves.state(found) & UNINDEXED) != 0) {
            splitter.index(found);
            search.hasher().reset(key, offset, length);
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
        final long leaf = leafOf(key, offset, length);
        final long slot = leaves.slotOf(leaf, search.hasher().hash(), key, offset, length);
        if (slot < 0) {
            return NONE;
        }
        splitter.prepareMerge(leaf, slotAt(leaf, slot));
        final long word = slab.getLong(slot);
        final long payload = leaves.payload(word);
        final long state = splitter.beginRewriting(leaf);
        leaves.clear(leaf, slot);
        places.remove(leaf, places.placeOf(leaf, slotAt(leaf, slot)), count(state));
        splitter.endRewriting(leaf, state, state & (CHAINED | UNINDEXED), count(state) - 1);
        leaves.retire(word);
        entryCount.setRelease(entryCount.getPlain() - 1);
        splitter.mergePrepared();
        return payload;
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        // An anchor is the beginning of a key that is there or that comes, in a block of up to twice its length.
        final int longest = Anchor.needsBlock(longestKey) ? BlockClasses.bytes(Anchor.blockClass(longestKey)) : 0;
        final long there = (long) entries * longest;
        final long coming = keyBytes <= ANCHOR_BYTES ? 0 : 2 * keyBytes;
        // What may be larger than a leaf is not found in free leaves.
        final long large = (longest <= LEAF_BYTES ? 0 : there) + (keyBytes <= LEAF_BYTES ? 0 : coming);
        final long bytes = (long) entries * PUT_BYTES + there + coming - large;
        failure.check();
        try {
            blocks.reserve((bytes + LEAF_BYTES - 1) / LEAF_BYTES, BlockClasses.LEAF, large);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new WormholeCursor(leaves, new MetaSearch(table, nodes, keyHash), walk);
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
        new WormholeVerifier(leaves, table, nodes, blocks, keyHash).verify(entryCount.get(), splitter.spareLink());
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

    MetaTrieHashTable table() {
        return table;
    }

    Leaves leaves() {
        return leaves;
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
