/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.LazyKeyCursor;
import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;

import java.util.Objects;

/**
 * Cursor over the leaves. A seek descends along the key and then to the nearest leaf on the wanted side; it sees all these nodes
 * in one state of the trie. Steps take leaves from {@link LeafBatches} if nearly all leaves stand at two depths, else from a
 * {@link LeafStream}. Keys are read from their records on request.
 * <h2>Thread safety</h2>
 * One thread; the writer may work meanwhile.
 */
final class CuckooTrieCursor extends LazyKeyCursor {
    private static final byte[] EMPTY_KEY = {};
    /* Calls of the stream before batches are tried again. */
    private static final int MOST_STREAMED = 1024;
    /* Stands for the depth at which the table counted most leaves. */
    private static final int AS_COUNTED = -1;
    /** No leaf on the wanted side. */
    private static final long NOTHING = PointIndex.NONE;
    /** The trie changed on the way. */
    private static final long INTERRUPTED = -2;

    private final CuckooTrie index;
    private final KeySource keys;
    private final Descent descent = new Descent();
    /* What was not visited yet, in the cursor's direction. */
    private final InnerPath pending = descent.path();
    private final EntryProbe probe = new EntryProbe();
    private final NodePath passed = new NodePath();
    private final LeafBuffer leaves = new LeafBuffer();
    private final int depthOfBatches;
    /* Sources of further leaves; created on demand. */
    private LeafStream stream;
    private LeafBatches batches;
    /* Whether one of these continues from what is pending. */
    private boolean begun;
    /* The upper one of the two depths of nearly all leaves if batches are in use, else 0. */
    private int upper;
    /* Whether too much was below a node for batches, so that the stream serves for a while. */
    private boolean irregular;
    private int streamed;
    private boolean interrupted;
    /* Whether an error ended a search or a step, so that the next step must search. */
    private boolean searchNeeded;
    private NodeTable table;
    private boolean forward;

    CuckooTrieCursor(final CuckooTrie index, final KeySource keys) {
        this(index, keys, AS_COUNTED);
    }

    /** Makes a cursor that expects most leaves at a depth, or uses no batches if it is 0. */
    CuckooTrieCursor(final CuckooTrie index, final KeySource keys, final int depthOfBatches) {
        super(keys);
        this.index = index;
        this.keys = keys;
        this.depthOfBatches = depthOfBatches;
    }

    // ---- positioning

    @Override
    public boolean first() {
        return position(EMPTY_KEY, 0, 0, true, true);
    }

    @Override
    public boolean last() {
        return position(null, 0, 0, false, false);
    }

