/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.LoweredLimit;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.Claim;
import io.nestling.offheap.PaddedCounters;

/**
 * Holds the node index of a list and renews it as the list grows: each put does a small piece, so that no put takes long.
 * <p>
 * The node index is optional: without it searches begin at the head. It is charged to the budget and dropped when memory runs
 * out. A remover drops it before it retires the node: so a node index found inside a guard has only nodes that are not reused
 * within that guard.
 * <h2>Thread safety</h2>
 * Any thread may call any method. One thread at a time builds; the others do not wait for it.
 */
final class NodeIndexMaintainer {
    private static final int MIN_ENTRIES = LoweredLimit.of("skiplist.nodeIndexEntries", 1 << 10, 16);
    /** Greatest number of listed nodes. */
    private static final int MOST_LISTED = 1 << 29;
    /** Quarters by which the list grows before a new node index is begun. */
    private static final int GROWTH = 3;
    /** After a drop, growth by a quarter is enough. */
    private static final int AFTER_DROP_SHIFT = 2;
    private static final int HEADROOM_SHIFT = 5;

    private final Nodes nodes;
    private final MemoryBudget budget;
    private final PaddedCounters entryCount;
    /* Held while a thread builds or drops. All writers read the fields here, mostly while another thread holds it. */
    private final Claim lock = new Claim();
    private volatile NodeIndex current;
    private volatile long charged;
    private volatile int beginAt = MIN_ENTRIES;
    /* The node index under construction or null; changed under the lock. */
    private volatile NodeIndexBuilder draft;

    NodeIndexMaintainer(final Nodes nodes, final MemoryBudget budget, final PaddedCounters entryCount) {
        this.nodes = nodes;
        this.budget = budget;
        this.entryCount = entryCount;
    }

    /** Returns the node index, or null. Call inside a guard. */
    NodeIndex current() {
        return current;
    }

    /** Returns the number of bytes charged to the budget. */
    long bytes() {
        return charged;
    }

    /**
     * Called inside the guard in which a node was linked; {@code higher} says that it is on the level above too: one in 16 is,
     * often enough to notice that a renewal is due.
     */
    void onPut(final boolean higher) {
        // One of several writers builds; the others go on with their puts.
        if ((draft != null || higher && entries() >= beginAt) && tryLock()) {
            try {
                build();
            } catch (final RuntimeException | OutOfMemoryError e) {
                end(); // the node index is optional, and the node is in the list
            } finally {
                lock.held = Claim.FREE;
            }
        }
    }

    private int entries() {
        return (int) Math.min(MOST_LISTED, entryCount.sum(0));
    }

    /**
     * Drops the node index, finished or not; returns whether this freed memory. A remover calls this between unlinking and
     * retiring a node, so that a later renewal cannot list the node.
     */
    boolean drop() {
        // Most pieces take microseconds; the first one allocates arrays for all nodes.
        for (int pauses = 0; !tryLock(); pauses++) {
            Backoff.pause(pauses);
        }
        try {
            return end();
        } finally {
            lock.held = Claim.FREE;
        }
    }

    private boolean tryLock() {
        return lock.held == Claim.FREE && lock.tryHold(Claim.HELD);
    }

    /** As {@link #drop}, under the lock. */
    private boolean end() {
        final long bytes = charged;
        current = null;
        draft = null;
        budget.release(bytes);
        charged = 0; // after the release: an error before it leads to a second try
        final int entries = entries();
        beginAt = entries + Math.max(MIN_ENTRIES, entries >> AFTER_DROP_SHIFT);
        return bytes > 0;
    }

    /** Returns the number of entries at which the next node index is begun. */
    private static int growth(final int entries) {
        return entries + Math.max(MIN_ENTRIES, (entries >> 2) * GROWTH);
    }

    private void build() {
        NodeIndexBuilder present = draft;
        if (present == null) {
            final int entries = entries();
            if (entries < beginAt) {
                return;
            }
            final int capacity = 1 + Math.min(MOST_LISTED, entries + (entries >> HEADROOM_SHIFT));
            final long bytes = NodeIndex.bytes(capacity);
            if (!budget.tryAcquire(bytes)) {
                beginAt = growth(beginAt);
                return;
            }
            charged += bytes;
            present = new NodeIndexBuilder(nodes, current, capacity);
            draft = present;
        }
        if (!present.advance()) {
            return;
        }
        if (present.isEmpty()) {
            end(); // all counted nodes are gone
        } else {
            final long bytes = NodeIndex.bytes(present.capacity());
            current = present.finish();
            draft = null;
            budget.release(charged - bytes);
            charged = bytes;
            beginAt = growth(entries());
        }
    }
}
