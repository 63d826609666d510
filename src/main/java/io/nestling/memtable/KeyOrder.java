/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.memory.Claim;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.GrowingSlab;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The order of the keys of an unordered index, made when a cursor asks for it: the first time all keys are
 * sorted, later those that have come since.
 * <p>
 * Keys stand in runs that never change. A large number of new keys is sorted in the place where the writers
 * noted them ({@link KeyLog}), which takes no more memory; few are copied to the heap, in space that is
 * reserved for that. Runs of like size are merged, large ones only if the budget has much more left than that
 * takes.
 * <h2>Thread safety</h2>
 * All methods but {@code ensure} and {@code close} may be called by any thread inside a guard. Those who make
 * order take turns; writers do not wait for them.
 * <h2>Invariants</h2>
 * <ol>
 * <li>The runs hold every key whose first record has a number at or below theirs.</li>
 * <li>A record without older version that is not the newest one of its key is marked as superseded, before a
 * newer one is visible.</li>
 * </ol>
 */
final class KeyOrder implements AutoCloseable {
    private static final int MAX_ENTRIES_ON_HEAP = LoweredLimit.of("memtable.heapOrderEntries", 1 << 16, 4);
    private static final int MIN_ENTRIES_ON_HEAP = Math.min(1 << 9, MAX_ENTRIES_ON_HEAP);
    private static final int INITIAL_CHUNKS = 8;
    private static final int GROWTH = 2;
    /** Of what merging takes, the budget must have so many times as much left. */
    private static final int ROOM = 4;
    private static final long UNNUMBERED = 0;
    /** An epoch that is never quiescent. */
    private static final long NEVER = Long.MAX_VALUE / 2;

    private final MemtableState state;
    private final RecordStore records;
    private final PointIndex index;
    private final SlabAllocator allocator;
    private final KeyLog log;
    private final KeySorter sorter;
    private final long enough;
    /* Charged for keys on the heap. */
    private long heapBytes;
    private volatile Runs runs;
    /* What follows belongs to the one who makes order. */
    private volatile List<KeySegment> unsorted = List.of();
    private final ArrayList<Retired> retired = new ArrayList<>();
    private KeySegment gathered;
    private boolean gatheredLost;
    private long scanned;
    private long[] openChunks = new long[INITIAL_CHUNKS];
    private int[] gatheredPlaces = new int[INITIAL_CHUNKS];
    private int openCount;

    /**
     * Makes an empty order.
     *
     * @throws SpaceExhaustedException if the budget does not hold what few keys take on the heap
     */
    KeyOrder(
        final MemtableState state, final RecordStore records, final PointIndex index, final long segmentBytes) {
        final MemoryBudget budget = state.budget();
        this.state = state;
        this.records = records;
        this.index = index;
        this.allocator = state.slabs();
        this.log = new KeyLog(allocator, budget, segmentBytes);
        this.sorter = new KeySorter(records);
        this.enough = Math.max(
            MIN_ENTRIES_ON_HEAP, Math.min(MAX_ENTRIES_ON_HEAP, budget.step() / (2 * KeyEntries.ENTRY_BYTES)));
        this.heapBytes = enough * KeyEntries.ENTRY_BYTES;
        if (!budget.tryAcquire(heapBytes)) {
            throw new SpaceExhaustedException("the order of the keys needs " + heapBytes + " bytes, the budget has "
                + budget.remaining() + " left of " + budget.capacity());
        }
        this.runs = new Runs(List.of(), List.of(), state.gate().visible());
    }

    /** A sorted run and the memory that it lies in. */
    private record Run(KeyEntries entries, AutoCloseable memory) {
    }

    /** The memory of two runs that are gone. */
    private static final class Retired {
        final AutoCloseable left;
        final AutoCloseable right;
        long epoch = NEVER; // until they are unlinked

        Retired(final AutoCloseable left, final AutoCloseable right) {
            this.left = left;
            this.right = right;
        }

        void close() {
            try {
                KeyOrder.close(left);
            } finally {
                KeyOrder.close(right);
            }
        }
    }

