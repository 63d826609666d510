/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.MergingCursor;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Sorts the keys of an unordered index when a cursor asks for them: all keys the first time, later the keys added since.
 * <p>
 * Keys lie in sorted runs that never change. Many new keys are sorted in place, where the writers logged them ({@link
 * KeyLog}), which takes no more memory; few are copied to the heap, into space reserved for that. Runs of similar size are
 * merged, large ones only if the budget has several times the memory left that a merge takes.
 * <h2>Thread safety</h2>
 * All methods but {@code reserve} and {@code close} may be called by any thread inside a guard. Threads that
 * sort take turns; writers do not wait for them.
 * <h2>Invariants</h2>
 * <ol>
 * <li>The runs hold every key whose first record has a number at or below theirs.</li>
 * <li>A record without older version that is not the newest one of its key is marked as superseded before a
 * newer one is visible.</li>
 * </ol>
 */
public final class LazyKeySorter implements AutoCloseable {
    private static final int MAX_ENTRIES_ON_HEAP = LoweredLimit.of("memtable.heapOrderEntries", 1 << 16, 4);
    /* Of a step of the budget: what is charged for them is charged before it is taken. */
    private static final int HEAP_PART = 8;
    private static final int MIN_ENTRIES_ON_HEAP = Math.min(1 << 9, MAX_ENTRIES_ON_HEAP);
    private static final int GROWTH = 2;
    /** A merge needs a budget with this many times its memory left. */
    private static final int MERGE_HEADROOM = 4;
    /** An epoch that is never quiescent. */
    private static final long NEVER = Long.MAX_VALUE / 2;
    /** Below every sequence number. */
    private static final long NOTHING = -1;

    private final RecordStore records;
    private final PointIndex index;
    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final EpochReclaimer epochs;
    private final LongSupplier visible;
    private final KeyLog log;
    private final KeySorter sorter;
    private final long maxEntriesOnHeap;
    /* Charged for keys on the heap. */
    private long heapBytes;
    private volatile Runs runs;
    /* The thread that sorts changes these, under the monitor. */
    private volatile List<KeySegment> unsorted = List.of();
    private final ArrayList<Retired> retired = new ArrayList<>();
    private SegmentScan scan = new SegmentScan(null);
    private boolean scanFailed;

    /**
     * Creates a sorter without runs. The size of the context is that of a segment of the log, in bytes; {@code visible} returns
     * the greatest sequence number that readers may see. Throws if the budget has no space for keys on the heap.
     */
    public LazyKeySorter(
        final IndexContext context, final RecordStore records, final PointIndex index, final LongSupplier visible,
        final int writerSlots) {
        this.records = records;
        this.index = index;
        this.allocator = context.allocator();
        this.budget = context.budget();
        this.epochs = context.epochs();
        this.visible = visible;
        this.log = new KeyLog(allocator, budget, context.maxBytes(), writerSlots);
        this.sorter = new KeySorter(records);
        this.maxEntriesOnHeap = Math.max(
            MIN_ENTRIES_ON_HEAP, Math.min(MAX_ENTRIES_ON_HEAP, budget.step() / (HEAP_PART * KeyEntries.ENTRY_BYTES)));
        this.heapBytes = maxEntriesOnHeap * KeyEntries.ENTRY_BYTES;
        this.runs = new Runs(List.of(), List.of(), NOTHING);
        if (!budget.tryAcquire(heapBytes)) { // last: nothing would release it
            throw new SpaceExhaustedException("sorting of keys needs " + heapBytes + " bytes, the budget has "
                + budget.remaining() + " left of " + budget.capacity());
        }
    }

    /** A sorted run, and what releases its memory. */
    private record Run(KeyEntries entries, Runnable release) {
    }

    /** Two merged runs, which readers may still use. */
    private static final class Retired {
        final Run left;
        final Run right;
        long epoch = NEVER; // until they are unlinked

        Retired(final Run left, final Run right) {
            this.left = left;
            this.right = right;
        }

        void close() {
            try {
                left.release.run();
            } finally {
                right.release.run();
            }
        }
    }

