/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.Claim;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.OwnedSlabs;
import io.nestling.memory.WriteFailure;

import java.util.List;

/**
 * What the parts of one memtable share: its options, memory, sequence numbers, range tombstones and
 * snapshots, and whether it is frozen, full or closed.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class MemtableState {
    static final String CLOSED = "memtable is closed";
    static final String FROZEN = "memtable is frozen";
    /** Slabs of a shard that grow: index, records and, without order in the index, keys to be put in order. */
    private static final int SLABS_PER_SHARD = 2;
    private static final int SLABS_PER_UNORDERED_SHARD = 3;

    private final MemtableOptions options;
    private final EpochReclaimer epochs = new EpochReclaimer();
    private final WriteFailure failure = new WriteFailure();
    private final OwnedSlabs slabs;
    private final MemoryBudget budget;
    private final SequenceGate gate;
    private final RangeTombstones rangeTombstones;
    private final SnapshotRegistry snapshots;
    private final long fullBelowBytes;
    private volatile boolean full;
    private volatile boolean frozen;
    private volatile boolean closed;

    MemtableState(final MemtableOptions options) {
        final int slabs =
            options.shards() * (options.index().ordered() ? SLABS_PER_SHARD : SLABS_PER_UNORDERED_SHARD);
        this.options = options;
        this.slabs = new OwnedSlabs(options.allocator());
        this.budget = MemoryBudget.ofBytes(options.capacityBytes(), slabs);
        this.fullBelowBytes = slabs * budget.step();
        this.gate = new SequenceGate(options.firstSequence(), failure);
        this.rangeTombstones = new RangeTombstones(budget);
        this.snapshots = new SnapshotRegistry(gate);
    }

    MemtableOptions options() {
        return options;
    }

    /** Where all memory of the memtable comes from, and goes to in the end. */
    OwnedSlabs slabs() {
        return slabs;
    }

    EpochReclaimer epochs() {
        return epochs;
    }

    MemoryBudget budget() {
        return budget;
    }

    /** Says whether a write ended half-way: of the memtable, or of one of its indexes. */
    WriteFailure failure() {
        return failure;
    }

    SequenceGate gate() {
        return gate;
    }

    RangeTombstones rangeTombstones() {
        return rangeTombstones;
    }

    SnapshotRegistry snapshots() {
        return snapshots;
    }

    /**
     * Enters a guard of the epochs: until it is freed, by a store, nothing that is found goes away.
     *
     * @throws IllegalStateException if the memtable is closed
     */
    Claim enter() {
        if (epochs.isClosed()) {
            throw new IllegalStateException(CLOSED);
        }
        try {
            return epochs.guard();
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(CLOSED, e);
        }
    }

    /**
     * Takes the locks of some shards and maybe that of the range tombstones. If that fails, the caller holds none.
     *
     * @return what the caller frees, by a store, to give all of them back
     */
    Claim lock(final List<ShardLock> locks, final boolean withRanges) {
        return ShardLock.lockAll(withRanges ? rangeTombstones.lockAfter(locks) : locks);
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(CLOSED);
        }
    }

    /** Called with a lock held that {@link #freeze} and {@link #close} take before they act. */
    void checkWritable() {
        checkOpen();
        if (frozen) {
            throw new IllegalStateException(FROZEN);
        }
        gate.checkSound();
    }

    /** Waits until a write is visible, without a lock, and returns its sequence number. */
    long awaitVisible(final long sequence) {
        gate.await(sequence);
        return sequence;
    }

    boolean isFrozen() {
        return frozen;
    }

    void freeze() {
        frozen = true;
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }

    /** Notes that a write was refused, or that the next one may be. */
    void noteFull() {
        full = true;
    }

    boolean isNotedFull() {
        return full;
    }

    boolean isFull() {
        return full || budget.remaining() < fullBelowBytes;
    }
}
