/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.Claim;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.ScratchPool;
import io.nestling.memory.Slab;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.WriteFailure;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ordered index for many writers: a skip list in off-heap memory, keys in records, with a cursor that fetches what lies ahead.
 * <p>
 * Some 34 to 37 bytes a key, up to 40 while the directory is renewed. {@code get} and
 * {@code getAll} go by a hash of all keys, a few dependent misses at any number of them. What needs the order (a put of a new
 * key, a cursor's seek) costs some three to five at ten million keys: a directory of the nodes leads near the key, and
 * eight bytes of the key in each node, chosen to tell it from its neighbours, save reading records on the way. Keys that are put
 * in ascending order by a thread are found from the one before.
 * <p>
 * Limits: 16 GiB of nodes (2 GiB on JDK 17), which is some 600 million keys (75 million). Beyond 90 million keys the hash grows
 * no more, and what it lacks is sought by order. A removal ends the directory until enough
 * others were put; until then seeks and puts begin at the head. Removals do not make the hash smaller.
 * <h2>Thread safety</h2>
 * As {@link PointIndex} says, with any number of writers at the same time. Writers enter guards of their own. Puts, removals
 * and reads of one key are linearizable. Readers wait for nobody; a put of a new key and a removal wait for another one that
 * changes the same bucket of the hash, one of some {@code entryCount() / 12}. A reservation belongs to the list, not to a
 * thread: it is used up by whoever puts.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link SkipListVerifier}.
 * <h2>Pedigree</h2>
 * Z. Xu: Mlp-index and other data structures for memory-level parallelism, MIT 2019, section 3, for the cursor; marked links
 * after T. Harris (DISC 2001) and M. Herlihy and N. Shavit (2008). Different here:
 * <ul>
 * <li>a removed node is dead from one CAS on its payload; marks only keep others from linking behind it;
 * <li>a chunk of the key, at a place that depends on the neighbours, stands in the node;
 * <li>heights come from a hash of the key, so that they do not depend on the order of puts.
 * </ul>
 */
public final class SkipList implements OrderedIndex, ConcurrentIndex, IndexInspection {
    /** System property: levels that cursors look ahead by, 0 to switch prefetching off. */
    public static final String PREFETCH_LEVELS_PROP_NAME = "io.nestling.skiplist.prefetchLevels";
    /** Greatest number of levels that cursors look ahead by. */
    public static final int MAX_PREFETCH_LEVELS = LookAhead.MAX_LEVEL;
    private static final int DEFAULT_PREFETCH_LEVELS = Integer.getInteger(PREFETCH_LEVELS_PROP_NAME, 3);
    private static final int NO_SPACE = -2;
    /** What {@link #link} says: also whether the hash should grow. */
    static final int NOT_LINKED = 0;
    static final int LINKED_WELL = 1;
    static final int LINKED_IN_A_CROWD = 2;
    private static final AtomicInteger WRITERS = new AtomicInteger();
    /* A thread mostly gets the same one again, which so knows the key that it has put last. */
    private static final ScratchPool<Splice> SPLICES =
        new ScratchPool<>(() -> new Splice(WRITERS.getAndIncrement() & UnitRuns.LANES - 1));
    private static final int HASH_SHARE_SHIFT = 2;

    private final NodeArena arena;
    private final NodeHash hash;
    private final Slab slab;
    private final Nodes nodes;
    private final EpochReclaimer epochs;
    private final WriteFailure failure;
    private final int prefetchLevels;
    private final EntryCount entryCount = new EntryCount();
    private volatile boolean closed;

    /**
     * Makes an empty list.
     *
     * @param context source of memory and of keys
     * @throws io.nestling.memory.SpaceExhaustedException if the context has no memory left
     */
    public SkipList(final IndexContext context) {
        this(context, DEFAULT_PREFETCH_LEVELS);
    }