    /** The sorted keys, all up to a sequence number: large runs off the heap, small ones on it. */
    record Runs(List<Run> large, List<KeyEntries> small, long upTo) {
    }

    // ---- writers ----

    /**
     * Logs a record without older version that is about to be linked. The caller holds a guard until it has linked the record. If
     * there is no space, it throws, and nothing has changed.
     */
    public void add(final long record, final int writerSlot) {
        log.add(record, writerSlot);
    }

    /**
     * Reserves space for the only writer to add some records, in place of what it has reserved and not used; throws if they do
     * not fit. The caller holds a guard.
     */
    public void reserve(final int count) {
        log.reserve(count);
    }

    // ---- readers ----

    /**
     * Returns an unpositioned cursor, for use within the caller's guard, over all keys that are visible at a sequence number, and
     * maybe others. Sorts new keys first.
     */
    public EntryCursor cursor(final long sequence) {
        if (runs.upTo() < sequence) {
            sortUpTo(sequence);
        }
        return new OrderCursor(this);
    }

    /** Returns the newest runs. */
    Runs runs() {
        return runs;
    }

    /** Returns a cursor over the keys of all runs. */
    EntryCursor cursor(final Runs merged) {
        final List<EntryCursor> cursors = new ArrayList<>();
        merged.large().forEach(run -> cursors.add(new KeyRunCursor(records, run.entries)));
        merged.small().forEach(run -> cursors.add(new KeyRunCursor(records, run)));
        return cursors.size() == 1 ? cursors.get(0) : MergingCursor.of(cursors.toArray(new EntryCursor[0]));
    }

    /** Returns the payload of a key, given a record of it: that record if its word shows that it is the only one. */
    long newest(final long record, final byte[] key, final int keyLength) {
        // memtable-concurrency.md, claim 27
        final long word = records.versionWordAcquire(record);
        return (word & RecordLayout.SUPERSEDED) == 0 && RecordLayout.sequence(word) != RecordLayout.UNNUMBERED
            ? record : index.get(key, 0, keyLength);
    }

    /** Returns the bytes of all keys, and those reserved for keys on the heap. */
    public long bytesUsed() {
        long entries = 0;
        for (final Run run : runs.large()) {
            entries += run.entries.size();
        }
        for (final KeySegment segment : unsorted) {
            entries += segment.taken(); // being sorted, or sorting failed
        }
        return entries * KeyEntries.ENTRY_BYTES + log.bytesUsed() + heapBytes;
    }

    // ---- sorting ----

    private synchronized void sortUpTo(final long sequence) {
        if (runs.upTo() >= sequence) {
            return;
        }
        closeRetired();
        try {
            addNew();
        } catch (final Throwable e) {
            scanFailed = true; // keys may be marked as found that are in no run
            throw e;
        }
        mergeLarge();
    }

    /** Publishes runs with the keys added since the last ones. */
    private void addNew() {
        // memtable-concurrency.md, claim 23
        final long upTo = visible.getAsLong(); // before the log: all keys with a number up to it are logged
        final List<KeySegment> taken = new ArrayList<>(unsorted);
        final KeySegment current = log.take(maxEntriesOnHeap, taken);
        unsorted = taken;
        final List<Run> large = new ArrayList<>(runs.large());
        for (final KeySegment segment : taken) {
            final KeyEntries sealed = segment.seal();
            // This thread sorts few keys itself. It may fail between the two stores of a swap, so it works on a copy.
            final KeyEntries entries = sealed.size() <= KeySorter.MANY ? sealed.copyOnHeap() : sealed;
            sorter.sort(entries);
            large.add(new Run(entries, segment::close));
        }
        final List<KeyEntries> small = new ArrayList<>();
        if (current == scan.segment() && !scanFailed) {
            small.addAll(runs.small());
        } else {
            scan = new SegmentScan(current); // the keys found before are in a large run now, or are found again
        }
        final KeyEntries found = scan.newKeys();
        if (found.size() > 0) {
            sorter.sort(found);
            addSmall(small, found);
        }
        final List<KeySegment> none = List.of();
        runs = new Runs(List.copyOf(large), List.copyOf(small), upTo);
        scanFailed = false; // stores alone from here on: the keys are in a run and nowhere else
        unsorted = none;
    }

