/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.Slab;

/**
 * Replaces payloads of present keys, by one CAS and without a lock.
 * <h2>Thread safety</h2>
 * Any number of writers inside guards. They wait for a payload that is frozen because its key moves.
 */
final class PayloadUpdater {
    /** Stands for any payload. */
    static final long ANY = -1;

    private final RegionReader reader;
    private final Slab slab;

    PayloadUpdater(final RegionReader reader) {
        this.reader = reader;
        this.slab = reader.slab();
    }

    /**
     * Replaces a payload if a first look into the region by the directory, under the same guard, finds it. Returns the earlier
     * payload, or NONE: the key may be absent, or elsewhere.
     */
    long replaceLikely(
        final long region, final long hash, final byte[] key, final int offset, final int length, final long payload) {
        final long slot = reader.likelySlot(region, hash);
        if (slot != NULL) {
            final long word = slab.getLongAcquire(slot);
            // A payload belongs to one key for good: if it is still there, so is its key.
            if (word > PAYLOAD_MASK && reader.keys().compareKey(payload(word), key, offset, length) == 0
                && slab.compareAndSetLong(slot, word, payload | PRESENT)) {
                return payload(word);
            }
        }
        return PointIndex.NONE;
    }

    /** Replaces a payload that only one key can have, if a first look finds it; returns whether it did. */
    boolean replaceOwn(final long hash, final long expected, final long payload) {
        // cocuckoo-concurrency.md, claim 6
        final long slot = reader.likelySlot(reader.directory().region(hash), hash);
        return slot != NULL && slab.compareAndSetLong(slot, expected | PRESENT, payload | PRESENT);
    }

    /**
     * Replaces a payload if it is as expected. Returns the payload found, which was replaced if it is the expected one, or NONE
     * if the key is absent.
     */
    long replace(
        final long hash, final byte[] key, final int offset, final int length, final long expected, final long payload) {
        for (int times = 0;; times++) {
            long slot = times == 0 ? reader.likelySlot(reader.directory().region(hash), hash) : NULL;
            if (slot == NULL) {
                slot = reader.searchSlot(hash, key, offset, length);
                if (slot == NULL) {
                    return PointIndex.NONE;
                }
            }
            final long word = slab.getLongAcquire(slot);
            if (isPresent(word) && reader.keys().compareKey(payload(word), key, offset, length) == 0) {
                final long before = payload(word);
                if (expected != ANY && before != expected) {
                    return before;
                }
                if ((word & MOVING) == 0 && slab.compareAndSetLong(slot, word, payload | PRESENT)) {
                    return before;
                }
            }
            Backoff.pause(times, reader.failure());
        }
    }
}
