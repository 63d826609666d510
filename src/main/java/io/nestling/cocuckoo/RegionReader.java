/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;

/**
 * Finds keys. A key stands in one of the two buckets of its hash, seldom in the region's stash. Mostly, both buckets are read at
 * once, then the record of the only match, or, if nothing matches, what proves that the key is absent. Else the key is searched
 * again.
 * <h2>Thread safety</h2>
 * Any number of readers and writers, all inside guards. A key moves by a copy, a count of the move and the removal of the
 * original, in this order, so that a reader that meets neither meets another count.
 */
final class RegionReader {
    private static final long NOT_FOUND = PointIndex.NONE;

    private final RegionDirectory directory;
    private final Slab slab;
    private final KeySource keys;
    private final WriteFailure failure;

    RegionReader(final RegionDirectory directory, final Slab slab, final KeySource keys, final WriteFailure failure) {
        this.failure = failure;
        this.directory = directory;
        this.slab = slab;
        this.keys = keys;
    }

    /** Returns where a write records the error that ended it halfway; no one waits for such a write. */
    WriteFailure failure() {
        return failure;
    }

    Slab slab() {
        return slab;
    }

    KeySource keys() {
        return keys;
    }

    RegionDirectory directory() {
        return directory;
    }

    /** Returns the payload of a key, or {@link PointIndex#NONE}. */
    long get(final long hash, final byte[] key, final int offset, final int length) {
        final long moves = MoveCounts.of(slab, hash);
        final long region = directory.region(hash);
        final long slot = likelySlot(region, hash);
        final long payload = slot == NULL ? NOT_FOUND : payloadAt(slot, key, offset, length);
        return payload != NOT_FOUND || slot == NULL && isWithoutStash(region) && isConclusive(region, hash, moves)
            ? payload : search(hash, key, offset, length);
    }

    /** Returns the payload of a key if the first look at the directory's region finds it, else {@link PointIndex#NONE}. */
    long getLikely(final long region, final long hash, final byte[] key, final int offset, final int length) {
        final long slot = likelySlot(region, hash);
        return slot == NULL ? NOT_FOUND : payloadAt(slot, key, offset, length);
    }

    /** Returns the payload in a slot if it belongs to a key, else {@link PointIndex#NONE}: the tag may be older or newer. */
    long payloadAt(final long slot, final byte[] key, final int offset, final int length) {
        final long word = slab.getLongAcquire(slot);
        return isPresent(word) && keys.compareKey(payload(word), key, offset, length) == 0 ? payload(word) : NOT_FOUND;
    }

    /**
     * Returns whether a key that was not seen in a region was absent: the region takes its hash, and the count of its moves is
     * the same as it was when it was read first.
     */
    private boolean isConclusive(final long region, final long hash, final long moves) {
        VarHandle.acquireFence(); // the tags were read before
        return covers(base(region), hash) && MoveCounts.of(slab, hash) == moves;
    }

    private boolean isWithoutStash(final long region) {
        return Stash.first(slab, base(region)) == NULL;
    }

    /**
     * Returns a slot with a tag, or {@link RegionLayout#NULL}, by plain reads of both buckets at once; the result must be
     * checked.
     */
    long likelySlot(final long region, final long tag) {
        // Most regions are of the last class, whose number of buckets is a constant.
        return sizeClass(region) == LAST_CLASS
            ? likelySlot(region, tag, MAX_BUCKETS) : likelySlot(region, tag, bucketsOf(region));
    }

    private long likelySlot(final long region, final long tag, final int buckets) {
        final long base = base(region);
        final int primary = primary(tag, buckets);
        return likelySlot(tag, bucketOffset(base, primary), bucketOffset(base, secondary(tag, buckets, primary)));
    }

    long likelySlot(final long tag, final long bucket0, final long bucket1) {
        final int matches = slab.matchSlots(bucket0, tag, 0) | slab.matchSlots(bucket1, tag, 0) << SLOTS_PER_BUCKET;
        if (matches == 0) {
            return NULL;
        }
        final int first = Integer.numberOfTrailingZeros(matches);
        // No branch: the bucket is unpredictable.
        return bucket0 + (bucket1 - bucket0 & -(long) (first >>> LINE_SHIFT - SLOT_SHIFT))
            + ((long) (first & SLOTS_PER_BUCKET - 1) << SLOT_SHIFT);
    }

    /** Looks a key up conclusively. */
    long search(final long hash, final byte[] key, final int offset, final int length) {
        for (int times = 0;; times++) {
            final long slot = searchSlot(hash, key, offset, length);
            if (slot == NULL) {
                return NOT_FOUND;
            }
            final long payload = payloadAt(slot, key, offset, length);
            if (payload != NOT_FOUND) {
                return payload;
            }
            Backoff.pause(times, failure);
        }
    }

    /** Returns the slot where a key was found, or {@link RegionLayout#NULL} if it is absent. */
    long searchSlot(final long hash, final byte[] key, final int offset, final int length) {
        for (int times = 0;; times++) {
            final long moves = MoveCounts.of(slab, hash);
            final long region = directory.region(hash);
            final long slot = isAbsent(region, hash) ? NULL : slotOf(region, hash, key, offset, length);
            if (slot != NULL || isConclusive(region, hash, moves)) {
                return slot;
            }
            Backoff.pause(times, failure);
        }
    }

    /** Returns whether a region covers a hash: one that was split meanwhile may not. */
    boolean covers(final long base, final long hash) {
        final int depth = slab.getInt(base + DEPTH_OFFSET);
        return ((int) hash & (1 << depth) - 1) == slab.getInt(base + PATTERN_OFFSET);
    }

    /**
     * Returns whether no key with a tag is in a region, conclusive if its subgraph is locked, or if no key of its hash moves
     * meanwhile; false if unclear.
     */
    boolean isAbsent(final long region, final long tag) {
        return likelySlot(region, tag) == NULL && isWithoutStash(region);
    }

    /** Returns the slot of a key in a region, or {@link RegionLayout#NULL}, conclusive if the key's subgraph is locked. */
    long slotOf(final long region, final long tag, final byte[] key, final int offset, final int length) {
        final int buckets = bucketsOf(region);
        final long base = base(region);
        final int primary = primary(tag, buckets);
        long slot = slotIn(bucketOffset(base, primary), SLOTS_PER_BUCKET, tag, key, offset, length);
        if (slot == NULL) {
            final int secondary = secondary(tag, buckets, primary);
            slot = slotIn(bucketOffset(base, secondary), SLOTS_PER_BUCKET, tag, key, offset, length);
        }
        if (slot == NULL) {
            long block = Stash.first(slab, base);
            while (block != NULL && slot == NULL) {
                slot = slotIn(Stash.slots(block), Stash.SLOTS, tag, key, offset, length);
                block = slab.getLong(block);
            }
        }
        return slot;
    }

    private long slotIn(
        final long from, final int count, final long tag, final byte[] key, final int offset, final int length) {
        for (long slot = from; slot < from + ((long) count << SLOT_SHIFT); slot += SLOT_BYTES) {
            final long word = slab.getLongAcquire(slot);
            if (isPresent(word) && slab.getLong(slot + TAG_OFFSET) == tag
                && keys.compareKey(payload(word), key, offset, length) == 0) {
                return slot;
            }
        }
        return NULL;
    }
}