    private void addSmall(final List<KeyEntries> small, final KeyEntries entries) {
        KeyEntries last = entries;
        while (!small.isEmpty() && small.get(small.size() - 1).size() <= GROWTH * last.size()) {
            final KeyEntries before = small.remove(small.size() - 1);
            final KeyEntries both = KeyEntries.onHeap((int) (before.size() + last.size()));
            merge(before, last, both);
            last = both;
        }
        small.add(last);
    }

    private void merge(final KeyEntries left, final KeyEntries right, final KeyEntries both) {
        long i = 0;
        long j = 0;
        while (i < left.size() || j < right.size()) {
            if (j == right.size() || i < left.size() && KeySorter.compare(records, left, i, right, j) <= 0) {
                both.set(i + j, left.prefix(i), left.record(i));
                i++;
            } else {
                both.set(i + j, right.prefix(j), right.record(j));
                j++;
            }
        }
    }

    private void mergeLarge() {
        while (true) {
            final List<Run> large = runs.large();
            final int last = large.size() - 1;
            if (last < 1 || large.get(last - 1).entries.size() > GROWTH * large.get(last).entries.size()) {
                return;
            }
            final Run left = large.get(last - 1);
            final Run right = large.get(last);
            final Run both = merge(left, right);
            if (both == null) {
                return;
            }
            replace(left, right, both);
        }
    }

    /** Replaces the last two runs by one and retires their memory. If it throws, it has changed nothing. */
    private void replace(final Run left, final Run right, final Run both) {
        final Runs next;
        final Retired old;
        try {
            final List<Run> large = new ArrayList<>(runs.large());
            large.remove(large.size() - 1);
            large.set(large.size() - 1, both);
            next = new Runs(List.copyOf(large), runs.small(), runs.upTo());
            old = new Retired(left, right);
            retired.add(old); // so that close() finds it if anything fails from here on; closing twice does no harm
        } catch (final Throwable e) {
            both.release.run();
            throw e;
        }
        runs = next;
        old.epoch = epochs.epochOfUnlinking();
    }

    /** Merges two runs off the heap; returns null if that would take too much of the budget. */
    private Run merge(final Run left, final Run right) {
        final long size = left.entries.size() + right.entries.size();
        final long bytes = size * KeyEntries.ENTRY_BYTES;
        final long slabBytes = (bytes + budget.step() - 1) / budget.step() * budget.step();
        if (budget.remaining() < MERGE_HEADROOM * slabBytes || slabBytes > allocator.maxSlabBytes()) {
            return null;
        }
        final GrowingSlab memory;
        try {
            memory = new GrowingSlab(allocator, budget, slabBytes);
        } catch (final SpaceExhaustedException e) {
            return null;
        }
        try {
            if (!memory.growTo(bytes)) {
                memory.close();
                return null;
            }
            final KeyEntries both = KeyEntries.inSlab(memory.slab(), size);
            merge(left.entries, right.entries, both);
            return new Run(both, memory::close);
        } catch (final Throwable e) {
            memory.close();
            throw e;
        }
    }

    private void closeRetired() {
        if (!retired.isEmpty()) {
            epochs.tryAdvance();
            for (int i = retired.size() - 1; i >= 0; i--) {
                if (epochs.isQuiescent(retired.get(i).epoch)) {
                    retired.get(i).close();
                    retired.remove(i);
                }
            }
        }
    }

    /** Releases all memory. The caller has ended all other use. May be called again, also after it has thrown. */
    @Override
    public synchronized void close() {
        sorter.awaitRest();
        log.close();
        unsorted.forEach(KeySegment::close);
        retired.forEach(Retired::close);
        runs.large().forEach(run -> run.release.run());
        if (heapBytes > 0) {
            budget.release(heapBytes);
            heapBytes = 0;
        }
    }
}
