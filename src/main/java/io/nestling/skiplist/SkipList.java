/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.Objects;

/**
 * Ordered index for many writers: a skip list in off-heap memory, keys in records, with a cursor that prefetches.
 * <p>
 * 34 to 37 bytes a key, up to 40 while the node index is renewed. {@code get} and {@code getAll} use a hash of all keys: a few
 * dependent misses at any size. Operations that need the order (a put of a new key, a cursor's seek) take three to five misses at
 * ten million keys: an index of the nodes leads near the key, and eight key bytes in each node, chosen to differ from its
 * neighbours, save reading records.
 * <p>
 * Limits: 16 GiB of nodes (2 GiB on JDK 17), about 600 million keys (75 million). Beyond 90 million keys the hash stops growing,
 * and keys that it lacks are searched by order. A removal drops the node index until enough keys were put; until then seeks and
 * puts begin at the head, and cursors fetch nothing ahead. Removals do not shrink the hash.
 * <h2>Thread safety</h2>
 * As {@link PointIndex}, with any number of concurrent writers, which enter guards of their own. Puts, removals and reads of one
 * key are linearizable. Readers never wait. A put of a new key and a removal wait for a writer that changes the same bucket of
 * the hash, one of about {@code entryCount() / 12}. A reservation belongs to the list, not to a thread: any put uses it up.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link SkipListVerifier}.
 * <h2>Pedigree</h2>
 * Z. Xu: Mlp-index and other data structures for memory-level parallelism, MIT 2019, section 3, for the cursor; marked links
 * after T. Harris (DISC 2001) and M. Herlihy and N. Shavit (2008). Different here:
 * <ul>
 * <li>one CAS on its payload makes a node dead; marks only keep others from linking behind it;
 * <li>a node holds a chunk of its key, at a position that depends on the neighbours;
 * <li>heights come from a hash of the key, so that they do not depend on the order of puts.
 * </ul>
 * <p> Longer than 450 lines: puts, removals and lookups share the protocol of links that the header states.
 */
public final class SkipList implements OrderedIndex, ConcurrentIndex, IndexInspection {
    /** System property: levels by which cursors look ahead; 0 switches prefetching off. */
    public static final String PREFETCH_LEVELS_PROP_NAME = "io.nestling.skiplist.prefetchLevels";
    /** Greatest number of levels that cursors look ahead by. */
    public static final int MAX_PREFETCH_LEVELS = LookAhead.MAX_LEVEL;
    private static final int DEFAULT_PREFETCH_LEVELS = Integer.getInteger(PREFETCH_LEVELS_PROP_NAME, 3);
    private static final int NO_SPACE = -2;
    /** Results of {@link #link}; a full bucket asks for growth of the hash. */
    static final int NOT_LINKED = 0;
    static final int LINKED_BUCKET_HAS_ROOM = 1;
    static final int LINKED_BUCKET_FULL = 2;
    /** Lanes, in which threads count entries apart; a power of two. */
    private static final int LANES = 8;
    private static final ScratchPool<Splice> SPLICES = new ScratchPool<>(Splice::new);
    private static final int HASH_SHARE_SHIFT = 2;

    final NodeArena arena;
    final NodeHash hash;
    private final Slab slab;
    final Nodes nodes;
    private final EpochReclaimer epochs;
    private final WriteFailure failure;
    private final int prefetchLevels;
    /* A row a lane; counting allocates nothing, since the entry is in the list already and its put must not fail. */
    private final PaddedCounters entryCount = new PaddedCounters(LANES);
    private volatile boolean closed;

    /** Makes an empty list; throws if the context has no memory left. */
    public SkipList(final IndexContext context) {
        this(context, DEFAULT_PREFETCH_LEVELS);
    }

    /**
     * Makes an empty list whose cursors look ahead by up to {@link #MAX_PREFETCH_LEVELS} levels (the paper's K, section 3.1);
     * with 0 they fetch nothing ahead. Throws if the context has no memory left.
     */
    public SkipList(final IndexContext context, final int prefetchLevels) {
        this(context, prefetchLevels, KeyHash.secret());
    }