    /**
     * The keys in order.
     *
     * @param large runs off the heap
     * @param small runs on the heap
     * @param upTo sequence number up to which all keys are there
     */
    record Runs(List<Run> large, List<KeyEntries> small, long upTo) {
        private static final KeyEntries EMPTY = KeyEntries.onHeap(0);

        int count() {
            return Math.max(1, large.size() + small.size());
        }

        KeyEntries run(final int i) {
            if (large.isEmpty() && small.isEmpty()) {
                return EMPTY;
            }
            return i < large.size() ? large.get(i).entries : small.get(i - large.size());
        }
    }

    // ---- writers ----

    /**
     * Notes a record without older version that is about to be linked, as {@link KeyLog#add}. The caller holds a
     * guard until it is.
     *
     * @param place place of the shard's lock that the caller has to itself
     * @throws SpaceExhaustedException if there is no space; nothing has changed then
     */
    void add(final long record, final int place) {
        log.add(record, place);
    }

    /** Makes sure that the only writer can add some records, as {@link KeyLog#ensure}. */
    void ensure(final int count) {
        final Claim token = state.enter();
        try {
            log.ensure(count);
        } finally {
            token.held = Claim.FREE;
        }
    }

    /** Gives back what the only writer has made sure of and not used. */
    void trim() {
        final Claim token = state.enter();
        try {
            log.trim();
        } finally {
            token.held = Claim.FREE;
        }
    }

    /** Marks a record with a number, to which another one is about to be linked. */
    void supersede(final long record) {
        long word = records.versionWordAcquire(record);
        while ((word & (RecordLayout.HAS_PREVIOUS | RecordLayout.SUPERSEDED)) == 0
            && !records.compareAndSetVersionWord(record, word, word | RecordLayout.SUPERSEDED)) {
            word = records.versionWordAcquire(record);
        }
    }

    // ---- readers ----

    /** A cursor over all keys that are visible at a sequence number, and maybe others. */
    EntryCursor cursor(final long visible) {
        if (runs.upTo() < visible) {
            makeOrder(visible);
        }
        return new OrderCursor(this);
    }

    /** The newest runs. */
    Runs runs() {
        return runs;
    }

    /** A cursor over the keys of a run. */
    EntryCursor cursor(final KeyEntries run) {
        return new KeyRunCursor(records, run);
    }

    /** Payload of a key, given a record of it: that record, if it can be seen to be the only one. */
    long newest(final long record, final byte[] key, final int keyLength) {
        final long word = records.versionWordAcquire(record);
        return (word & RecordLayout.SUPERSEDED) == 0 && RecordLayout.sequence(word) != UNNUMBERED
            ? record : index.get(key, 0, keyLength);
    }

    /** Bytes of all keys, and those reserved for keys on the heap. */
    long bytesUsed() {
        long entries = 0;
        for (final Run run : runs.large()) {
            entries += run.entries.size();
        }
        for (final KeySegment segment : unsorted) {
            entries += segment.taken(); // they are being sorted, or could not be
        }
        return entries * KeyEntries.ENTRY_BYTES + log.bytesUsed() + heapBytes;
    }

    // ---- making order ----

    private synchronized void makeOrder(final long visible) {
        if (runs.upTo() >= visible) {
            return;
        }
        closeRetired();
        try {
            addNew();
        } catch (final Throwable e) {
            gatheredLost = true; // some keys may be noted as gathered that are in no run
            throw e;
        }
        mergeLarge();
    }

    /** Publishes runs that have the keys that have come since. */
    private void addNew() {
        final long upTo = state.gate().visible(); // before the log: whatever has a number up to it was noted there
        final List<KeySegment> taken = new ArrayList<>(unsorted);
        final KeySegment current = log.take(enough, taken);
        unsorted = taken;
        final List<Run> large = new ArrayList<>(runs.large());
        for (final KeySegment segment : taken) {
            final KeyEntries sealed = segment.seal();
            // Few are sorted by this thread, which may fail between the stores by which two change places.
            final KeyEntries entries = sealed.size() <= KeySorter.MANY ? sealed.copyOnHeap() : sealed;
            sorter.sort(entries);
            large.add(new Run(entries, segment));
        }
        final List<KeyEntries> small = new ArrayList<>();
        if (current == gathered && !gatheredLost) {
            small.addAll(runs.small());
        } else {
            // What was gathered is in a large run now, or gathered anew.
            gathered = current;
            scanned = 0;
            openCount = 0;
        }
        if (gathered != null) {
            gather(small);
        }
        final List<KeySegment> none = List.of();
        runs = new Runs(List.copyOf(large), List.copyOf(small), upTo);
        gatheredLost = false; // stores alone from here on: they are in a run and nowhere else
        unsorted = none;
    }

