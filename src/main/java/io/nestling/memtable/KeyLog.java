/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;

import java.util.ArrayList;
import java.util.List;

/**
 * Where writers of an unordered index note the first record of each key, before the key can be found: so
 * whoever puts the keys in order later finds all that are visible to it. The 16 bytes that a key takes here are
 * what sorting it will need.
 * <p>
 * A record that is noted and not linked after all (the write was refused, or another thread was first with that
 * key) does no harm: it never gets a number, and its key is shown once.
 * <h2>Thread safety</h2>
 * {@code add} may be called by any writer, {@code ensure} by one that is alone, {@code take} by one thread at a
 * time.
 */
final class KeyLog implements AutoCloseable {
    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final long segmentBytes;
    /* Segments that a writer has found full, and that nobody has taken yet. */
    private final ArrayList<KeySegment> full = new ArrayList<>();
    private volatile KeySegment current;

    KeyLog(final SlabAllocator allocator, final MemoryBudget budget, final long segmentBytes) {
        this.allocator = allocator;
        this.budget = budget;
        this.segmentBytes = segmentBytes;
    }

    /**
     * Notes the first record of a key.
     *
     * @param place place of the shard's lock that the caller has to itself
     * @throws SpaceExhaustedException if there is no space; nothing has changed then
     */
    void add(final long record, final int place) {
        KeySegment segment = current;
        while (segment == null || !segment.add(record, place)) {
            segment = replace(segment);
        }
    }

    /**
     * Makes sure that the only writer can note some records.
     *
     * @throws SpaceExhaustedException if they do not fit
     */
    void ensure(final int records) {
        KeySegment segment = current;
        if (segment == null || !segment.ensure(records)) {
            segment = replace(segment);
            if (!segment.ensure(records)) {
                throw new SpaceExhaustedException(
                    records + " new keys at once are more than the " + segmentBytes + " bytes for them hold");
            }
        }
    }

    /** Gives back what {@link #ensure} got and nobody used. */
    void trim() {
        final KeySegment segment = current;
        if (segment != null) {
            segment.trim();
        }
    }

    /** Begins another segment, unless somebody else has, and returns it. */
    private synchronized KeySegment replace(final KeySegment seen) {
        if (current == seen) {
            full.ensureCapacity(full.size() + 1);
            final KeySegment fresh = new KeySegment(allocator, budget, segmentBytes);
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
     * Takes the segments that are full, and the current one if so many places of it are taken.
     *
     * @param taken receives them; if it cannot, nothing is taken
     * @return the segment that goes on, or null
     */
    synchronized KeySegment take(final long enough, final List<KeySegment> taken) {
        final KeySegment segment = current;
        final boolean withCurrent = segment != null && segment.taken() >= enough;
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

    /** Bytes of the places that are taken. */
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
