/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeHashLayout.*;
import static io.nestling.skiplist.SkipListNodeLayout.LOW_UNITS;
import static io.nestling.skiplist.SkipListNodeLayout.NULL;
import static io.nestling.skiplist.SkipListNodeLayout.offset;

import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;
import java.util.stream.IntStream;

/**
 * Locks buckets of the hash of all nodes, and changes the slots and cells of a locked one. The caller chooses the bucket of a
 * node.
 * <h2>Thread safety</h2>
 * Any thread may call {@link #tryLock}; all other methods need the lock of the bucket.
 */
final class HashBuckets {
    /** Most cells of a bucket: enough, unless somebody chooses keys of one hash. */
    static final int MAX_CELLS = 8;
    /** One more than the most taken slots of a bucket and its cells. */
    static final int MAX_ENTRIES = LAST_SLOT + MAX_CELLS * CELL_SLOTS;
    private static final int REPLACED = -1;

    private final Slab slab;
    private final Slab nodeSlab;
    private final NodeArena arena;

    /** Takes a slab of buckets and an arena where cells come from. */
    HashBuckets(final Slab slab, final NodeArena arena) {
        this.slab = slab;
        this.nodeSlab = arena.slab();
        this.arena = arena;
    }

    static long slotOffset(final long line, final int slot) {
        return line + ((long) slot << SLOT_SHIFT);
    }

    boolean tryLock(final long line) {
        final int header = slab.getIntAcquire(line);
        if ((header & LOCKED) == 0 && slab.compareAndSetInt(line, header, header | LOCKED)) {
            VarHandle.storeStoreFence();
            return true;
        }
        return false;
    }

    /** Releases the lock and publishes the change. */
    void unlock(final long line) {
        slab.putIntRelease(line, (slab.getInt(line) & ~LOCKED) + CHANGE);
    }

    /** Marks a bucket as lacking a node. */
    void markIncomplete(final long line) {
        slab.putInt(line, slab.getInt(line) | INCOMPLETE);
    }

    /** Adds a slot's content to a bucket; returns the number of slots taken before. */
    int add(final long line, final int content) {
        final int header = slab.getInt(line);
        final int taken = taken(header);
        if (taken < ((header & SPILLED) != 0 ? LAST_SLOT - 1 : LAST_SLOT)) {
            slab.putInt(slotOffset(line, taken + 1), content);
            slab.putInt(line, header + (1 << TAKEN_SHIFT));
        } else {
            final int cells = replaceInCells(line, 0, content);
            if (cells != REPLACED) {
                spill(line, header, content, cells);
            }
        }
        return taken;
    }

    /** Replaces one slot's content in the cells of a bucket; returns {@link #REPLACED}, or their number if none has it. */
    private int replaceInCells(final long line, final int before, final int after) {
        int cells = 0;
        for (int cell = firstCell(line); cell != NULL; cell = nodeSlab.getInt(offset(cell))) {
            for (int slot = 1; slot <= CELL_SLOTS; slot++) {
                final long at = slotOffset(offset(cell), slot);
                if (nodeSlab.getInt(at) == before) {
                    nodeSlab.putInt(at, after);
                    return REPLACED;
                }
            }
            cells++;
        }
        return cells;
    }

    /**
     * Adds a slot's content in a new cell; marks the bucket as incomplete if memory is out or too many keys have the same hash.
     */
    private void spill(final long line, final int header, final int content, final int cells) {
        markIncomplete(line); // also in case of an error: the node is in the list
        final int cell = cells < MAX_CELLS ? arena.allocateUnreserved(LOW_UNITS) : NULL;
        if (cell == NULL) {
            return;
        }
        final boolean first = (header & SPILLED) == 0;
        final long link = slotOffset(line, LAST_SLOT);
        final long at = offset(cell);
        final int before = slab.getInt(link);
        nodeSlab.putInt(at, first ? NULL : before);
        nodeSlab.putInt(slotOffset(at, 1), content);
        nodeSlab.putInt(slotOffset(at, 2), first ? before : 0);
        for (int slot = 3; slot <= CELL_SLOTS; slot++) {
            nodeSlab.putInt(slotOffset(at, slot), 0);
        }
        slab.putInt(link, cell);
        slab.putInt(line, (first ? header - (1 << TAKEN_SHIFT) : header) | SPILLED);
    }

    /** Removes a slot's content, if present. Cells stay: they take what is added next. */
    void remove(final long line, final int content) {
        final int header = slab.getInt(line);
        final int taken = taken(header);
        for (int slot = 1; slot <= taken; slot++) {
            if (slab.getInt(slotOffset(line, slot)) == content) {
                slab.putInt(slotOffset(line, slot), slab.getInt(slotOffset(line, taken)));
                slab.putInt(slotOffset(line, taken), 0);
                slab.putInt(line, header - (1 << TAKEN_SHIFT));
                return;
            }
        }
        replaceInCells(line, content, 0);
    }

    /** Copies the contents of the taken slots; returns their number. */
    int gather(final long line, final int[] contents) {
        final int header = slab.getInt(line);
        int count = taken(header);
        for (int i = 0; i < count; i++) {
            contents[i] = slab.getInt(slotOffset(line, i + 1));
        }
        for (int cell = firstCell(line); cell != NULL; cell = nodeSlab.getInt(offset(cell))) {
            for (int slot = 1; slot <= CELL_SLOTS; slot++) {
                contents[count] = nodeSlab.getInt(slotOffset(offset(cell), slot));
                count += contents[count] == 0 ? 0 : 1;
            }
        }
        return count;
    }

    /** Empties all slots and frees the cells; {@code keepsIncomplete} says whether nodes without a slot still belong here. */
    void clear(final long line, final boolean keepsIncomplete) {
        final int header = slab.getInt(line);
        int cell = firstCell(line);
        final int mask = SPILLED | TAKEN_MASK << TAKEN_SHIFT | (keepsIncomplete ? 0 : INCOMPLETE);
        slab.putInt(line, header & ~mask);
        for (int slot = 1; slot <= LAST_SLOT; slot++) {
            slab.putInt(slotOffset(line, slot), 0);
        }
        while (cell != NULL) {
            final int next = nodeSlab.getInt(offset(cell));
            arena.free(cell, LOW_UNITS);
            cell = next;
        }
    }

    private int firstCell(final long line) {
        return (slab.getInt(line) & SPILLED) != 0 ? slab.getInt(slotOffset(line, LAST_SLOT)) : NULL;
    }

    /** Returns the numbers of the cells. */
    int[] cells(final long line) {
        return IntStream.iterate(firstCell(line), cell -> cell != NULL, cell -> nodeSlab.getInt(offset(cell))).toArray();
    }
}