    /** Adds a run of the keys that have come to the current segment. */
    private void gather(final List<KeyEntries> small) {
        openChunks();
        long[] found = new long[KeySegment.CHUNK_ENTRIES];
        int count = 0;
        int stillOpen = 0;
        for (int chunk = 0; chunk < openCount; chunk++) {
            int places = gatheredPlaces[chunk];
            for (int i = 0; i < KeySegment.CHUNK_ENTRIES; i++) {
                final long record = (places >>> i & 1) == 0 ? gathered.record(openChunks[chunk] + i) : 0;
                if (record > 0) {
                    if (count == found.length) {
                        found = Arrays.copyOf(found, 2 * count);
                    }
                    found[count++] = record;
                    places |= 1 << i;
                }
            }
            if (places != -1) {
                openChunks[stillOpen] = openChunks[chunk];
                gatheredPlaces[stillOpen++] = places;
            }
        }
        openCount = stillOpen;
        if (count > 0) {
            final KeyEntries entries = KeyEntries.onHeap(count);
            for (int i = 0; i < count; i++) {
                entries.set(i, 0, found[i]);
            }
            sorter.sort(entries);
            addSmall(small, entries);
        }
    }

    private void openChunks() {
        for (final long end = gathered.taken(); scanned < end; scanned += KeySegment.CHUNK_ENTRIES) {
            if (openCount == openChunks.length) {
                gatheredPlaces = Arrays.copyOf(gatheredPlaces, 2 * openCount);
                openChunks = Arrays.copyOf(openChunks, 2 * openCount);
            }
            openChunks[openCount] = scanned;
            gatheredPlaces[openCount++] = 0;
        }
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

    /** Publishes a run in place of the last two, whose memory is closed once nobody reads it; or fails and changes nothing. */
    private void replace(final Run left, final Run right, final Run both) {
        final Runs next;
        final Retired old;
        try {
            final List<Run> large = new ArrayList<>(runs.large());
            large.remove(large.size() - 1);
            large.set(large.size() - 1, both);
            next = new Runs(List.copyOf(large), runs.small(), runs.upTo());
            old = new Retired(left.memory, right.memory);
            retired.add(old); // whatever fails from here on, close() finds it; closing twice does no harm
        } catch (final Throwable e) {
            close(both.memory);
            throw e;
        }
        runs = next;
        old.epoch = state.epochs().epochOfUnlinking();
    }

    /** Merges two runs off the heap; null if that would take too much of the budget. */
    private Run merge(final Run left, final Run right) {
        final long size = left.entries.size() + right.entries.size();
        final long bytes = size * KeyEntries.ENTRY_BYTES;
        final MemoryBudget budget = state.budget();
        final long slabBytes = (bytes + budget.step() - 1) / budget.step() * budget.step();
        if (budget.remaining() < ROOM * slabBytes || slabBytes > allocator.maxSlabBytes()) {
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
            return new Run(both, memory);
        } catch (final Throwable e) {
            memory.close();
            throw e;
        }
    }

    private void closeRetired() {
        final EpochReclaimer epochs = state.epochs();
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

    private static void close(final AutoCloseable memory) {
        try {
            memory.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Gives all memory back. The caller has ended all other use. It may be called again, also after it has thrown. */
    @Override
    public synchronized void close() {
        sorter.awaitRest();
        log.close();
        unsorted.forEach(KeySegment::close);
        retired.forEach(Retired::close);
        runs.large().forEach(run -> close(run.memory));
        if (heapBytes > 0) {
            state.budget().release(heapBytes);
            heapBytes = 0;
        }
    }
}
