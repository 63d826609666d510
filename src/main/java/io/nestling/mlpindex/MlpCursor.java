/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.PositionedCursor;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over the entries: a walk over the leaves, and a position in the run of a leaf that has one. Keys are made on demand.
 * <h2>Thread safety</h2>
 * One thread, inside one guard since it was positioned.
 */
final class MlpCursor extends PositionedCursor {
    private final Runnable openCheck;
    private final LeafReader leaves;
    private final KeySource keys;
    private final MlpLeafWalk walk;
    private final RunPosition run = new RunPosition();
    private boolean inRun;
    private EntryKey current;
    private EntryKey before;
    /* Whether {@code before} is the entry before the last move. */
    private boolean moved;

    MlpCursor(final Lookup lookup, final Runnable openCheck) {
        this.openCheck = openCheck;
        this.leaves = lookup.leaves();
        this.keys = leaves.keys();
        this.walk = new MlpLeafWalk(lookup);
        this.current = new EntryKey(keys);
        this.before = new EntryKey(keys);
    }

    @Override
    public boolean first() {
        return startAtEnd(0L, true);
    }

    @Override
    public boolean last() {
        return startAtEnd(-1L, false);
    }

    private boolean startAtEnd(final long word, final boolean forward) {
        checkOpen();
        openCheck.run();
        moved = false;
        valid = walk.locate(word, forward);
        if (valid) {
            enterLeaf();
        }
        return valid;
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return start(key, offset, length, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return start(key, offset, length, false);
    }

    private boolean start(final byte[] key, final int offset, final int length, final boolean forward) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        openCheck.run();
        moved = false;
        return position(offset == 0 ? key : Arrays.copyOfRange(key, offset, offset + length), length, forward, forward);
    }

    /** Moves to the entry next to a key in a direction; to the key itself if inclusive. */
    private boolean position(final byte[] key, final int length, final boolean forward, final boolean inclusive) {
        final long word = KeyWord.of(key, 0, length);
        valid = walk.locate(word, forward);
        if (valid && walk.word() == word) {
            if (enterLeafAt(key, length, forward, inclusive)) {
                return true;
            }
            valid = walk.move(forward);
        }
        if (valid) {
            enterLeaf();
        }
        return valid;
    }

    @Override
    public boolean next() {
        return valid && move(true);
    }

    @Override
    public boolean previous() {
        return valid && move(false);
    }

    private boolean move(final boolean forward) {
        openCheck.run();
        final EntryKey last = current;
        current = before;
        before = last;
        moved = true;
        if (inRun) {
            // Keys of a run share their word; comparing them shows what they share beyond it.
            before.load();
            if (leaves.runs().move(forward ? 1 : -1, run)) {
                current.set(walk.word(), run.payload, false);
                return true;
            }
            if (!Runs.isAtEnd(forward ? 1 : -1, run) || !leaves.runs().isUnchanged(run)) {
                return position(before.bytes(), before.length(), forward, false);
            }
        }
        valid = walk.move(forward);
        if (valid) {
            enterLeaf();
        }
        return valid;
    }

    /** Enters the first or last entry of the current leaf. */
    private void enterLeaf() {
        final long meta = walk.meta();
        final long payload = MlpNodeLayout.payload(meta);
        final int kind = MlpNodeLayout.kind(meta);
        inRun = kind == RUN;
        if (inRun) {
            leaves.runs().goToEnd(payload, walk.isForward(), run);
            current.set(walk.word(), run.payload, false);
        } else {
            current.set(walk.word(), kind == BOXED ? leaves.unbox(payload) : payload, kind != SINGLE);
        }
    }

    /** Enters the entry next to a key that has the word of the leaf; returns false if the leaf has none. */
    private boolean enterLeafAt(final byte[] key, final int length, final boolean forward, final boolean inclusive) {
        if (MlpNodeLayout.kind(walk.meta()) == RUN) {
            inRun = true;
            if (!leaves.runs().searchFrom(MlpNodeLayout.payload(walk.meta()), key, length, forward, inclusive, run)) {
                return false;
            }
            current.set(walk.word(), run.payload, false);
            return true;
        }
        enterLeaf();
        final int order = current.isExact()
            ? Integer.compare(KeyWord.BYTES, length)
            : keys.compareKey(current.payload(), key, 0, length);
        return order == 0 ? inclusive : forward == order > 0;
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return current.bytes();
    }

    @Override
    public int keyLength() {
        checkValid();
        return current.length();
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return moved ? before.commonPrefix(current) : 0;
    }

    @Override
    public long payload() {
        checkValid();
        return current.payload();
    }
}
