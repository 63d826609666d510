/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * A walk over the leaves of the trie in either direction. It runs ahead: each depth of the trie has a queue of children whose
 * buckets are requested, and read later a batch at once, so that their misses overlap. The leaves of a batch are copied in order,
 * and most steps only move to the next copy.
 * <p>
 * A node that is found is always right about the keys below its prefix, so that the walk visits every leaf that is present all
 * the time, whatever moves meanwhile. If a child is missing, the walk restarts behind the last leaf.
 * <h2>Thread safety</h2>
 * One thread, inside a guard.
 */
final class MlpLeafWalk {
    private static final int FLAT_LENGTH = FIRST_LEVEL - 1;
    private static final int DEPTHS = LAST_LEVEL - FLAT_LENGTH;
    private static final int FOUND = 1;
    private static final int END = 0;
    private static final int START_OVER = -1;
    private static final int NO_PAIR = -1;
    /* Leaves to have ahead of the walk: few at first, as a short scan does not need what lies behind its end. */
    private static final int FIRST_BATCH = 4;
    private static final int NEXT_BATCH = 12;
    private static final int LAST_BATCH = 28;
    /* The lead grows by a leaf after so many leaves walked (as a shift). */
    private static final int WALKED_SHIFT = 4;
    /* Most leaves copied at once. */
    private static final int COPIES = 32;

    private final BucketTable table;
    private final FlatLevels flat;
    private final boolean hasRecords;
    private final PrefetchVector lines = new PrefetchVector();
    private final Node node = new Node();
    private final ChildQueue[] queues = new ChildQueue[DEPTHS];
    /* Children of the node above that the walk has not taken, by depth; not counted at the first depth. */
    private final int[] left = new int[DEPTHS];
    /* The depth of the next child, and the greatest depth that may have children. */
    private int depth;
    private int deepest;
    /* The first queue that may have children requested and not read. */
    private int firstInFlight;
    /* Whether the queues were filled from where the walk was located. */
    private boolean begun;
    /* The pair of bytes whose children are added at the first depth. */
    private int pair;
    /* Copies of leaves; those from {@code next} on are to be visited. */
    private final long[] words = new long[COPIES];
    private final long[] metas = new long[COPIES];
    private int next;
    private int copied;
    private int batch;
    private int walked;
    private long word;
    private long meta;
    private boolean forward;

    MlpLeafWalk(final Lookup lookup) {
        this.table = lookup.table();
        this.flat = lookup.flat();
        this.hasRecords = lookup.leaves().keys() != KeySource.NONE;
        for (int i = 0; i < DEPTHS; i++) {
            queues[i] = new ChildQueue(lookup, lines);
        }
    }

    /** Returns the word of the current leaf. */
    long word() {
        return word;
    }

    /** Returns the meta of the current leaf, as copied. */
    long meta() {
        return meta;
    }

    boolean isForward() {
        return forward;
    }

    /** Moves to the nearest leaf at or beyond a word in a direction. */
    boolean locate(final long target, final boolean towards) {
        forward = towards;
        table.addHotTo(lines, target);
        lines.request();
        for (int times = 0;; times++) {
            final int result = locateOnce(target);
            if (result != START_OVER) {
                return result == FOUND;
            }
            table.versions().pause(times);
        }
    }

    private int locateOnce(final long target) {
        next = 0;
        copied = 0;
        depth = 0;
        begun = false;
        holdPair((int) (target >>> Long.SIZE - Byte.SIZE * FLAT_LENGTH), KeyWord.byteAt(target, FLAT_LENGTH));
        if (!flat.contains(target)) {
            return advance();
        }
        int level = FIRST_LEVEL;
        while (true) {
            if (!table.find(target, level, node)) {
                return START_OVER;
            }
            final int order = Long.compareUnsigned(node.key, target);
            if (isLeaf(node.meta)) {
                return order == 0 || forward == order > 0 ? found() : advance();
            }
            final int full = fullKeyLen(node.meta);
            if (!KeyWord.sharePrefix(node.key, target, full)) {
                if (forward == order > 0) {
                    hold(forward ? -1 : ChildMap.CHILDREN);
                }
                return advance();
            }
            final int child = KeyWord.byteAt(target, full);
            hold(child);
            if (!node.contains(child)) {
                return advance();
            }
            level = full + 1;
        }
    }

    private void holdPair(final int newPair, final int behind) {
        pair = newPair;
        flat.copyBits(pair, queues[0].bits());
        queues[0].hold((long) pair << Long.SIZE - Byte.SIZE * FLAT_LENGTH, FLAT_LENGTH, behind);
    }

