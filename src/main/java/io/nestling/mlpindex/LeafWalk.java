/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

/**
 * A walk over the leaves of the trie in either direction. It keeps the children of the nodes above the leaf
 * where it stands, as they
 * were when it came there, and looks each child up when it gets to it; where one is missing it starts over from the top.
 * <p>
 * A node that is found always tells the truth about the keys below its prefix, so that a leaf that is there all the time is not
 * left out, whatever moves meanwhile.
 * <h2>Thread safety</h2>
 * One thread, under a guard.
 */
final class LeafWalk {
    private static final int FLAT_LENGTH = FIRST_LEVEL - 1;
    private static final int MOST_FRAMES = LAST_LEVEL - FLAT_LENGTH;
    private static final int FOUND = 1;
    private static final int END = 0;
    private static final int START_OVER = -1;

    private final BucketTable table;
    private final FlatLevels flat;
    private final LookAhead lookAhead;
    private final Node node = new Node();
    private final long[] bits = new long[MOST_FRAMES * ChildMap.WORDS];
    private final long[] prefix = new long[MOST_FRAMES];
    private final int[] length = new int[MOST_FRAMES];
    private int top;
    private boolean forward;

    LeafWalk(final Lookup lookup) {
        this.table = lookup.table();
        this.flat = lookup.flat();
        this.lookAhead = new LookAhead(lookup, bits, prefix, length);
    }

    /** The word of the leaf where the walk stands. */
    long word() {
        return node.key;
    }

    /** The meta of the leaf where the walk stands, as it was when the walk came there. */
    long meta() {
        return node.meta;
    }

    /** Goes to the nearest leaf at a word or beyond it in a direction. */
    boolean locate(final long target, final boolean towards) {
        forward = towards;
        lookAhead.restart(target, towards);
        for (int times = 0;; times++) {
            final int result = locateOnce(target);
            if (result != START_OVER) {
                return result == FOUND;
            }
            Versions.pause(times);
        }
    }

    private int locateOnce(final long target) {
        top = -1;
        final int pair = (int) (target >>> Long.SIZE - Byte.SIZE * FLAT_LENGTH);
        pushFlat(pair, KeyWord.byteAt(target, FLAT_LENGTH));
        int level = FIRST_LEVEL;
        while (isSet(KeyWord.byteAt(target, level - 1))) {
            if (!table.find(target, level, node)) {
                return START_OVER;
            }
            final int order = Long.compareUnsigned(node.key, target);
            if (node.isLeaf()) {
                return order == 0 || forward == order > 0 ? FOUND : advance();
            }
            final int full = node.fullKeyLen();
            if (!KeyWord.sharePrefix(node.key, target, full)) {
                if (forward != order > 0) {
                    return advance();
                }
                push(forward ? -1 : ChildMap.CHILDREN);
                return advance();
            }
            push(KeyWord.byteAt(target, full));
            level = full + 1;
        }
        return advance();
    }

    /** Goes to the next leaf in the direction of the walk. */
    boolean next() {
        final long last = node.key;
        final int result = advance();
        if (result != START_OVER) {
            return result == FOUND;
        }
        return last != (forward ? -1L : 0L) && locate(forward ? last + 1 : last - 1, forward);
    }

    boolean isForward() {
        return forward;
    }

    private boolean isSet(final int child) {
        return (bits[(top << 2) + (child >>> 6)] >>> child & 1) != 0;
    }

    private int advance() {
        while (true) {
            final int next = lookAhead.take(top);
            if (next >= 0) {
                return enter(next);
            }
            if (top > 0) {
                top--;
            } else if (!nextFlat()) {
                return END;
            }
        }
    }

    /** Goes to a child that was taken, and to its first leaf, or its last one. */
    private int enter(final int first) {
        int next = first;
        while (true) {
            final long meta = lookAhead.takenMeta();
            final boolean known = meta != FREE && cells(meta) == SMALL_CELLS;
            if (known) {
                node.meta = meta;
                node.key = lookAhead.takenKey();
            } else if (!table.find(KeyWord.extend(prefix[top], length[top], next), length[top] + 1, node)) {
                return START_OVER;
            }
            if (node.isLeaf()) {
                return FOUND;
            }
            if (known) {
                pushTaken();
            } else {
                push(forward ? -1 : ChildMap.CHILDREN);
            }
            next = lookAhead.take(top);
        }
    }

    private boolean nextFlat() {
        final int pair = (int) (prefix[0] >>> Long.SIZE - Byte.SIZE * FLAT_LENGTH) + (forward ? 1 : -1);
        final int next = pair < 0 ? -1 : flat.nextPair(pair, forward);
        if (next < 0) {
            return false;
        }
        pushFlat(next, forward ? -1 : ChildMap.CHILDREN);
        return true;
    }

    private void push(final int place) {
        top++;
        node.copyBits(bits, top << 2);
        length[top] = node.fullKeyLen();
        prefix[top] = KeyWord.prefix(node.key, node.fullKeyLen());
        lookAhead.pushed(top, place);
    }

    /** Goes below the small node that was taken, all children of which were requested. */
    private void pushTaken() {
        top++;
        length[top] = node.fullKeyLen();
        prefix[top] = KeyWord.prefix(node.key, node.fullKeyLen());
        lookAhead.pushedTaken(top);
    }

    private void pushFlat(final int pair, final int place) {
        top = 0;
        flat.copyBits(pair, bits, 0);
        length[0] = FLAT_LENGTH;
        prefix[0] = (long) pair << Long.SIZE - Byte.SIZE * FLAT_LENGTH;
        lookAhead.pushed(0, place);
    }
}