    /** Makes an empty list with a given hash. */
    SkipList(final IndexContext context, final int prefetchLevels, final KeyHash keyHash) {
        if (prefetchLevels < 0 || prefetchLevels > MAX_PREFETCH_LEVELS) {
            throw new IllegalArgumentException(
                "expected 0 to " + MAX_PREFETCH_LEVELS + " prefetch levels but was " + prefetchLevels);
        }
        final long bytes =
            Math.min(Math.min(context.maxBytes(), MAX_BYTES), context.allocator().maxSlabBytes());
        final long hashBytes = hashBytes(context, bytes);
        // A lazy allocator's address space costs nothing.
        final long nodeBytes = context.allocator().lazy() ? bytes : bytes - hashBytes;
        this.arena = new NodeArena(context.allocator(), context.budget(), context.epochs(), nodeBytes);
        this.slab = arena.slab();
        this.epochs = context.epochs();
        this.failure = context.failure();
        try {
            this.nodes = new Nodes(slab, context.keys(), keyHash, context.budget(), entryCount);
            this.hash = new NodeHash(context.allocator(), context.budget(), arena, entryCount, hashBytes, failure);
        } catch (final RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        this.prefetchLevels = prefetchLevels;
        slab.putInt(offset(HEAD) + META_OFFSET, MAX_HEIGHT);
    }

    /** Returns the greatest size of the hash of a list; 0 if there is no room for one. */
    private static long hashBytes(final IndexContext context, final long bytes) {
        final long most = Math.min(bytes >> HASH_SHARE_SHIFT, NodeHash.MAX_BYTES);
        if (context.allocator().lazy()) {
            return Math.max(MemoryBudget.SLAB_BYTES, most / MemoryBudget.SLAB_BYTES * MemoryBudget.SLAB_BYTES);
        }
        return most / context.budget().step() * context.budget().step();
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        final long payload = hash.get(nodes, key, offset, length, nodes.hashOf(key, offset, length));
        return payload != NodeHash.UNKNOWN ? payload : getByOrder(key, offset, length);
    }

    /** Looks up a key for which the hash has no answer. */
    private long getByOrder(final byte[] key, final int offset, final int length) {
        final int node = findByOrder(key, offset, length);
        // The node was alive when found: a payload gone since means that the key was absent by then.
        return node == NULL ? NONE : Math.max(nodes.payload(node), NONE);
    }

    private int findByOrder(final byte[] key, final int offset, final int length) {
        final Splice splice = SPLICES.take();
        try {
            return splice.seek(nodes, key, offset, length, false);
        } finally {
            splice.giveBack();
        }
    }

    /** {@inheritDoc} These are lines of the hash. */
    @Override
    public void prefetchAll(final KeyBatch keys) {
        checkOpen();
        for (int i = 0; i < keys.size(); i++) {
            hash.prefetch(nodes.hashOf(keys.array(i), keys.offset(i), keys.length(i)));
        }
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        HashLookup.lookup(nodes, hash, keys, payloads);
        for (int i = 0; i < keys.size(); i++) {
            if (payloads[i] == NodeHash.UNKNOWN) {
                payloads[i] = getByOrder(keys.array(i), keys.offset(i), keys.length(i));
            }
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, false);
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, true);
    }

    private void checkEntry(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
    }

    private long put(final byte[] key, final int offset, final int length, final long payload, final boolean onlyIfAbsent) {
        checkEntry(key, offset, length, payload);
        final Splice splice = SPLICES.take();
        try {
            while (true) {
                final long before = tryPutGuarded(splice, key, offset, length, payload, onlyIfAbsent);
                if (before != NO_SPACE) {
                    return before;
                }
                if (!arena.reclaim() && !nodes.maintainer().drop()) {
                    throw arena.exhausted(1);
                }
            }
        } finally {
            splice.giveBack();
        }
    }

