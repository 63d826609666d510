/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.HashBuckets.slotOffset;
import static io.nestling.skiplist.NodeHashLayout.*;
import static io.nestling.skiplist.SkipListNodeLayout.LOW_UNITS;
import static io.nestling.skiplist.SkipListNodeLayout.NULL;
import static io.nestling.skiplist.SkipListNodeLayout.UNIT_BYTES;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All nodes of a list by the hashes of their keys, in buckets of a cache line. A lookup reads a line here, the node and its
 * record. The list is authoritative: where this table cannot answer ({@link #UNKNOWN}), the list is searched.
 * <p>
 * A hash is stretched over any number of buckets. The table grows in place by three sixteenths, bucket by bucket from the last
 * one down: hashes from some bucket on lead by the new number already, those below it by the old one. One in eight of the writers
 * that meet a crowded bucket moves eight buckets. What does not fit a bucket goes to cells among the nodes.
 * <h2>Thread safety</h2>
 * Readers write nothing and wait for nothing: an unchanged header proves that no writer changed the bucket meanwhile. Readers are
 * inside guards. Writers lock a header for the link that takes a node into the list and some stores, so that an unlocked
 * bucket has exactly those of its nodes that are in the list (skip-list-concurrency.md, claims 12 to 17).
 * <h2>Invariants</h2>
 * <ol>
 * <li>The nodes of a bucket that is not locked are linked on level 0, or dead.
 * <li>Each live node has one slot, in the bucket that its hash leads to, unless that bucket is INCOMPLETE.
 * </ol>
 * <p> Longer than 450 lines: lookups and writers keep one protocol of buckets, while the table grows.
 */
final class NodeHash implements AutoCloseable {
    /** In place of a payload: only the list can tell. */
    static final long UNKNOWN = PointIndex.NONE - 1;
    /** Greatest number of buckets: with more, tags would be too short. */
    static final int MAX_BUCKETS = 1 << HASH_BITS - 2;
    /** Greatest size of the buckets. */
    static final long MAX_BYTES = (long) MAX_BUCKETS << BUCKET_SHIFT;
    private static final int FIRST_BUCKETS = LoweredLimit.of("skiplist.hashBuckets", 256, 16);
    /** Taken slots from which another node makes a bucket crowded. */
    private static final int FULL = LoweredLimit.of("skiplist.bucketNodes", 14, 2);
    /** Below so many entries a bucket the table does not grow, however crowded some are. */
    private static final int MIN_LOAD = LoweredLimit.of("skiplist.bucketLoad", 9, 1);
    /** Puts to pass before memory for growth is asked for again. */
    private static final int PUTS_TO_RETRY = 1 << 10;
    /** Buckets moved in one step, so that other processors reload the state less often; of the first buckets, one. */
    private static final int MOVED_AT_ONCE = 8;
    private static final int SINGLE = 64;
    private static final int TAG_BITS_SHIFT = 5;
    private static final int TAG_BITS_MASK = (1 << TAG_BITS_SHIFT) - 1;
    private static final long NO_TABLE = -1;

    private final GrowingSlab growing;
    private final Slab slab;
    private final Slab nodeSlab;
    private final NodeArena arena;
    private final HashBuckets lines;
    /* Number of buckets in the upper half; in the lower half the first bucket whose nodes were moved to the larger number. */
    private volatile long state;
    private final PaddedCounters entryCount;
    private final WriteFailure failure;
    private final AtomicInteger mover = new AtomicInteger();
    /* Used by the mover: contents of a bucket, and puts to pass after a lack of memory. */
    private final int[] entries = new int[HashBuckets.MAX_ENTRIES];
    private int putsToRetry;

    /**
     * Makes an empty table of up to {@code maxBytes} bytes, 0 for none. Cells come from the arena, in the slab of the nodes. No
     * one waits for the lock of a write that ended halfway, which {@code failure} shows.
     */
    NodeHash(
        final SlabAllocator allocator, final MemoryBudget budget, final NodeArena arena, final PaddedCounters entryCount,
        final long maxBytes, final WriteFailure failure) {
        this.failure = failure;
        this.entryCount = entryCount;
        this.arena = arena;
        this.nodeSlab = arena.slab();
        this.growing = reserve(allocator, budget, maxBytes);
        this.slab = growing == null ? null : growing.slab();
        if (growing == null) {
            this.lines = null;
            return;
        }
        try {
            this.lines = new HashBuckets(slab, arena);
            if (growing.growTo(bucketOffset(FIRST_BUCKETS))) {
                this.state = state(FIRST_BUCKETS, FIRST_BUCKETS);
            }
        } catch (final RuntimeException | Error e) {
            growing.close();
            throw e;
        }
    }

    /**
     * Returns address space for the buckets, or null if there is none. Without memory for buckets, all keys are searched in the
     * list.
     */
    private static GrowingSlab reserve(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        try {
            return maxBytes == 0 ? null : new GrowingSlab(allocator, budget, maxBytes);
        } catch (final SpaceExhaustedException e) {
            return null;
        }
    }

    private static long state(final int buckets, final int moved) {
        return (long) buckets << Integer.SIZE | moved;
    }

    private static int buckets(final long state) {
        return (int) (state >>> Integer.SIZE);
    }

    /** Returns the next number of buckets: larger steps leave more of them empty, smaller ones move more of them. */
    private static int grown(final int buckets) {
        return buckets + (buckets >> 3) + (buckets >> 4);
    }

    /** Returns the location of a hash: its bucket and the number of tag bits there. */
    private static long location(final long state, final int hash) {
        final int before = buckets(state);
        final int bucket = bucket(hash, before);
        if (bucket < (int) state) {
            return location(bucket, tagBits(before));
        }
        final int after = grown(before);
        return location(bucket(hash, after), tagBits(after));
    }

    /** Returns the location of a hash by the present state, or {@link #NO_TABLE}. */
    private long location(final int hash) {
        final long now = state;
        return now == 0 ? NO_TABLE : location(now, hash);
    }

    private static long location(final int bucket, final int tagBits) {
        return (long) bucket << TAG_BITS_SHIFT | tagBits;
    }

    private static long line(final long location) {
        return location >>> TAG_BITS_SHIFT << BUCKET_SHIFT;
    }

    private static int tagBitsOf(final long location) {
        return (int) location & TAG_BITS_MASK;
    }

    // ---- reading ----

    /** Prefetches the bucket of a hash. */
    void prefetch(final long hash) {
        final long location = location(prefix(hash));
        if (location != NO_TABLE) {
            slab.prefetch(line(location));
        }
    }

    /** Adds the bucket of a hash to the lines to prefetch. */
    void addTo(final PrefetchVector lines, final long hash) {
        final long location = location(prefix(hash));
        if (location != NO_TABLE) {
            lines.add(slab, line(location));
        }
    }

    /**
     * Finds the node of a key, alive; returns {@link PointIndex#NONE} if the key is absent, or {@link #UNKNOWN}. Without nodes,
     * it answers for {@link #candidate}.
     */
    long find(final Nodes nodes, final byte[] key, final int offset, final int length, final long hash) {
        // skip-list-concurrency.md, claim 13
        final int prefix = prefix(hash);
        final long location = location(prefix);
        if (location == NO_TABLE) {
            return UNKNOWN;
        }
        final long line = line(location);
        final int header = slab.getIntAcquire(line);
        if ((header & LOCKED) != 0) {
            return UNKNOWN;
        }
        final int tag = tag(prefix, location);
        for (int matches = matches(line, header, tag, tagBitsOf(location)); matches != 0; matches &= matches - 1) {
            final int node =
                slab.getInt(slotOffset(line, Integer.numberOfTrailingZeros(matches))) >>> tagBitsOf(location);
            if (!isUnchanged(line, header, prefix, location)) {
                return UNKNOWN;
            }
            if (nodes == null || nodes.payloadOf(node, key, offset, length) >= 0) {
                return node;
            }
        }
        if ((header & SPILLED) != 0) {
            if (nodes == null) {
                return UNKNOWN;
            }
            int cell = slab.getInt(slotOffset(line, LAST_SLOT));
            for (int at = 0; at < HashBuckets.MAX_CELLS && isCell(cell); at++) {
                for (int slot = 1; slot <= CELL_SLOTS; slot++) {
                    final int content = nodeSlab.getInt(slotOffset(SkipListNodeLayout.offset(cell), slot));
                    if (content == 0 || (content & (1 << tagBitsOf(location)) - 1) != tag) {
                        continue;
                    }
                    if (!isUnchanged(line, header, prefix, location)) {
                        return UNKNOWN;
                    }
                    if (nodes.payloadOf(content >>> tagBitsOf(location), key, offset, length) >= 0) {
                        return content >>> tagBitsOf(location);
                    }
                }
                cell = nodeSlab.getInt(SkipListNodeLayout.offset(cell));
            }
        }
        return (header & INCOMPLETE) == 0 && isUnchanged(line, header, prefix, location) ? PointIndex.NONE : UNKNOWN;
    }

    /** Looks a key up; returns its payload, {@link PointIndex#NONE}, or {@link #UNKNOWN}. */
    long get(final Nodes nodes, final byte[] key, final int offset, final int length, final long hash) {
        final long node = find(nodes, key, offset, length, hash);
        // The node was alive when found: a payload gone since means that the key was absent by then.
        return node > NULL ? Math.max(nodes.payload((int) node), PointIndex.NONE) : node;
    }

    /**
     * Returns the first node of a bucket that may have the key of a hash; {@link PointIndex#NONE} if there is none; {@link
     * #UNKNOWN} if cells or the list must be read.
     */
    long candidate(final long hash) {
        return find(null, null, 0, 0, hash);
    }

    private static int tag(final int prefix, final long location) {
        return prefix & (1 << tagBitsOf(location)) - 1;
    }

    /** Returns the taken slots of a bucket with a tag: bit i for slot i. */
    private int matches(final long line, final int header, final int tag, final int tagBits) {
        final int quarter = 1 << BUCKET_SHIFT - 2;
        final int mask = (1 << tagBits) - 1;
        final int matches = slab.matchInts(line, Integer.BYTES, tag, mask)
            | slab.matchInts(line + quarter, Integer.BYTES, tag, mask) << 4
            | slab.matchInts(line + 2 * quarter, Integer.BYTES, tag, mask) << 8
            | slab.matchInts(line + 3 * quarter, Integer.BYTES, tag, mask) << 12;
        return matches & (2 << taken(header)) - 2;
    }

    /** Returns whether all reads of a bucket so far happened while no writer changed it and its hash led to it. */
    private boolean isUnchanged(final long line, final int header, final int prefix, final long location) {
        VarHandle.acquireFence();
        return slab.getInt(line) == header && location(prefix) == location;
    }

    /** Returns whether a cell that a reader found lies in the slab: it may be any number by now. */
    private boolean isCell(final int cell) {
        return cell > NULL && SkipListNodeLayout.offset(cell) <= nodeSlab.size() - LOW_UNITS * UNIT_BYTES;
    }

    // ---- writing ----

    /**
     * Locks the bucket of a hash. The caller calls {@link #add} perhaps, and {@link #unlock}, with the location that this
     * returns, unless that is {@link #NO_TABLE}.
     */
    long lock(final long hash) {
        final int prefix = prefix(hash);
        for (int pauses = 0;; pauses++) {
            final long location = location(prefix);
            if (location == NO_TABLE) {
                return NO_TABLE;
            }
            if (lines.tryLock(line(location))) {
                if (location(prefix) == location) {
                    return location;
                }
                unlock(location);
            } else {
                Backoff.pause(pauses, failure);
            }
        }
    }

    /** Releases the lock of {@link #lock} and publishes the change. */
    void unlock(final long location) {
        if (location != NO_TABLE) {
            lines.unlock(line(location));
        }
    }

    /** Adds a node to a locked bucket; returns whether the table should grow. */
    boolean add(final long location, final long hash, final int node) {
        if (location == NO_TABLE) {
            return false;
        }
        final long line = line(location);
        final int slot = slot(node, prefix(hash), tagBitsOf(location));
        int taken = FULL;
        if (slot == 0) {
            lines.markIncomplete(line);
        } else {
            taken = lines.add(line, slot);
        }
        final long now = state;
        final boolean moves = (hash >>> Integer.SIZE & MOVED_AT_ONCE - 1) == 0 || (int) now <= SINGLE;
        return moves && (taken >= FULL || isHigh(node, buckets(now)));
    }

    /** Returns whether node numbers will soon have too many bits for a number of buckets. */
    private static boolean isHigh(final int node, final int buckets) {
        final int most = -1 >>> NodeHashLayout.tagBits(Math.max(1, buckets));
        return node > most - (most >>> 2);
    }

    /** Removes a node from the bucket of its hash, if present; it may be retired afterwards. */
    void remove(final long hash, final int node) {
        final long location = lock(hash);
        try {
            final int slot = location == NO_TABLE ? 0 : slot(node, prefix(hash), tagBitsOf(location));
            if (slot != 0) {
                lines.remove(line(location), slot);
            }
        } finally {
            unlock(location);
        }
    }

    // ---- growth ----

    /** Moves some buckets to a larger table, or begins one, unless another thread does. */
    void move() {
        // skip-list-concurrency.md, claim 15
        if (mover.get() == 0 && mover.compareAndSet(0, 1)) {
            try {
                tryMove();
            } finally {
                mover.set(0);
            }
        }
    }

    private void tryMove() {
        final long now = state;
        final int before = buckets(now);
        final int after = grown(before);
        final int moved = (int) now;
        if (now == 0 || moved == before && !begin(before, after)) {
            return;
        }
        // The first buckets partly lead to each other.
        final int first = moved > SINGLE ? moved - MOVED_AT_ONCE : moved - 1;
        final int firstTarget = Math.max(moved, bucket(firstHash(first, before), after));
        final int endOfTargets = bucket(firstHash(moved, before) - 1, after) + 1;
        int lockedSources = moved;
        int lockedTargets = firstTarget;
        try {
            while (lockedSources > first && lines.tryLock(bucketOffset(lockedSources - 1))) {
                lockedSources--;
            }
            while (lockedSources == first && lockedTargets < endOfTargets && lines.tryLock(bucketOffset(lockedTargets))) {
                lockedTargets++;
            }
            if (lockedSources == first && lockedTargets >= endOfTargets) {
                moveLocked(first, moved, before, after);
            }
        } catch (final RuntimeException | Error e) {
            state = 0; // some nodes may be in two buckets: the table is unusable
            throw e;
        } finally {
            while (lockedTargets > firstTarget) {
                lines.unlock(bucketOffset(--lockedTargets));
            }
            while (lockedSources < moved) {
                lines.unlock(bucketOffset(lockedSources++));
            }
        }
    }

    /** Returns whether a larger table is useful and has memory. */
    private boolean begin(final int before, final int after) {
        if (entryCount.sum(0) < (long) before * MIN_LOAD && !isHigh(arena.endOfUnits(), before)) {
            return false;
        }
        if (putsToRetry > 0) {
            putsToRetry--;
            return false;
        }
        if (after > MAX_BUCKETS || !growing.growTo(bucketOffset(after))) {
            putsToRetry = PUTS_TO_RETRY;
            return false;
        }
        return true;
    }

    /** Moves the contents of locked buckets to locked targets; some may stay in the first bucket when it moves alone. */
    private void moveLocked(final int first, final int end, final int before, final int after) {
        int staying = 0;
        for (int bucket = first; bucket < end; bucket++) {
            staying = copy(bucket, before, after);
        }
        // Until the end of this change readers meet locks, by the new number and by the old one.
        state = first == 0 ? state(after, after) : state(before, first);
        for (int bucket = first; bucket < end; bucket++) {
            lines.clear(bucketOffset(bucket), bucket(firstHash(bucket, before), after) == bucket);
        }
        for (int i = 0; i < staying; i++) {
            lines.add(bucketOffset(first), entries[i]);
        }
        final int next = Math.max(0, first - MOVED_AT_ONCE);
        for (int bucket = next; bucket < first; bucket++) {
            slab.prefetch(bucketOffset(bucket));
            slab.prefetch(bucketOffset(bucket(firstHash(bucket, before), after)));
        }
    }

    /** Copies a bucket's contents to their new buckets; keeps those that stay in {@link #entries} and returns their number. */
    private int copy(final int bucket, final int before, final int after) {
        final long source = bucketOffset(bucket);
        final int count = lines.gather(source, entries);
        final int first = firstHash(bucket, before);
        final int tagBits = tagBits(after);
        final int shift = tagBits(before);
        int staying = 0;
        for (int i = 0; i < count; i++) {
            final int hash = NodeHashLayout.hash(entries[i], first, shift);
            final int target = bucket(hash, after);
            final int content = slot(entries[i] >>> shift, hash, tagBits);
            if (target == bucket) {
                entries[staying++] = content;
            } else {
                lines.add(bucketOffset(target), content);
            }
        }
        if ((header(bucket) & INCOMPLETE) != 0) {
            final int last = bucket(firstHash(bucket + 1, before) - 1, after);
            for (int target = bucket(first, after); target <= last; target++) {
                lines.markIncomplete(bucketOffset(target));
            }
        }
        return staying;
    }

    // ---- figures and checks, without writers ----

    /** Returns the number of buckets in use. */
    int buckets() {
        final long now = state;
        return (int) now == buckets(now) ? buckets(now) : grown(buckets(now));
    }

    /** Returns the number of bytes of the buckets in use; cells count as nodes. */
    long bytes() {
        return bucketOffset(buckets());
    }

    /** Returns whether the bucket of a hash has a node. */
    boolean has(final long hash, final int node) {
        final int prefix = prefix(hash);
        final long location = location(prefix);
        if (location == NO_TABLE) {
            return false;
        }
        final int content = slot(node, prefix, tagBitsOf(location));
        final int count = lines.gather(line(location), entries);
        for (int i = 0; i < count; i++) {
            if (entries[i] == content && content != 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the bucket of a hash may lack nodes. */
    boolean isIncomplete(final long hash) {
        final long location = location(prefix(hash));
        return location == NO_TABLE || (slab.getInt(line(location)) & INCOMPLETE) != 0;
    }

    /** Returns the numbers of the cells of a bucket. */
    int[] cells(final int bucket) {
        return lines.cells(bucketOffset(bucket));
    }

    /** Returns the number of slots of a bucket and of its cells that are taken. */
    int slotsTaken(final int bucket) {
        return lines.gather(bucketOffset(bucket), entries);
    }

    /** Returns the header of a bucket. */
    int header(final int bucket) {
        return slab.getInt(bucketOffset(bucket));
    }

    @Override
    public void close() {
        state = 0;
        if (growing != null) {
            growing.close();
        }
    }
}