    @Override
    public boolean seek(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return position(bytes, offset, length, true, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return position(bytes, offset, length, false, false);
    }

    private boolean position(
        final byte[] bytes, final int offset, final int length, final boolean up, final boolean inclusive) {
        checkOpen();
        irregular = false;
        final long found = find(bytes, offset, length, up, inclusive);
        forgetBefore();
        return enter(found);
    }

    /**
     * Returns the nearest leaf on one side of a key, the first of the walk; null stands for a key above all.
     */
    private long find(
        final byte[] bytes, final int offset, final int length, final boolean up, final boolean inclusive) {
        int attempt = 0;
        searchNeeded = true;
        while (true) {
            table = index.tableOpen();
            forward = up;
            pending.clear();
            passed.clear();
            final long found = bytes == null
                ? fromRoot() : fromKey(bytes, offset, length, inclusive);
            if (found != INTERRUPTED && (bytes == null || descent.isPathUnchanged(table)) && passed.isUnchanged(table)) {
                descent.forgetKey();
                leaves.clear();
                begun = false;
                searchNeeded = false;
                return found;
            }
            Backoff.pause(++attempt, table.failure());
        }
    }

    private long fromRoot() {
        probe.root(table);
        passed.add(probe.line(), probe.version());
        if (!isUsed(probe.head())) {
            return NOTHING;
        }
        if (isLeaf(probe.head())) {
            return probe.payload();
        }
        pending.add(table.hash().root(), 0, probe);
        return pending.isEmpty() ? INTERRUPTED : nearest(); // torn read
    }

    private long fromKey(final byte[] bytes, final int offset, final int length, final boolean inclusive) {
        final int end = descent.run(table, bytes, offset, length, Descent.FROM_ROOT);
        passed.add(descent.end().line(), descent.end().version());
        boolean isJumpNext = false;
        if (end == Descent.OFF_JUMP) {
            final int label = label(descent.end().head(), descent.end().tail(), descent.missing()) + FIRST_CODE;
            isJumpNext = label > descent.keyCode(descent.depth() + descent.missing()) == forward;
        }
        for (int level = 0; level < pending.levels(); level++) {
            final InnerPath.Node node = pending.at(level);
            if (type(node.head) == BITMAP) {
                final long bit = childBit(descent.keyCode(node.depth));
                node.rest &= forward ? -bit << 1 : bit - 1;
            } else if (!isJumpNext || level + 1 < pending.levels()) {
                node.rest = 0;
            }
        }
        pending.leaveVisited();
        if (end == Descent.AT_LEAF) {
            final int order = descent.compareLeaf(keys);
            if (forward ? order > 0 || order == 0 && inclusive : order < 0) {
                return descent.end().payload();
            }
        }
        return nearest();
    }

    /** Returns the first leaf of what is pending. */
    private long nearest() {
        if (pending.isEmpty()) {
            return NOTHING;
        }
        do {
            final int depth = pending.nextDepth();
            pending.take(table.hash(), forward);
            passed.add(pending.lineAbove(), pending.versionAbove());
            if (!pending.read(table, probe)) {
                return INTERRUPTED;
            }
            passed.add(probe.line(), probe.version());
            if (isLeaf(probe.head())) {
                return probe.payload();
            }
            pending.add(pending.hash(), depth, probe);
        } while (!pending.isEmpty());
        return INTERRUPTED; // torn read
    }

    // ---- steps

    @Override
    public boolean next() {
        return valid && step(true);
    }

    @Override
    public boolean previous() {
        return valid && step(false);
    }

    private boolean step(final boolean up) {
        if (up == forward && !searchNeeded) {
            if (leaves.next()) {
                return moveTo(leaves.payload());
            }
            final boolean sameTable = index.tableOpen() == table;
            searchNeeded = true;
            final boolean found = sameTable && nextLeaves();
            searchNeeded = false;
            if (found) {
                return moveTo(leaves.payload());
            }
            if (sameTable && !interrupted) {
                return stop();
            }
        }
        return moveTo(find(keyBuffer(), 0, keyLength(), up, false));
    }

    /** Fetches more leaves; returns false if there are none, or if the cursor must search its position again. */
    private boolean nextLeaves() {
        if (!begun) {
            begin();
        }
        final boolean found;
        if (readsBatches()) {
            found = batches.next(pending, forward);
            interrupted = batches.isInterrupted();
            irregular = batches.isIrregular();
        } else if (irregular && ++streamed > MOST_STREAMED) {
            found = false;
            interrupted = true;
            irregular = false;
        } else {
            found = stream.next(pending, forward);
            interrupted = stream.isInterrupted();
        }
        return found;
    }

    /** Returns whether leaves come in batches. */
    boolean readsBatches() {
        return upper > 0;
    }

    private void begin() {
        upper = irregular ? 0 : depthOfBatches == AS_COUNTED ? table.guessedDepth() : depthOfBatches;
        if (readsBatches()) {
            if (batches == null) {
                batches = new LeafBatches(keys, leaves);
            }
            streamed = 0;
            batches.restart(table, upper);
        } else {
            if (stream == null) {
                stream = new LeafStream(keys, leaves);
            }
            stream.restart(table);
        }
        begun = true;
    }

    private boolean moveTo(final long next) {
        leave();
        return enter(next);
    }

    private boolean stop() {
        valid = false;
        return false;
    }

    @Override
    protected void keyRead(final int length) {
        leaves.expectKeys(length);
    }
}