    /** Enters a node behind one of its children. */
    private void hold(final int behind) {
        final ChildQueue queue = queues[++depth];
        node.copyBits(queue.bits(), 0);
        queue.hold(KeyWord.prefix(node.key, fullKeyLen(node.meta)), fullKeyLen(node.meta), behind);
    }

    /** Begins to run ahead from where the walk was located. */
    private void begin() {
        begun = true;
        batch = FIRST_BATCH;
        walked = 0;
        deepest = depth;
        firstInFlight = depth;
        for (int i = 0; i < DEPTHS; i++) {
            queues[i].clear();
            if (i <= depth) {
                final int children = queues[i].begin(forward);
                left[i] = queues[i].remaining();
                if (i > 0) {
                    queues[i - 1].expect(children);
                }
            }
        }
    }

    private int found() {
        word = node.key;
        meta = node.meta;
        return FOUND;
    }

    /** Moves to the next leaf in a direction. */
    boolean move(final boolean towards) {
        if (towards != forward) {
            return locateBeyond(word, towards);
        }
        if (next == copied) {
            return nextBatch();
        }
        word = words[next];
        meta = metas[next++];
        return true;
    }

    private boolean nextBatch() {
        final long last = word;
        final int result = advance();
        if (result != START_OVER) {
            return result == FOUND;
        }
        return locateBeyond(last, forward);
    }

    private boolean locateBeyond(final long last, final boolean towards) {
        return last != (towards ? -1L : 0L) && locate(towards ? last + 1 : last - 1, towards);
    }

    /** Copies leaves and moves to the first of them. */
    private int advance() {
        if (!begun) {
            begin();
        }
        int result;
        do {
            if (hasRecords) {
                // Copies what was read before, so that its records have been under way for some time.
                result = copyOut();
                runAhead();
            } else {
                runAhead();
                result = copyOut();
            }
        } while (result == FOUND && copied == 0);
        if (result == FOUND) {
            word = words[0];
            meta = metas[0];
            next = 1;
        }
        return result;
    }

    /** Requests enough for at least a batch of leaves next time, and reads what was requested before. */
    private void runAhead() {
        final int first = addBatch();
        final int end = deepest;
        for (int i = Math.min(first, firstInFlight); i <= end; i++) {
            if (queues[i].readAdded() && i == deepest) {
                deepest = i + 1;
            }
        }
        firstInFlight = first;
        batch = Math.min(LAST_BATCH, NEXT_BATCH + (walked >> WALKED_SHIFT));
    }

    /** Adds children from the deepest queue up, until one queue has enough; returns its depth. */
    private int addBatch() {
        int first = deepest + 1;
        int below = 0;
        do {
            final ChildQueue queue = queues[--first];
            final int supply = queue.supply() + below;
            if (supply >= batch || queue.ahead() >= batch << 1) {
                break;
            }
            if (first > 0) {
                queue.add(queue.itemsFor(batch - supply), queues[first - 1], forward);
            } else {
                addAtTop(queue.itemsFor(batch - supply));
            }
            below = queue.remaining();
        } while (first > 0);
        lines.request();
        return first;
    }

    private void addAtTop(final int wanted) {
        int rest = wanted;
        do {
            final int count = Math.min(rest, queues[0].remaining());
            queues[0].add(count, null, forward);
            rest -= count;
        } while (rest > 0 && queues[0].remaining() == 0 && nextPair());
    }

    private boolean nextPair() {
        final int start = pair + (forward ? 1 : -1);
        final int found = pair < 0 || start < 0 ? -1 : flat.nextPair(start, forward);
        if (found < 0) {
            pair = NO_PAIR;
            return false;
        }
        holdPair(found, forward ? -1 : ChildMap.CHILDREN);
        queues[0].begin(forward);
        return true;
    }

    /** Copies the next leaves, as far as they are read. */
    private int copyOut() {
        // mlpindex-concurrency.md, claim 8
        int to = 0;
        int at = depth;
        int result = FOUND;
        ChildQueue queue = queues[at];
        while (to < COPIES) {
            if (at > 0 && left[at] == 0) {
                queue = queues[--at];
                continue;
            }
            if (!queue.canTake()) {
                if (at == 0 && pair < 0 && queue.isEmpty() && to == 0) {
                    result = END;
                }
                break;
            }
            final long found = queue.nextMeta();
            if (found == FREE) {
                if (to == 0) {
                    result = START_OVER;
                }
                break;
            }
            left[at]--;
            if (MlpNodeLayout.isLeaf(found)) {
                words[to] = queue.nextKey();
                metas[to++] = found;
                queue.takeLeaf();
            } else {
                queue.takeInner();
                queue = queues[++at];
                left[at] = MlpNodeLayout.count(found);
            }
        }
        depth = at;
        next = 0;
        copied = to;
        walked += to;
        return result;
    }
}
