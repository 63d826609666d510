/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.HashBuckets.cellOffset;
import static io.nestling.skiplist.HashBuckets.slotOffset;
import static io.nestling.skiplist.NodeHashLayout.*;
import static io.nestling.skiplist.NodeLayout.LOW_UNITS;
import static io.nestling.skiplist.NodeLayout.NULL;
import static io.nestling.skiplist.NodeLayout.UNIT_BYTES;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.PointIndex;
import io.nestling.memory.Backoff;
import io.nestling.memory.GrowingSlab;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All nodes of a list by the hashes of their keys, in buckets of a cache line: a lookup takes a line here, the node and its
 * record. The list is what counts: where this table cannot answer ({@link #UNKNOWN}), the key is sought there.
 * <p>
 * A hash is stretched over the buckets, so that their number may be any. The table grows by three sixteenths, bucket by bucket
 * from the last one down, in place: the hashes from some bucket on are stretched over the new number already, those below it
 * still over the old one. One in eight of the
 * writers that meet crowded buckets moves eight. What does not fit a bucket goes to cells among the nodes.
 * <h2>Thread safety</h2>
 * Readers write nothing and wait for nothing: the header of a bucket tells whether what was read of it was read while nobody
 * changed it. Writers take a lock in the header for some stores and for the link by which a node comes into the list, so that a
 * bucket that is not locked has all nodes that are in the list and only such. Readers are under guards
 * (skip-list-concurrency.md, claims 15 to 20).
 * <h2>Invariants</h2>
 * <ol>
 * <li>The nodes of a bucket that is not locked are linked on level 0, or dead.
 * <li>Each live node has one slot, in the bucket that its hash leads to, unless that bucket is LOST.
 * </ol>
 */
final class NodeHash implements AutoCloseable {
    /** In place of a payload: the list has to be asked. */
    static final long UNKNOWN = PointIndex.NONE - 1;
    /** Most buckets: with more, tags would be too short to be of use. */
    static final int MAX_BUCKETS = 1 << HASH_BITS - 2;
    /** Bytes of so many. */
    static final long MAX_BYTES = (long) MAX_BUCKETS << BUCKET_SHIFT;
    /** What {@link #add} tells. */
    static final int CROWDED = 1;
    static final int FIRST_LOST = 2;
    private static final int FIRST_BUCKETS = LoweredLimit.of("skiplist.hashBuckets", 256, 16);
    /** Nodes that a bucket has when one more makes it crowded, for which others are moved. */
    private static final int FULL = LoweredLimit.of("skiplist.bucketNodes", 14, 2);
    /** Fewer entries a bucket than these, and the table grows no more, however crowded some are. */
    private static final int MIN_LOAD = LoweredLimit.of("skiplist.bucketLoad", 9, 1);
    /** Puts that find no memory for growth before it is asked for once more. */
    private static final int PATIENCE = 1 << 10;
    /** Buckets that are moved at once, so that other processors have to read the state anew only so often; of the first, one. */
    private static final int MOVED_AT_ONCE = 8;
    private static final int SINGLE = 64;
    private static final int TAG_BITS_SHIFT = 5;
    private static final int TAG_BITS_MASK = (1 << TAG_BITS_SHIFT) - 1;
    private static final long NOWHERE = -1;

    private final GrowingSlab growing;
    private final Slab slab;
    private final Slab nodeSlab;
    private final NodeArena arena;
    private final HashBuckets lines;
    /* Buckets in the upper half; in the lower half the first one whose nodes were moved to where a larger number leads. */
    private volatile long state;
    private final EntryCount entryCount;
    private final WriteFailure failure;
    private final AtomicInteger mover = new AtomicInteger();
    /* Of the mover: what it takes from a bucket, and moves that were not tried since there was no memory. */
    private final int[] entries = new int[HashBuckets.MAX_ENTRIES];
    private int patience;

    /**
     * Makes an empty table.
     *
     * @param arena where cells come from; its slab is that of the nodes
     * @param entryCount number of the list's entries
     * @param maxBytes size of the table's slab, 0 for none
     * @param failure says whether a write ended half-way, whose lock nobody waits for
     */
    NodeHash(
        final SlabAllocator allocator, final MemoryBudget budget, final NodeArena arena, final EntryCount entryCount,
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

    /** Address space; null if there is none. Without memory there are no buckets, and all keys are sought in the list. */
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

    /** The next number of buckets: larger steps leave more of them empty, smaller ones move more of them. */
    private static int grown(final int buckets) {
        return buckets + (buckets >> 3) + (buckets >> 4);
    }

    /** The bucket of a hash and the bits of its tags. */
    private static long place(final long state, final int hash) {
        final int before = buckets(state);
        final int bucket = bucket(hash, before);
        if (bucket < (int) state) {
            return place(bucket, tagBits(before));
        }
        final int after = grown(before);
        return place(bucket(hash, after), tagBits(after));
    }

    /** The same by the present state; {@link #NOWHERE} if there is no table. */
    private long place(final int hash) {
        final long now = state;
        return now == 0 ? NOWHERE : place(now, hash);
    }

    private static long place(final int bucket, final int tagBits) {
        return (long) bucket << TAG_BITS_SHIFT | tagBits;
    }

    private static long line(final long place) {
        return place >>> TAG_BITS_SHIFT << BUCKET_SHIFT;
    }

    private static int tagBitsOf(final long place) {
        return (int) place & TAG_BITS_MASK;
    }

    // ---- reading ----

    /** Requests the bucket of a hash. */
    void prefetch(final long hash) {
        final long place = place(prefix(hash));
        if (place != NOWHERE) {
            slab.prefetch(line(place));
        }
    }

    /** Has the bucket of a hash requested. */
    void addTo(final PrefetchVector lines, final long hash) {
        final long place = place(prefix(hash));
        if (place != NOWHERE) {
            lines.add(slab, line(place));
        }
    }

    /**
     * Finds the node of a key.
     *
     * @return the node, which was found alive; {@link PointIndex#NONE} if the key is absent; or {@link #UNKNOWN}
     */
    long find(final Nodes nodes, final byte[] key, final int offset, final int length, final long hash) {
        final int prefix = prefix(hash);
        final long place = place(prefix);
        if (place == NOWHERE) {
            return UNKNOWN;
        }
        final long line = line(place);
        final int header = slab.getIntAcquire(line);
        if ((header & LOCKED) != 0) {
            return UNKNOWN;
        }
        final int tag = tag(prefix, place);
        for (int matches = matches(line, header, tag, tagBitsOf(place)); matches != 0; matches &= matches - 1) {
            final int node =
                slab.getInt(slotOffset(line, Integer.numberOfTrailingZeros(matches))) >>> tagBitsOf(place);
            if (!isUnchanged(line, header, prefix, place)) {
                return UNKNOWN;
            }
            if (nodes.payloadOf(node, key, offset, length) >= 0) {
                return node;
            }
        }
        if ((header & SPILLED) != 0) {
            int cell = slab.getInt(slotOffset(line, LAST_SLOT));
            for (int at = 0; at < HashBuckets.MAX_CELLS && isCell(cell); at++) {
                for (int slot = 1; slot <= CELL_SLOTS; slot++) {
                    final int content = nodeSlab.getInt(slotOffset(cellOffset(cell), slot));
                    if (content == 0 || (content & (1 << tagBitsOf(place)) - 1) != tag) {
                        continue;
                    }
                    if (!isUnchanged(line, header, prefix, place)) {
                        return UNKNOWN;
                    }
                    if (nodes.payloadOf(content >>> tagBitsOf(place), key, offset, length) >= 0) {
                        return content >>> tagBitsOf(place);
                    }
                }
                cell = nodeSlab.getInt(cellOffset(cell));
            }
        }
        return (header & LOST) == 0 && isUnchanged(line, header, prefix, place) ? PointIndex.NONE : UNKNOWN;
    }

    /**
     * Looks a key up.
     *
     * @return its payload, {@link PointIndex#NONE}, or {@link #UNKNOWN}
     */
    long get(final Nodes nodes, final byte[] key, final int offset, final int length, final long hash) {
        final long node = find(nodes, key, offset, length, hash);
        // A node that died since it was found shows that the key was absent then.
        return node > NULL ? Math.max(nodes.payload((int) node), PointIndex.NONE) : node;
    }

    /**
     * The first node of a bucket that may have a key of a hash.
     *
     * @return the node; {@link PointIndex#NONE} if there is none; {@link #UNKNOWN} if cells or the list have to be read
     */
    long candidate(final long hash) {
        final int prefix = prefix(hash);
        final long place = place(prefix);
        if (place == NOWHERE) {
            return UNKNOWN;
        }
        final long line = line(place);
        final int header = slab.getIntAcquire(line);
        if ((header & LOCKED) != 0) {
            return UNKNOWN;
        }
        final int matches = matches(line, header, tag(prefix, place), tagBitsOf(place));
        final int node = matches == 0 ? NULL
            : slab.getInt(slotOffset(line, Integer.numberOfTrailingZeros(matches))) >>> tagBitsOf(place);
        if (!isUnchanged(line, header, prefix, place)) {
            return UNKNOWN;
        }
        if (matches != 0) {
            return node;
        }
        return (header & (SPILLED | LOST)) == 0 ? PointIndex.NONE : UNKNOWN;
    }

    private static int tag(final int prefix, final long place) {
        return prefix & (1 << tagBitsOf(place)) - 1;
    }

    /** Which of the slots of a bucket that are taken have a tag: bit i for slot i. */
    private int matches(final long line, final int header, final int tag, final int tagBits) {
        final int quarter = 1 << BUCKET_SHIFT - 2;
        final int mask = (1 << tagBits) - 1;
        final int matches = slab.matchInts(line, Integer.BYTES, tag, mask)
            | slab.matchInts(line + quarter, Integer.BYTES, tag, mask) << 4
            | slab.matchInts(line + 2 * quarter, Integer.BYTES, tag, mask) << 8
            | slab.matchInts(line + 3 * quarter, Integer.BYTES, tag, mask) << 12;
        return matches & (2 << taken(header)) - 2;
    }

    /** Whether all that was read of a bucket by now was read while no writer changed it and hashes led to it. */
    private boolean isUnchanged(final long line, final int header, final int prefix, final long place) {
        VarHandle.acquireFence();
        return slab.getInt(line) == header && place(prefix) == place;
    }

    /** What a reader takes for a cell may be anything by now: it must lie in the slab at least. */
    private boolean isCell(final int cell) {
        return cell > NULL && cellOffset(cell) <= nodeSlab.size() - LOW_UNITS * UNIT_BYTES;
    }

    // ---- writing ----

    /**
     * Locks the bucket of a hash. The caller changes it by {@link #add} or {@link #remove} and calls {@link #unlock}.
     *
     * @return to be passed on to these
     */
    long lock(final long hash) {
        final int prefix = prefix(hash);
        for (int pauses = 0;; pauses++) {
            final long place = place(prefix);
            if (place == NOWHERE) {
                return NOWHERE;
            }
            if (lines.tryLock(line(place))) {
                if (place(prefix) == place) {
                    return place;
                }
                unlock(place);
            } else {
                Backoff.pause(pauses, failure);
            }
        }
    }

    /** Ends a change. */
    void unlock(final long place) {
        if (place != NOWHERE) {
            lines.unlock(line(place));
        }
    }

    /**
     * Adds a node to a locked bucket.
     *
     * @return {@link #CROWDED} if others should be moved afterwards, {@link #FIRST_LOST} if the node is in no slot and
     *     none of the bucket's was so before
     */
    int add(final long place, final long hash, final int node) {
        if (place == NOWHERE) {
            return 0;
        }
        final long line = line(place);
        final int lostBefore = lines.header(line) & LOST;
        final int slot = slot(node, prefix(hash), tagBitsOf(place));
        int taken = FULL;
        if (slot == 0) {
            lines.setLost(line);
        } else {
            taken = lines.add(line, slot);
        }
        final long now = state;
        final boolean crowded = taken >= FULL || isHigh(node, buckets(now));
        final boolean moves = (hash >>> Integer.SIZE & MOVED_AT_ONCE - 1) == 0 || (int) now <= SINGLE;
        return (crowded && moves ? CROWDED : 0)
            | ((lines.header(line) & LOST) != lostBefore ? FIRST_LOST : 0);
    }

    /** Takes a node out of a locked bucket that was just added, and of which nobody knows. */
    void takeBack(final long place, final long hash, final int node, final int added) {
        remove(place, hash, node);
        if ((added & FIRST_LOST) != 0) {
            lines.setFound(line(place));
        }
    }

    /** Whether numbers of nodes will soon have too many bits for a number of buckets. */
    private static boolean isHigh(final int node, final int buckets) {
        final int most = -1 >>> NodeHashLayout.tagBits(Math.max(1, buckets));
        return node > most - (most >>> 2);
    }

    /** Takes a node out of a locked bucket, if it is there. */
    void remove(final long place, final long hash, final int node) {
        final int slot = place == NOWHERE ? 0 : slot(node, prefix(hash), tagBitsOf(place));
        if (slot != 0) {
            lines.remove(line(place), slot);
        }
    }

    /** Takes a node out of the bucket of its hash, after which it may be retired. */
    void remove(final long hash, final int node) {
        final long place = lock(hash);
        try {
            remove(place, hash, node);
        } finally {
            unlock(place);
        }
    }

    // ---- growth ----

    /** Moves some buckets to where they belong in a larger table, or begins with such a table, if nobody else does. */
    void move() {
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
        // Of the first buckets, some lead to each other.
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
            state = 0; // some nodes may be in two buckets: no more of this table
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

    /** Whether there is memory for a larger table, and it is wanted. */
    private boolean begin(final int before, final int after) {
        if (entryCount.sum() < (long) before * MIN_LOAD && !isHigh(arena.endOfUnits(), before)) {
            return false;
        }
        if (patience > 0) {
            patience--;
            return false;
        }
        if (after > MAX_BUCKETS || !growing.growTo(bucketOffset(after))) {
            patience = PATIENCE;
            return false;
        }
        return true;
    }

    /** Moves what some locked buckets have to locked targets; some may stay in the first bucket, if it is the only one. */
    private void moveLocked(final int first, final int end, final int before, final int after) {
        int staying = 0;
        for (int bucket = first; bucket < end; bucket++) {
            staying = copy(bucket, before, after);
        }
        // Readers that come by the new number meet locks until all of this is done; so do those that come by the old one.
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

    /** Adds what a bucket has to where the new number leads; notes what stays where it is, and returns how many. */
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
        if ((lines.header(source) & LOST) != 0) {
            final int last = bucket(firstHash(bucket + 1, before) - 1, after);
            for (int target = bucket(first, after); target <= last; target++) {
                lines.setLost(bucketOffset(target));
            }
        }
        return staying;
    }

    // ---- figures and checks, with all writers kept out ----

    /** Buckets in use. */
    int buckets() {
        final long now = state;
        return (int) now == buckets(now) ? buckets(now) : grown(buckets(now));
    }

    /** Bytes of the buckets in use; cells count as nodes. */
    long bytes() {
        return bucketOffset(buckets());
    }

    /** Whether the bucket that a hash leads to has a node. */
    boolean has(final long hash, final int node) {
        final int prefix = prefix(hash);
        final long place = place(prefix);
        if (place == NOWHERE) {
            return false;
        }
        final int content = slot(node, prefix, tagBitsOf(place));
        final int count = lines.gather(line(place), entries);
        for (int i = 0; i < count; i++) {
            if (entries[i] == content && content != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether the bucket that a hash leads to may lack nodes. */
    boolean isLost(final long hash) {
        final long place = place(prefix(hash));
        return place == NOWHERE || (slab.getInt(line(place)) & LOST) != 0;
    }

    /** Numbers of the cells of a bucket. */
    int[] cells(final int bucket) {
        return lines.cells(bucketOffset(bucket));
    }

    /** Slots of a bucket and of its cells that are taken. */
    int slotsTaken(final int bucket) {
        return lines.gather(bucketOffset(bucket), entries);
    }

    /** Header of a bucket. */
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
