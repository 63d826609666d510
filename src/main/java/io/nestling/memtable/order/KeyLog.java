/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.SlabAllocator;

import java.util.ArrayList;
import java.util.List;

/**
 * A log of the first record of each key of an unordered index. Writers add a record before its key can be found, so that
 * a later sort finds all keys that are visible to it. The 16 bytes that a key takes here are the memory that sorting it needs.
 * <p>
 * A logged record may never be linked, because the write was refused or another thread added the key first. It does no
 * harm: it never gets a number, and its key is shown once.
 * <h2>Thread safety</h2>
 * {@code add} may be called by any writer, {@code reserve} by an only writer, {@code take} by one thread at
 * a time.
 */
final class KeyLog implements AutoCloseable {
    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final long segmentBytes;
    private final int writerSlots;
    /* Segments that are full and not taken yet. */
    private final ArrayList<KeySegment> full = new ArrayList<>();
    private volatile KeySegment current;

    KeyLog(final SlabAllocator allocator, final MemoryBudget budget, final long segmentBytes, final int writerSlots) {
        this.allocator = allocator;
        this.budget = budget;
        this.segmentBytes = segmentBytes;
        this.writerSlots = writerSlots;
    }

    /** Adds the first record of a key by a thread in a writer slot. If there is no space, it throws, and nothing has changed. */
    void add(final long record, final int writerSlot) {
        KeySegment segment = current;
        while (segment == null || !segment.add(record, writerSlot)) {
            segment = replace(segment);
        }
    }

    /** Reserves space for the only writer to add some records; throws if they do not fit. */
    void reserve(final int records) {
        KeySegment segment = current;
        if (records == 0) {
            if (segment != null) {
                segment.trim();
            }
        } else if (segment == null || !segment.reserve(records)) {
            segment = replace(segment);
            if (!segment.reserve(records)) {
                throw new SpaceExhaustedException(
                    records + " new keys at once are more than the " + segmentBytes + " bytes for them hold");
            }
        }
    }

    /** Begins another segment, unless another thread has, and returns it. */
    private synchronized KeySegment replace(final KeySegment seen) {
        if (current == seen) {
            full.ensureCapacity(full.size() + 1);
            final KeySegment fresh = new KeySegment(allocator, budget, segmentBytes, writerSlots);
            try {
                if (seen != null) {
                    full.add(seen);
                }
            } catch (final Throwable e) {
                fresh.close();
                throw e;
            }
            current = fresh;
        }
        return current == null ? replace(null) : current;
    }

    /**
     * Takes the full segments, and the current one if at least {@code minEntries} of its slots are taken; if it throws, nothing
     * is taken. Returns the segment that stays current, or null.
     */
    synchronized KeySegment take(final long minEntries, final List<KeySegment> taken) {
        final KeySegment segment = current;
        final boolean withCurrent = segment != null && segment.taken() >= minEntries;
        final List<KeySegment> segments = new ArrayList<>(full);
        if (withCurrent) {
            segments.add(segment);
        }
        taken.addAll(segments); // the last thing that may need memory
        full.clear();
        if (withCurrent) {
            current = null;
        }
        return current;
    }

    /** Returns the bytes of the slots taken. */
    synchronized long bytesUsed() {
        long entries = current == null ? 0 : current.taken();
        for (final KeySegment segment : full) {
            entries += segment.taken();
        }
        return entries * KeyEntries.ENTRY_BYTES;
    }

    @Override
    public synchronized void close() {
        full.forEach(KeySegment::close);
        if (current != null) {
            current.close();
        }
    }
}