    /**
     * Makes an empty list whose cursors look ahead by a number of levels (the paper's K, section 3.1).
     *
     * @param context source of memory and of keys
     * @param prefetchLevels 1 to {@link #MAX_PREFETCH_LEVELS}, or 0 for cursors that fetch nothing ahead
     * @throws io.nestling.memory.SpaceExhaustedException if the context has no memory left
     */
    public SkipList(final IndexContext context, final int prefetchLevels) {
        this(context, prefetchLevels, KeyHash.secret());
    }

    /** Makes an empty list with a given hash. */
    SkipList(final IndexContext context, final int prefetchLevels, final KeyHash keyHash) {
        if (prefetchLevels < 0 || prefetchLevels > MAX_PREFETCH_LEVELS) {
            throw new IllegalArgumentException(
                "prefetch levels " + prefetchLevels + " are outside 0 to " + MAX_PREFETCH_LEVELS);
        }
        final long bytes =
            Math.min(Math.min(context.maxBytes(), MAX_BYTES), context.allocator().maxSlabBytes());
        final long hashBytes = hashBytes(context, bytes);
        // Address space costs nothing where it is not taken at once.
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

    /** Most bytes of the hash of a list that may have so many; 0 if there is no room for one. */
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

    /** Looks up a key that the hash cannot tell of. */
    private long getByOrder(final byte[] key, final int offset, final int length) {
        final Splice splice = SPLICES.take();
        try {
            final int node = splice.find(nodes, key, offset, length);
            // A node that died since it was found shows that the key was absent then.
            return node == NULL ? NONE : Math.max(nodes.payload(node), NONE);
        } finally {
            splice.release();
        }
    }

    /** {@inheritDoc} That is what the hash has, and nodes next to the keys, which their puts read. */
    @Override
    public void prefetchAll(final KeyBatch keys) {
        checkOpen();
        final Splice splice = SPLICES.take();
        final Claim guard = epochs.guard();
        try {
            for (int i = 0; i < keys.size(); i++) {
                hash.prefetch(nodes.hashOf(keys.array(i), keys.offset(i), keys.length(i)));
            }
            splice.approachAll(nodes, keys);
        } finally {
            guard.held = Claim.FREE;
            splice.release();
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

    /** {@inheritDoc} This is the line of the hash that the key belongs to. */
    @Override
    public void prefetch(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        hash.prefetch(nodes.hashOf(key, offset, length));
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(key, offset, length, payload);
        return put(key, offset, length, payload, false);
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(key, offset, length, payload);
        return put(key, offset, length, payload, true);
    }

    private void checkEntry(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
    }

    private long put(final byte[] key, final int offset, final int length, final long payload, final boolean onlyIfAbsent) {
        final Splice splice = SPLICES.take();
        try {
            return put(splice, key, offset, length, payload, onlyIfAbsent);
        } finally {
            splice.forgetApproach(); // also where a key could not be read: the splice's next key is another one
            splice.release();
        }
    }

    private long put(
        final Splice splice, final byte[] key, final int offset, final int length, final long payload,
        final boolean onlyIfAbsent) {
        while (true) {
            final Claim guard = epochs.guard();
            try {
                final long before = tryPut(splice, key, offset, length, payload, onlyIfAbsent);
                if (before != NO_SPACE) {
                    return before;
                }
            } catch (final Error e) {
                failure.cause = e;
                throw e;
            } finally {
                guard.held = Claim.FREE;
            }
            if (!arena.reclaim() && !nodes.directories().drop()) {
                throw arena.exhausted(1);
            }
        }
    }

    /** Puts under the caller's guard; {@link #NO_SPACE} if that has to be found first. */
    long tryPut(
        final Splice splice, final byte[] key, final int offset, final int length, final long payload,
        final boolean onlyIfAbsent) {
        final long hashed = nodes.hashOf(key, offset, length);
        hash.prefetch(hashed);
        splice.approach(nodes, key, offset, length);
        final long there = update(key, offset, length, hashed, payload, onlyIfAbsent);
        if (there >= 0) {
            return there;
        }
        int node = NULL;
        int height = NodeLayout.height(hashed);
        boolean isLinked = false;
        final long epoch = epochs.epoch();
        try {
            while (true) {
                final int found = splice.locateNear(nodes, epoch, key, offset, length, height);
                if (found != NULL) {
                    final long before = onlyIfAbsent ? nodes.payload(found) : nodes.replacePayload(found, payload);
                    if (before >= 0) {
                        return before;
                    }
                    continue;
                }
                if (node == NULL) {
                    final int sought = height;
                    node = height > SMALL_HEIGHT ? arena.allocateTall(units(height)) : NULL;
                    if (node == NULL) {
                        height = Math.min(height, SMALL_HEIGHT);
                        node = arena.allocate(splice.lane(), units(height));
                    }
                    if (node == NULL) {
                        // What is left is of the other size.
                        height = height == 1 ? 2 : 1;
                        node = arena.allocate(splice.lane(), units(height));
                    }
                    if (node == NULL) {
                        return NO_SPACE;
                    }
                    nodes.raiseHeight(height);
                    if (height > sought) {
                        continue; // the splice says nothing of the level on top
                    }
                }
                nodes.fill(node, height, splice, key, offset, length);
                slab.putLong(offset(node) + PAYLOAD_OFFSET, payload);
                isLinked = true; // an error in link() may come after the node was linked
                final int linked = link(node, splice, hashed);
                isLinked = linked != NOT_LINKED;
                if (isLinked) {
                    entryCount.add(splice.lane(), 1);
                    if (height == 1 || tryLinkUpperLevels(node, splice, key, offset, length)) {
                        splice.passTo(node, height, length);
                        splice.keep(nodes, epoch, key, offset, length);
                    }
                    nodes.directories().onPut(height > Directory.LEVEL + 1);
                    if (linked == LINKED_IN_A_CROWD) {
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

    /** Links a new node on level 0 and enters it in the hash; {@link #NOT_LINKED} if the splice is no longer right. */
    int link(final int node, final Splice splice, final long hashed) {
        final long place = hash.lock(hashed);
        try {
            final int added = hash.add(place, hashed, node);
            if (nodes.compareAndSetLink(splice.before(0), 0, splice.behind(0), node)) {
                return (added & NodeHash.CROWDED) != 0 ? LINKED_IN_A_CROWD : LINKED_WELL;
            }
            hash.takeBack(place, hashed, node, added);
            return NOT_LINKED;
        } finally {
            hash.unlock(place);
        }
    }

    @Override
    public boolean replace(
        final byte[] key, final int offset, final int length, final long expected, final long payload) {
        checkEntry(key, offset, length, payload);
        final Claim guard = epochs.guard();
        try {
            final long node = hash.find(nodes, key, offset, length, nodes.hashOf(key, offset, length));
            final int found = node == NodeHash.UNKNOWN ? locate(key, offset, length) : (int) Math.max(node, NULL);
            // The node was alive during the search. If the CAS fails, it has another payload or was removed by then.
            return found != NULL && expected >= 0 && nodes.compareAndSetPayload(found, expected, payload);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private int locate(final byte[] key, final int offset, final int length) {
        final Splice splice = SPLICES.take();
        try {
            return splice.locate(nodes, key, offset, length, 0);
        } finally {
            splice.release();
        }
    }

    /** Replaces the payload of a key that the hash has, or reads it; negative if it has none. */
    private long update(
        final byte[] key, final int offset, final int length, final long hashed, final long payload, final boolean onlyIfAbsent) {
        final long node = hash.find(nodes, key, offset, length, hashed);
        if (node <= NULL) {
            return NONE;
        }
        return onlyIfAbsent ? nodes.payload((int) node) : nodes.replacePayload((int) node, payload);
    }

    /** As {@link #linkUpperLevels}; if a key cannot be read, the node stays off some levels. */
    private boolean tryLinkUpperLevels(
        final int node, final Splice splice, final byte[] key, final int offset, final int length) {
        try {
            return linkUpperLevels(node, 1, splice, key, offset, length);
        } catch (final RuntimeException e) {
            nodes.noteIncomplete();
            if (nodes.payload(node) >= 0) {
                finish(node, LINKED, UNLINKED); // whoever removes it from now on sees all of its links
            }
            return false;
        }
    }

    /**
     * Links a node on the levels from one on that it is not linked on yet.
     *
     * @return whether the splice still is what it was on the level below. If not, it is of different times on different levels:
     *     a bound may lie behind that of a higher level, and nobody may take one of them for the next key's.
     */
    boolean linkUpperLevels(
        final int node, final int from, final Splice splice, final byte[] key, final int offset, final int length) {
        final int height = NodeLayout.height(nodes.meta(node));
        boolean isWhole = true;
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
            } else {
                isWhole = false;
                if (splice.locateLinked(nodes, key, offset, length) != node) {
                    break; // removed meanwhile
                }
            }
        }
        if (nodes.payload(node) < 0) {
            // The remover may have passed before the last link was set.
            isWhole = false;
            unlink(splice, height, key, offset, length);
        }
        finish(node, LINKED, UNLINKED);
        return isWhole;
    }

    /** Has a search clear the dead node of a key away from all of its levels. */
    private void unlink(final Splice splice, final int height, final byte[] key, final int offset, final int length) {
        if (height > Directory.LEVEL + 1) {
            // The directory may have a new node of the same key by now, at which a search by it ends.
            splice.locateLinked(nodes, key, offset, length);
        } else {
            splice.locate(nodes, key, offset, length, height);
        }
    }

    /** Notes that writer or remover of a node is done with it; the second of them gives it back. */
    private void finish(final int node, final int flag, final int flagOfOther) {
        final int meta = nodes.addFlag(node, flag);
        if ((meta & flagOfOther) != 0) {
            arena.retire(node, units(NodeLayout.height(meta)));
        }
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        failure.check();
        final Splice splice = SPLICES.take();
        try {
            return remove(splice, key, offset, length);
        } finally {
            splice.release();
        }
    }

    private long remove(final Splice splice, final byte[] key, final int offset, final int length) {
        final Claim guard = epochs.guard();
        try {
            while (true) {
                final int found = splice.locate(nodes, key, offset, length, 0);
                if (found == NULL) {
                    return NONE;
                }
                final long before = nodes.payload(found);
                if (before >= 0 && nodes.compareAndSetPayload(found, before, before | DEAD)) {
                    entryCount.add(splice.lane(), -1);
                    hash.remove(nodes.hashOf(key, offset, length), found);
                    Splice.mark(nodes, found);
                    try {
                        unlink(splice, NodeLayout.height(nodes.meta(found)), key, offset, length);
                    } catch (final RuntimeException e) {
                        return before; // a key cannot be read: the node is dead, and is not used again
                    }
                    nodes.directories().drop();
                    finish(found, UNLINKED, LINKED);
                    return before;
                }
            }
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        failure.check();
        try {
            promise(entries);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private void promise(final int entries) {
        try {
            arena.promise(entries);
        } catch (final SpaceExhaustedException e) {
            if (!nodes.directories().drop()) {
                throw e;
            }
            arena.promise(entries);
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new PrefetchingCursor(this, nodes, prefetchLevels);
    }

    @Override
    public long entryCount() {
        return entryCount.sum();
    }

    @Override
    public long bytesUsed() {
        return arena.bytesUsed() + nodes.directories().bytes() + hash.bytes();
    }

    @Override
    public void verify() {
        checkOpen();
        new SkipListVerifier(nodes, arena, hash, entryCount.sum()).verify();
    }

    /** Writes the nodes as text, one a line in key order. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        SkipListDumper.dump(nodes, out);
    }

    @Override
    public Map<String, Object> figures() {
        checkOpen();
        return new SkipListFigures(nodes).figures(entryCount.sum(), arena, hash);
    }

    Nodes nodes() {
        return nodes;
    }

    NodeHash hash() {
        return hash;
    }

    NodeArena arena() {
        return arena;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the skip list is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        nodes.directories().drop();
        try {
            hash.close();
        } finally {
            arena.close();
        }
    }
}
