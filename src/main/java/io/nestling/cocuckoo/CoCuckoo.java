/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryArguments;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/**
 * Unordered index for many writers: cuckoo hashing in which a directed pseudoforest tells in advance whether a key finds room.
 * <p>
 * 21 to 31 bytes a key, 25 on average. A lookup reads both buckets of a key at once, then its record. The table consists of
 * regions of 64 buckets. Both buckets of a key are in one region, so that a subgraph never outgrows a region and the table grows
 * by one region at a time.
 * <h2>Thread safety</h2>
 * As {@link ConcurrentIndex}. Writers enter guards of their own; most puts of new keys need none, so that closing the epochs does
 * not keep them out: the owner must, before it closes the index. One CAS replaces a payload; adding or removing a key locks the
 * subgraphs of its two buckets, or the region while it grows. A reservation belongs to the index, not to a thread.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link CoCuckooVerifier}.
 * <h2>Pedigree</h2>
 * Y. Sun, Y. Hua, Z. Chen, Y. Guo: Mitigating Asymmetric Read and Write Costs in Cuckoo Hashing for Storage Systems, USENIX ATC
 * 2019. Different here:
 * <ul>
 * <li>buckets have four slots, and subgraphs end at the borders of a region;
 * <li>a subgraph is named by one of its buckets: no numbers are allocated, and one CAS locks two subgraphs;
 * <li>the table grows where the paper's stash would take a key; the stash remains for keys that growth does not help.
 * </ul>
 */
public final class CoCuckoo implements ConcurrentIndex, IndexInspection {
    private static final int DIRECTORY_SHARE = 256;

    private final KeyHash keyHash;
    private final EpochReclaimer epochs;
    private final WriteFailure failure;
    private final RegionDirectory directory;
    private final RegionArena arena;
    private final RegionReader reader;
    private final SubgraphForest forest;
    private final RegionResizer resizer;
    private final PayloadUpdater updater;
    private final CoreInserter coreInserter;
    private final CoCuckooInserter inserter;
    private final CoCuckooRemover remover;
    private final InsertionCounts counts = new InsertionCounts();
    private volatile boolean closed;

    /** Makes an empty index; throws if the context has no memory left. */
    public CoCuckoo(final IndexContext context) {
        this(context, KeyHash.secret());
    }