    private long tryPutGuarded(
        final Splice splice, final byte[] key, final int offset, final int length, final long payload,
        final boolean onlyIfAbsent) {
        final Claim guard = epochs.guard();
        try {
            return tryPut(splice, key, offset, length, payload, onlyIfAbsent);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /** Puts under the caller's guard; returns {@link #NO_SPACE} if memory must be freed first. */
    long tryPut(
        final Splice splice, final byte[] key, final int offset, final int length, final long payload,
        final boolean onlyIfAbsent) {
        final long hashed = nodes.hashOf(key, offset, length);
        final long hashedNode = hash.find(nodes, key, offset, length, hashed);
        if (hashedNode > NULL) {
            final long before = set((int) hashedNode, payload, onlyIfAbsent);
            if (before >= 0) {
                return before;
            }
        }
        final long epoch = epochs.epoch();
        int height = SkipListNodeLayout.height(hashed);
        int node = NULL;
        boolean isLinked = false;
        try {
            while (true) {
                final boolean isNext = height == 1 && splice.isNext(nodes, epoch, key, offset, length);
                final int found = isNext ? NULL : splice.locate(nodes, key, offset, length, height);
                if (found != NULL) {
                    final long before = set(found, payload, onlyIfAbsent);
                    if (before >= 0) {
                        return before;
                    }
                    continue;
                }
                if (node == NULL) {
                    node = arena.allocate(units(height));
                    while (node == NULL && height > 1) {
                        height = height > SMALL_HEIGHT ? SMALL_HEIGHT : 1; // fewer units may be left
                        node = arena.allocate(units(height));
                    }
                    if (node == NULL) {
                        return NO_SPACE;
                    }
                    nodes.raiseHeight(height);
                }
                nodes.fill(node, height, splice, key, offset, length);
                slab.putLong(offset(node) + PAYLOAD_OFFSET, payload);
                isLinked = true; // an error in link() may come after the node was linked
                final int linked = link(node, splice, hashed);
                isLinked = linked != NOT_LINKED;
                if (isLinked) {
                    count(1);
                    if (height > 1) {
                        tryLinkUpperLevels(node, splice, key, offset, length);
                    }
                    splice.keep(nodes, epoch, node);
                    nodes.maintainer().onPut(height > 1);
                    if (linked == LINKED_BUCKET_FULL) {
                        hash.move();
                    }
                    return NONE;
                }
            }
        } finally {
            if (node != NULL && !isLinked) {
                arena.free(node, units(height));
            }
        }
    }

    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the lanes will do
    private void count(final int entries) {
        entryCount.add((int) Thread.currentThread().getId() & LANES - 1, 0, entries);
    }

    /** Links a new node on level 0 and adds it to the hash; returns {@link #NOT_LINKED} if the splice is outdated. */
    int link(final int node, final Splice splice, final long hashed) {
        final long location = hash.lock(hashed);
        try {
            if (!nodes.compareAndSetLink(splice.before(0), 0, splice.behind(0), node)) {
                return NOT_LINKED;
            }
            return hash.add(location, hashed, node) ? LINKED_BUCKET_FULL : LINKED_BUCKET_HAS_ROOM;
        } finally {
            hash.unlock(location);
        }
    }

    @Override
    public boolean replace(
        final byte[] key, final int offset, final int length, final long expected, final long payload) {
        checkEntry(key, offset, length, payload);
        final Claim guard = epochs.guard();
        try {
            final long node = hash.find(nodes, key, offset, length, nodes.hashOf(key, offset, length));
            final int found = node == NodeHash.UNKNOWN ? findByOrder(key, offset, length) : (int) Math.max(node, NULL);
            // The node was alive during the search. If the CAS fails, its payload was replaced or its entry removed since.
            return found != NULL && expected >= 0 && nodes.compareAndSetPayload(found, expected, payload);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /** Replaces or reads a node's payload and returns the earlier one; negative if the node is dead. */
    private long set(final int node, final long payload, final boolean onlyIfAbsent) {
        long before = nodes.payload(node);
        while (!onlyIfAbsent && before >= 0 && !nodes.compareAndSetPayload(node, before, payload)) {
            before = nodes.payload(node);
        }
        return before;
    }

    /** As {@link #linkUpperLevels}; if a key cannot be read, the node stays off some levels. */
    private void tryLinkUpperLevels(
        final int node, final Splice splice, final byte[] key, final int offset, final int length) {
        try {
            linkUpperLevels(node, 1, splice, key, offset, length);
        } catch (final RuntimeException e) {
            nodes.markIncomplete();
            if (nodes.payload(node) >= 0) {
                finish(node, LINKED, UNLINKED); // a remover sees all of its links from now on
            }
        }
    }

    /** Links a node on the levels from {@code from} on. */
    void linkUpperLevels(
        final int node, final int from, final Splice splice, final byte[] key, final int offset, final int length) {
        final int height = SkipListNodeLayout.height(nodes.meta(node));
        int level = from;
        while (level < height) {
            final int link = nodes.link(node, level);
            if (link < 0) {
                break; // removed meanwhile
            }
            final int behind = splice.behind(level);
            if ((link == behind || nodes.compareAndSetLink(node, level, link, behind))
                && nodes.compareAndSetLink(splice.before(level), level, behind, node)) {
                level++;
            } else if (splice.locateLinked(nodes, key, offset, length) != node) {
                break; // removed meanwhile
            }
        }
        VarHandle.fullFence(); // this writer links and then reads the payload; a remover sets that and then reads links
        if (nodes.payload(node) < 0) {
            // The remover may have passed before the last link was set.
            splice.locateLinked(nodes, key, offset, length); // unlinks it
        }
        finish(node, LINKED, UNLINKED);
    }

    /** Marks a node as done with by its writer or remover; the second of them retires it. */
    private void finish(final int node, final int flag, final int flagOfOther) {
        // skip-list-concurrency.md, claim 5
        final int meta = nodes.addFlag(node, flag);
        if ((meta & flagOfOther) != 0) {
            arena.retire(node, units(SkipListNodeLayout.height(meta)));
        }
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        failure.check();
        final Splice splice = SPLICES.take();
        final Claim guard = epochs.guard();
        try {
            while (true) {
                final int found = splice.locate(nodes, key, offset, length, 0);
                if (found == NULL) {
                    return NONE;
                }
                final long before = nodes.payload(found);
                if (before >= 0 && nodes.compareAndSetPayload(found, before, before | DEAD)) {
                    count(-1);
                    hash.remove(nodes.hashOf(key, offset, length), found);
                    Splice.mark(nodes, found);
                    VarHandle.fullFence(); // as in linkUpperLevels
                    try {
                        splice.locateLinked(nodes, key, offset, length); // unlinks it from all levels
                    } catch (final RuntimeException e) {
                        return before; // a key cannot be read: the dead node is never reused
                    }
                    nodes.maintainer().drop();
                    finish(found, UNLINKED, LINKED);
                    return before;
                }
            }
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
            splice.giveBack();
        }
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        failure.check();
        try {
            try {
                arena.reserve(entries);
            } catch (final SpaceExhaustedException e) {
                if (!nodes.maintainer().drop()) {
                    throw e;
                }
                arena.reserve(entries);
            }
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new PrefetchingCursor(this, nodes, prefetchLevels);
    }

    @Override
    public long entryCount() {
        return entryCount.sum(0);
    }

    @Override
    public long bytesUsed() {
        return arena.bytesUsed() + nodes.maintainer().bytes() + hash.bytes();
    }

    @Override
    public void verify() {
        checkOpen();
        new SkipListVerifier(nodes, arena, hash, entryCount.sum(0)).verify();
    }

    /** Writes the nodes as text, one a line in key order. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        SkipListReport.dump(nodes, out);
    }

    @Override
    public Map<String, Object> figures() {
        checkOpen();
        return SkipListReport.figures(nodes, arena, hash);
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the skip list is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        nodes.maintainer().drop();
        try {
            hash.close();
        } finally {
            arena.close();
        }
    }
}
