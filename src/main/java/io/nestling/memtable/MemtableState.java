/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.SecretSource;
import io.nestling.memory.BudgetShare;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.CgroupLimit;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.OwnedSlabs;
import io.nestling.offheap.WriteFailure;

import java.util.List;

/**
 * State shared by the parts of one memtable: its options, memory, sequence numbers, range tombstones and
 * snapshots, and whether it is frozen, full or closed.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class MemtableState {
    static final String CLOSED = "memtable is closed";
    /** Growing slabs of a shard: index, records and, if the index has no order, the log of new keys. */
    private static final int SLABS_PER_SHARD = 2;
    private static final int SLABS_PER_UNORDERED_SHARD = 3;
    /* Most that an index takes for a key of MemtableOptions.ASSURED_KEY_BYTES, and what a shard takes that moves to its index. */
    private static final long KEY_BYTES = 32 << 10;
    private static final long MOVE_BYTES = 160 << 10;
    private static final int STEPS_PER_SLAB = 32;

    private final MemtableOptions options;
    private final EpochReclaimer epochs = new EpochReclaimer();
    private final WriteFailure failure = new WriteFailure();
    private final OwnedSlabs slabs;
    private final BudgetShare<Memtable> share;
    private final MemoryBudget budget;
    private final HeapCharge heap;
    private final SequenceGate gate;
    private final RangeTombstones rangeTombstones;
    private final SequenceReservations reservations;
    private final SnapshotRegistry snapshots;
    private final ScanCounters scans = new ScanCounters();
    private final long fullBelowBytes;
    private final long bytesToMove;
    private final long secret = SecretSource.nextLong();
    /** True if an error may have left memory charged that only the end of the memtable releases. */
    volatile boolean hasLost;
    private volatile boolean full;
    private volatile SequenceForm form = SequenceForm.NEXT;
    private volatile boolean frozen;
    /* True if writes without a number are refused: it is frozen, or its writes have numbers. One look for both. */
    private volatile boolean refusesNext;
    private volatile boolean closed;
    private volatile boolean mayExpire;
    private volatile boolean mayCombine;

    MemtableState(final MemtableOptions options) {
        final int slabs =
            options.shards() * (options.index().ordered() ? SLABS_PER_SHARD : SLABS_PER_UNORDERED_SHARD);
        this.options = options;
        this.slabs = new OwnedSlabs(options.slabs());
        this.gate = new SequenceGate(options.firstSequence(), failure);
        this.reservations = new SequenceReservations(gate);
        this.snapshots = new SnapshotRegistry(gate);
        this.share = options.sharedBudget() == null ? null : options.sharedBudget().join();
        try {
            this.budget = MemoryBudget.ofBytes(options.capacityBytes(), slabs, share);
            CgroupLimit.ofProcess().check(
                share == null ? options.capacityBytes() : Math.min(options.capacityBytes(), options.sharedBudget().limit()));
            this.heap = new HeapCharge(budget, options.shards());
            final long largest = bytesForLargest(options, budget.step());
            this.fullBelowBytes = Math.max(slabs * budget.step(), largest);
            this.bytesToMove = largest == 0 ? 0 : largest + MOVE_BYTES;
            this.rangeTombstones =
                new RangeTombstones(this.slabs, budget, epochs, SlabSizes.of(options, budget).rangeBytes(), snapshots,
                    recyclesRecords());
        } catch (final Throwable e) {
            if (share != null) {
                share.leave();
            }
            throw e;
        }
    }

    /** Returns what the largest entry may take of the budget in a shard that has moved to its index; 0 if none is assured. */
    private static long bytesForLargest(final MemtableOptions options, final long step) {
        if (options.maxEntryBytes() == 0) {
            return 0;
        }
        final long record = MemtableShard.largestRecordBytes(0, 0) + options.maxEntryBytes();
        // The record, and the rest of a slab that has no room for it. Each slab grows by a 32nd, so all do together.
        final long steps = Math.min(SLABS_PER_UNORDERED_SHARD * step, options.capacityBytes() / STEPS_PER_SLAB);
        return 2 * record + steps + KEY_BYTES;
    }

    /** Returns whether replaced records are recycled: none that a flush may want, or that writers or a sort may hold. */
    boolean recyclesRecords() {
        return options.keepVersions() != KeepVersions.ALL && options.index().ordered() && !options.index().concurrentWriters();
    }

    MemtableOptions options() {
        return options;
    }

    /** Returns the owner of all slabs of the memtable. */
    OwnedSlabs slabs() {
        return slabs;
    }

    EpochReclaimer epochs() {
        return epochs;
    }

    MemoryBudget budget() {
        return budget;
    }

    /** Returns what is charged for objects on the heap. */
    HeapCharge heap() {
        return heap;
    }

    /** Charges the empty memtable before its first write, see {@link HeapCharge#addFirst}. */
    void chargeFirst() {
        try {
            heap.addFirst();
        } catch (final Error e) {
            hasLost = true;
            throw e;
        }
    }

    /** Returns where a write of the memtable or of one of its indexes records the error that ended it halfway. */
    WriteFailure failure() {
        return failure;
    }

    /** Returns a number that no one can know who chooses writes. */
    long secret() {
        return secret;
    }

    SequenceGate gate() {
        return gate;
    }

    RangeTombstones rangeTombstones() {
        return rangeTombstones;
    }

    /** Returns the memtable's share in a budget of several; null if there is none. */
    BudgetShare<Memtable> share() {
        return share;
    }

    SequenceReservations reservations() {
        return reservations;
    }

    SnapshotRegistry snapshots() {
        return snapshots;
    }

    ScanCounters scans() {
        return scans;
    }

    /**
     * Enters a guard of the epochs; throws if the memtable is closed. What the caller finds from now on stays until it frees the
     * guard by a store.
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
     * Takes the locks of some shards and, if asked, that of the range tombstones. If it throws, the caller holds none. Returns
     * the claim that the caller frees by a store, which releases all of them.
     */
    Claim lock(final List<ShardLock> locks, final boolean withRanges) {
        return ShardLock.lockAll(withRanges ? rangeTombstones.lockAfter(locks) : locks);
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(CLOSED);
        }
    }

    /**
     * Throws if the memtable takes no writes without a number. The caller holds a lock that {@link #freeze}, {@link #close} and
     * {@link #setForm} take, too.
     */
    void checkWritable() {
        checkOpen();
        if (refusesNext) {
            checkForm(SequenceForm.NEXT);
        }
        gate.checkNotPoisoned();
    }

    /** Throws if the memtable takes no writes whose numbers are of a form. The caller holds a lock as above. */
    void checkWritable(final SequenceForm wanted) {
        checkOpen();
        checkForm(wanted);
        gate.checkNotPoisoned();
    }

    private void checkForm(final SequenceForm wanted) {
        if (frozen) {
            throw new FrozenException();
        }
        if (form != wanted) {
            throw new IllegalStateException("expected " + form.text + ", as the memtable has taken, but was one of the "
                + wanted.text);
        }
    }

    SequenceForm form() {
        return form;
    }

    /** Has the memtable take writes of one form only, if there was no other write before. The caller holds all locks. */
    void setForm(final SequenceForm wanted) {
        checkOpen();
        if (form == SequenceForm.NEXT && gate.claimed() < options.firstSequence() && !frozen) {
            form = wanted;
            refusesNext = true;
        }
        checkForm(wanted);
    }

    /** Notes that an entry may expire. Called before the first such entry gets its number. */
    void expectExpiry() {
        if (!mayExpire) {
            mayExpire = true;
        }
    }

    /** Notes what the writes of a batch are. Called before one of them gets its number. */
    void expect(final WriteBatch batch) {
        if (batch.expires()) {
            expectExpiry();
        }
        if (batch.merges()) {
            expectOperands();
        }
    }

    /** Notes that there may be operands, as {@link #expectExpiry} does for expiries; throws if the memtable has no operator. */
    void expectOperands() {
        if (options.rules().operator() == null) {
            throw new IllegalStateException("expected a memtable whose rules have a merge operator but was one without: "
                + "set it by MemtableOptions.Builder.rules");
        }
        if (!mayCombine) { // readers have its line
            mayCombine = true;
        }
    }

    /** Returns whether a flush may pass on other values than were put: some have expired, or are operands. */
    boolean mayChange() {
        return mayExpire || mayCombine;
    }

    /**
     * Returns the time by which entries expire, or 0 if none of them does. Called once a read, after its sequence number was
     * read: then whatever is visible at that was noted by {@link #expectExpiry} before.
     */
    long now() {
        return mayExpire ? options.rules().clock().getAsLong() : 0;
    }

    /** Waits until a write is visible and returns its sequence number. The caller holds no lock. */
    long awaitVisible(final long sequence) {
        gate.await(sequence);
        return sequence;
    }

    boolean isFrozen() {
        return frozen;
    }

    void freeze() {
        frozen = true;
        refusesNext = true;
        if (share != null) {
            share.beginFlush();
        }
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        heap.close();
    }

    /** Marks the memtable as full for good: a write was refused, or the next one may be. */
    void markFull() {
        full = true;
    }

    boolean isMarkedFull() {
        return full;
    }

    boolean isFull() {
        return full || budget.capacity() - budget.used() < fullBelowBytes;
    }

    /** Returns whether the largest entry may not fit if its shard has to move to its index for it. */
    boolean isTooFullToMove() {
        return budget.capacity() - budget.used() < bytesToMove;
    }
}