    /** Makes an empty index with a given hash. */
    CoCuckoo(final IndexContext context, final KeyHash keyHash) {
        this.keyHash = keyHash;
        epochs = context.epochs();
        failure = context.failure();
        final SlabAllocator allocator = context.allocator();
        final MemoryBudget budget = context.budget();
        final long maxBytes = Math.min(context.maxBytes(), RegionDirectory.MAX_REGION_BYTES);
        arena = new RegionArena(new GrowingSlab(allocator, budget, slabBytes(allocator, maxBytes)), maxBytes, epochs);
        try {
            directory = new RegionDirectory(
                arena.slab(), new GrowingSlab(allocator, budget, slabBytes(allocator, maxBytes / DIRECTORY_SHARE)));
        } catch (final RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        reader = new RegionReader(directory, arena.slab(), context.keys(), failure);
        forest = new SubgraphForest(arena.slab());
        final SubgraphLocks locks = new SubgraphLocks(arena.slab(), forest, failure);
        resizer = new RegionResizer(arena.slab(), directory, arena, forest);
        updater = new PayloadUpdater(reader);
        coreInserter = new CoreInserter(arena.slab());
        inserter = new CoCuckooInserter(reader, forest, locks, resizer, arena, counts);
        remover = new CoCuckooRemover(reader, forest, locks, resizer, counts);
        if (!resizer.createFirst()) {
            final SpaceExhaustedException exhausted = arena.exhausted(regionBytes(0));
            directory.close();
            arena.close();
            throw exhausted;
        }
    }

    private static long slabBytes(final SlabAllocator allocator, final long wanted) {
        final long slabs = Math.max(1, (wanted + MemoryBudget.SLAB_BYTES - 1) / MemoryBudget.SLAB_BYTES);
        return Math.min(slabs * MemoryBudget.SLAB_BYTES, allocator.maxSlabBytes());
    }

    @Override
    public long hash(final byte[] key, final int offset, final int length) {
        return keyHash.hash(key, offset, length);
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        return reader.get(hash(key, offset, length), key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        CoCuckooBatchLookup.lookup(reader, keyHash, keys, payloads);
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
        check(key, offset, length, payload);
        try {
            final long hash = hash(key, offset, length);
            if (coreInserter.put(directory.region(hash), hash, payload)) {
                arena.useReservation();
                return NONE;
            }
            return putOtherwise(hash, key, offset, length, payload, replaces);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private long putOtherwise(
        final long hash, final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        while (true) {
            final Claim guard = epochs.guard();
            try {
                final long region = directory.region(hash);
                long before = replaces ? updater.replaceLikely(region, hash, key, offset, length, payload)
                    : reader.getLikely(region, hash, key, offset, length);
                if (before != NONE) {
                    return before;
                }
                before = add(region, hash, key, offset, length, payload);
                if (before >= 0 && replaces) {
                    before = updater.replace(hash, key, offset, length, PayloadUpdater.ANY, payload);
                    if (before == NONE) {
                        continue; // removed meanwhile
                    }
                }
                if (before != CoCuckooInserter.NO_SPACE) {
                    return before;
                }
            } finally {
                guard.held = Claim.FREE;
            }
            reclaim();
        }
    }

    /** Adds a key, and uses up a reservation if there is one. */
    private long add(
        final long region, final long hash, final byte[] key, final int offset, final int length, final long payload) {
        final long before = inserter.putIfAbsent(region, hash, key, offset, length, payload);
        if (before == NONE || before == CoCuckooInserter.STASHED) {
            arena.useReservation();
            return NONE;
        }
        return before;
    }

    @Override
    public boolean replace(
        final byte[] key, final int offset, final int length, final long expected, final long payload) {
        check(key, offset, length, payload);
        if (expected < 0) {
            return false; // no key has such a payload
        }
        final Claim guard = epochs.guard();
        try {
            return updater.replace(hash(key, offset, length), key, offset, length, expected, payload) == expected;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public long tryGet(final long hash, final byte[] key, final int offset, final int length) {
        checkOpen();
        final long region = directory.region(hash);
        inserter.request(region, hash);
        return reader.getLikely(region, hash, key, offset, length);
    }

    @Override
    public long putIfAbsent(
        final long hash, final byte[] key, final int offset, final int length, final long payload) {
        check(key, offset, length, payload);
        try {
            final long region = directory.region(hash);
            if (coreInserter.put(region, hash, payload)) {
                return NONE;
            }
            final long before = inserter.putIfAbsent(region, hash, key, offset, length, payload);
            if (before == CoCuckooInserter.NO_SPACE) {
                throw arena.exhausted(arena.kindBytes(LAST_CLASS));
            }
            if (before == CoCuckooInserter.STASHED) {
                arena.useReservation();
                return NONE;
            }
            return before;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public boolean replace(
        final long hash, final byte[] key, final int offset, final int length, final long expected, final long payload) {
        check(key, offset, length, payload);
        try {
            return expected >= 0 && (updater.replaceOwn(hash, expected, payload)
                || updater.replace(hash, key, offset, length, expected, payload) == expected);
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
        final Claim guard = epochs.guard();
        try {
            return remover.remove(hash(key, offset, length), key, offset, length);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private void check(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
    }

    /** Frees memory that readers have left. */
    private void reclaim() {
        if (!arena.reclaim()) {
            throw arena.exhausted(arena.kindBytes(LAST_CLASS));
        }
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        failure.check();
        try {
            reserveBlocks(entries);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private void reserveBlocks(final int entries) {
        try {
            arena.reserve(entries);
        } catch (final SpaceExhaustedException e) {
            if (!arena.reclaim()) {
                throw e;
            }
            arena.reserve(entries);
        }
    }

    /** Sums over all regions of about 200 keys each: one counter for all writers would cost a twentieth of each put. */
    @Override
    public long entryCount() {
        checkOpen();
        final Claim guard = epochs.guard();
        try {
            return Math.max(0, CoCuckooStatistics.keys(this)); // a concurrent removal may be counted in part
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public long bytesUsed() {
        return arena.bytesUsed() + directory.bytesUsed() + MoveCounts.BYTES;
    }

    @Override
    public void verify() {
        checkOpen();
        new CoCuckooVerifier(this).verify();
    }

    /** Writes the regions as text: a line for each region, each subgraph and each key. */
    @Override
    public void dump(final Appendable out) throws IOException {
        checkOpen();
        new CoCuckooDumper(this).dump(out);
    }

    @Override
    public Map<String, Object> figures() {
        checkOpen();
        return CoCuckooStatistics.of(this).figures();
    }

    RegionReader reader() {
        return reader;
    }

    RegionDirectory directory() {
        return directory;
    }

    RegionArena arena() {
        return arena;
    }

    SubgraphForest forest() {
        return forest;
    }

    RegionResizer resizer() {
        return resizer;
    }

    InsertionCounts counts() {
        return counts;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the index is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        directory.close();
        arena.close();
    }
}
