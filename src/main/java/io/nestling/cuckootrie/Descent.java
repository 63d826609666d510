/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

import java.lang.invoke.VarHandle;

/**
 * Walks from the root along a key as far as the trie goes. The hashes of the key's prefixes are known in advance: the buckets of
 * a window of them are requested together, and the walk follows while their lines arrive. A walk of {@link CuckooTrieBatchLookup}
 * goes step by step instead: it names the next node's bucket only, and is suspended.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: an answer counts only if at the end all buckets of the path are
 * unchanged, else the walk restarts (cuckoo-trie-concurrency.md, claims 1 to 11).
 * <p>
 * Algorithms 1 and 2 of the paper.
 * <p> Longer than 450 lines: all steps share the hashes of the key's prefixes and the buckets that these give.
 */
final class Descent {
    /** The trie has no root. */
    static final int EMPTY = 0;
    /** At a leaf, whose name is a prefix of the key. */
    static final int AT_LEAF = 1;
    /** At a bitmap node without a child for {@link #missing()}. */
    static final int NO_CHILD = 2;
    /** At a jump node whose label {@link #missing()} is not the key's. */
    static final int OFF_JUMP = 3;

    /** The walk begins at the root, and is not validated; {@link ContendedLookup} validates its last node. */
    static final int UNVALIDATED = -1;
    /** The walk begins at the root, and keeps its path. */
    static final int FROM_ROOT = 0;
    /** The walk begins at the node of {@link BucketLayout#TOP_DEPTH} symbols, if there is one. */
    static final int FROM_TOP = 1;
    /** The walk begins at the deepest node that seems to be a checkpoint on the key's path, if any. */
    static final int FROM_CHECKPOINT = 2;

    /** The buckets needed next were just requested. */
    static final int SUSPENDED = 4;

    private static final int STEP_ROOT = 0;
    private static final int STEP_CHILD = 1;
    private static final int STEP_JUMP = 2;
    private static final int STEP_TOP = 3;
    private static final int STEP_CHECKPOINT = 4;
    /* More than the greatest depth of a checkpoint and the depths hashed behind it. */
    private static final int RING = 512;
    private static final int RING_MASK = RING - 1;
    /** System property: number of depths whose buckets are requested together, 1 to {@link #MAX_WINDOW}. */
    static final String WINDOW_PROP_NAME = "io.nestling.cuckootrie.window";
    private static final int MAX_WINDOW = 32;
    private static final int DEFAULT_WINDOW = 12;
    private static final int WINDOW =
        Math.max(1, Math.min(Integer.getInteger(WINDOW_PROP_NAME, DEFAULT_WINDOW), MAX_WINDOW));
    /* Most depths hashed in a row; only those that miss the caches count for the window. */
    private static final int MAX_HASHED = 32;
    /* With checkpoints, puts of tuples, whose checkpoints lie at depth 15, were a tenth slower; puts of paths a third faster. */
    private static final int PUT_CHECKPOINT = 3 * CHECKPOINT_STEP;
    /* Offset of a bucket that was not computed yet. */
    private static final long UNKNOWN = 0;
    private static final byte[] NO_KEY = {};

    private final boolean stepByStep;
    /* The node read last. */
    private final EntryProbe probe = new EntryProbe();
    private final PrefetchVector lines;
    private final NodePath passed = new NodePath();
    private final InnerPath path = new InnerPath();
    private final CheckpointValidator validator = new CheckpointValidator();
    /* Hashes of the prefixes of up to {@code hashed} codes, and these codes. */
    private final long[] ring = new long[RING];
    private final byte[] codes = new byte[RING];
    /* For each prefix: offsets of its primary and secondary bucket, and tag and secondary bit there. */
    private final long[] lineAt = new long[2 * RING];
    private final int[] tagAndSecondaryAt = new int[2 * RING];
    private int hashed;
    /* Depths whose buckets were requested if worthwhile. */
    private int asked;

    private byte[] key = NO_KEY;
    private int offset;
    private int length;
    private int count;

    private long hash;
    private int depth;
    private int missing;

    /* What is read next: the root, or the child of the current node at this depth. */
    private int step;
    private int stepCode;
    private int stepColor;
    /* 1 if that child stands in its secondary bucket. */
    private int stepHint;
    private int attempts;
    /* Restarts after which the walk counts as contended. */
    private int patience;
    private int start;
    private boolean mayUseTop;
    /* Depth of the checkpoint where the walk began or is about to begin; 0 if none. */
    private int checkpoint;
    private long checkpointHash;
    /* Nothing below this depth is likely to be needed. */
    private int ceiling;
    /* The name where the walk began and the color of its node plus 1, if it began below the root. */
    private int topName;
    private int topColor;

    /** Makes a descent that requests the buckets of many prefixes together. */
    Descent() {
        stepByStep = false;
        lines = new PrefetchVector();
    }

    /** Makes a descent that names only the next node's bucket, as its parent tells it; the caller requests the named lines. */
    Descent(final PrefetchVector named) {
        stepByStep = true;
        lines = named;
    }

    /**
     * Walks from {@link #FROM_ROOT} or {@link #UNVALIDATED} along a key; returns where it ended: {@link #EMPTY}, {@link
     * #AT_LEAF}, {@link #NO_CHILD} or {@link #OFF_JUMP}.
     */
    int run(final NodeTable table, final byte[] bytes, final int from, final int bytesOfKey, final int firstNode) {
        begin(table, bytes, from, bytesOfKey, firstNode);
        int stop = advance(table);
        while (stop == SUSPENDED) {
            stop = advance(table);
        }
        return stop;
    }

    /** Begins a put's walk, at a deep checkpoint only: proving that it is on the key's path costs reading a record. */
    void beginPut(final NodeTable table, final byte[] bytes, final int from, final int bytesOfKey) {
        begin(table, bytes, from, bytesOfKey, table.deepestCheckpoint() >= PUT_CHECKPOINT ? FROM_CHECKPOINT : FROM_TOP);
    }

    /** Walks for a put; returns where the walk ended. */
    int runPut(final NodeTable table, final KeySource keys) {
        while (true) {
            final int stop = advance(table);
            if (stop != SUSPENDED) {
                if (isOnKeysPath(table, keys)) {
                    return stop;
                }
                restart(table);
            }
        }
    }

    /**
     * Begins a walk along a key, {@link #UNVALIDATED}, {@link #FROM_ROOT}, {@link #FROM_TOP} or {@link #FROM_CHECKPOINT}:
     * requests the first buckets.
     */
    void begin(
        final NodeTable table, final byte[] bytes, final int from, final int bytesOfKey, final int firstNode) {
        key = bytes;
        offset = from;
        length = bytesOfKey;
        count = Symbols.count(bytesOfKey);
        attempts = 0;
        patience = ContendedLookup.MAX_RESTARTS;
        start = firstNode;
        mayUseTop = firstNode >= FROM_TOP && count >= BucketLayout.TOP_DEPTH;
        beginAgain(table);
    }

    /** Restarts the walk: what it did not find may have come meanwhile. */
    void restart(final NodeTable table) {
        if (checkpoint == 0) {
            Backoff.pause(++attempts, table.failure()); // not after a checkpoint: that may fail in an unchanged trie
        }
        start = Math.min(start, FROM_TOP);
        beginAgain(table);
    }

    private void beginAgain(final NodeTable table) {
        passed.clear();
        path.clear();
        depth = 0;
        hashed = 0;
        asked = 0;
        hash = table.hash().root();
        ring[0] = hash;
        step = STEP_ROOT;
        topColor = 0;
        ceiling = Integer.MAX_VALUE;
        checkpoint = start == FROM_CHECKPOINT ? Math.min(table.deepestCheckpoint(), count - count % CHECKPOINT_STEP) : 0;
        if (checkpoint > 0) {
            requestCheckpoints(table);
        } else if (mayUseTop) {
            beginAtTop(table);
        } else {
            reach(table, 1);
        }
    }

    /** Requests the buckets of all prefixes of the key that can be checkpoints. */
    private void requestCheckpoints(final NodeTable table) {
        step = STEP_CHECKPOINT;
        hash(table.hash(), checkpoint);
        for (int at = checkpoint; at > 0; at -= CHECKPOINT_STEP) {
            requestHashed(table, at);
        }
        if (!stepByStep) {
            lines.request();
        }
    }

    /** Enters the deepest checkpoint on the key's path; returns false if there is none. */
    private boolean enterCheckpoint(final NodeTable table) {
        for (int at = checkpoint; at > 0; at -= CHECKPOINT_STEP) {
            if (lineAt[2 * at] == UNKNOWN) {
                locate(table.hash(), table.buckets(), at);
            }
            final int wanted = codes[at - 1] << SYMBOL_SHIFT;
            if ((probe.read(table, lineAt[2 * at], wanted | tagAndSecondaryAt[2 * at], BY_NAME_MASK)
                || probe.read(table, lineAt[2 * at + 1], wanted | tagAndSecondaryAt[2 * at + 1], BY_NAME_MASK))
                && isCheckpoint(probe.head(), probe.tail())) {
                ceiling = at == checkpoint ? Integer.MAX_VALUE : at + CHECKPOINT_STEP;
                checkpoint = at;
                hash = ring[at];
                checkpointHash = hash;
                depth = at;
                asked = Math.max(asked, at);
                take();
                return true;
            }
        }
        checkpoint = 0;
        asked = Math.min(asked, BucketLayout.TOP_DEPTH - 1); // buckets above were not requested
        return false;
    }

    private void beginAtTop(final NodeTable table) {
        // cuckoo-trie-concurrency.md, claim 8
        reach(table, BucketLayout.TOP_DEPTH);
        topName = Symbols.topName(key, offset, length, codes[BucketLayout.TOP_DEPTH - 1]);
        topColor = table.topColor(topName);
        if (topColor != 0) {
            step = STEP_TOP;
            stepCode = codes[BucketLayout.TOP_DEPTH - 1];
            stepColor = topColor - 1;
            stepHint = 0;
            depth = BucketLayout.TOP_DEPTH;
        }
    }

    /** Forgets the key, and the memory that a long one needed. */
    void forgetKey() {
        key = NO_KEY;
        passed.trim();
    }

    /** Continues the walk; returns where it ended, or {@link #SUSPENDED} if it has requested buckets that it needs. */
    int advance(final NodeTable table) {
        while (true) {
            if (step == STEP_CHECKPOINT) {
                if (!enterCheckpoint(table)) {
                    step = STEP_ROOT;
                    beginAtTop(table);
                    return SUSPENDED;
                }
            } else if (!takeStep(table)) {
                restart(table);
                continue;
            }
            final long head = probe.head();
            final long tail = probe.tail();
            if (!isUsed(head)) {
                if (depth == 0) {
                    return EMPTY;
                }
                restart(table); // torn read
                continue;
            }
            if (isLeaf(head)) {
                // All of the path, not the leaf alone: a node that is gone by now may have led to a leaf that was just placed.
                if (start == UNVALIDATED || isPathUnchanged(table)) {
                    return AT_LEAF;
                }
                restart(table);
                return SUSPENDED;
            }
            if (start == FROM_ROOT) {
                path.add(hash, depth, probe);
            }
            if (type(head) == BITMAP) {
                if (depth > count) {
                    // Another node replaced the leaf of the key's end: nothing is known below it.
                    missing = END_CODE;
                    return NO_CHILD;
                }
                final int code = hashed > depth
                    ? codes[depth & RING_MASK] : Symbols.codeAt(key, offset, length, depth, count);
                if ((tail & childBit(code)) == 0) {
                    missing = code;
                    return NO_CHILD;
                }
                stepCode = code;
                stepColor = CuckooTrieEntryLayout.color(head);
                stepHint = (int) (hints(head, tail) >>> code - 1) & 1;
                step = STEP_CHILD;
                depth++;
            } else {
                final int labels = labelCount(tail);
                missing = firstMismatch(head, tail);
                if (missing < labels || labels == 0) {
                    return OFF_JUMP; // none: torn read
                }
                stepCode = label(head, tail, labels - 1) + FIRST_CODE;
                stepColor = childColor(tail);
                stepHint = 0;
                step = STEP_JUMP;
                depth += labels;
            }
            if (asked < depth && reach(table, depth)) {
                return SUSPENDED;
            }
        }
    }

    /** Reads the next node; returns false if its parent has changed. */
    private boolean takeStep(final NodeTable table) {
        if (step == STEP_ROOT) {
            probe.root(table);
            take();
            return true;
        }
        return step == STEP_CHILD
            ? child(table, stepCode << SYMBOL_SHIFT | stepColor << PARENT_COLOR_SHIFT, BY_PARENT_MASK)
            : child(table, stepCode << SYMBOL_SHIFT | stepColor << COLOR_SHIFT, BY_COLOR_MASK);
    }

    private void take() {
        passed.add(probe.line(), probe.version());
    }

    private int firstMismatch(final long head, final long tail) {
        final int labels = labelCount(tail);
        final int known = Math.min(labels, hashed - depth);
        long left = head >>> BODY_SHIFT;
        int i = 0;
        while (i < known) {
            if (((int) left & SYMBOL_MASK) + FIRST_CODE != codes[depth + i & RING_MASK]) {
                return i;
            }
            left = ++i == HEAD_LABELS ? tail : left >>> SYMBOL_BITS;
        }
        while (i < labels && depth + i < count
            && label(head, tail, i) == Symbols.at(key, offset, length, depth + i)) {
            i++;
        }
        return i;
    }

    /** Enters the child at the new depth; returns false if its parent has changed. */
    private boolean child(final NodeTable table, final int identity, final int mask) {
        hash = ring[depth & RING_MASK];
        final int at = (depth & RING_MASK) << 1 | stepHint;
        if (lineAt[at & -2] == UNKNOWN) {
            locate(table.hash(), table.buckets(), depth & RING_MASK);
        }
        if (probe.read(table, lineAt[at], identity | tagAndSecondaryAt[at], mask)) {
            take();
            return true;
        }
        int attempt = 0;
        while (!probe.find(table, hash, identity, mask)) {
            if (step == STEP_TOP
                ? table.topColor(topName) != topColor : !probe.isWhole(table)) {
                return false;
            }
            // The child exists, and moved between the reads of its two buckets.
            Backoff.pause(++attempt, table.failure());
        }
        take();
        return true;
    }

    /**
     * Requests the bucket of a depth and, unless the walk goes step by step, of some depths behind it; returns whether the walk
     * is suspended.
     */
    private boolean reach(final NodeTable table, final int wanted) {
        if (stepByStep) {
            return asked < wanted && nameStep(table, wanted);
        }
        ceiling = wanted > ceiling ? Integer.MAX_VALUE : ceiling; // the depth of an unusual path is unknown
        final int firstDepth = checkpoint > 0 ? checkpoint : mayUseTop ? BucketLayout.TOP_DEPTH : 1; // rarely anything above
        while (asked < wanted) {
            final int deepest = Math.max(wanted, Math.min(ceiling, table.deepestWorthwhile()));
            final int until = Math.min(Math.min(asked + MAX_HASHED, count + 1), deepest);
            int requested = 0;
            while (asked < until && requested < WINDOW) {
                if (asked == hashed) {
                    hash(table.hash(), Math.min(until, asked + WINDOW - requested));
                }
                if (++asked >= firstDepth) {
                    requested += requestHashed(table, asked);
                }
            }
        }
        lines.request();
        return true;
    }

    /** Names the bucket of the next node, or both buckets if its parent does not tell which; returns whether it named any. */
    private boolean nameStep(final NodeTable table, final int wanted) {
        hash(table.hash(), wanted);
        asked = wanted;
        if (step != STEP_CHILD) {
            return requestHashed(table, wanted) > 0;
        }
        if (!table.isWorthwhile(wanted)) {
            return false;
        }
        locate(table.hash(), table.buckets(), wanted & RING_MASK);
        lines.add(table.slab(), lineAt[(wanted & RING_MASK) << 1 | stepHint]);
        return true;
    }

    /** Requests the buckets of a hashed name; returns 1 if that is worthwhile, else 0. */
    private int requestHashed(final NodeTable table, final int at) {
        if (!table.isWorthwhile(at)) {
            return 0;
        }
        final int i = at & RING_MASK;
        locate(table.hash(), table.buckets(), i);
        lines.add(table.slab(), lineAt[2 * i]);
        lines.add(table.slab(), lineAt[2 * i + 1]);
        return 1;
    }

    /** Computes the missing hashes of all prefixes of up to a number of codes. */
    private void hash(final NameHash names, final int until) {
        long last = ring[hashed & RING_MASK];
        // The low bits of window are bits of the key that were read and not used yet.
        int next = hashed * SYMBOL_BITS >>> 3;
        int bits = -(hashed * SYMBOL_BITS & 7);
        int window = 0;
        int i = hashed;
        while (i < until) {
            while (bits < SYMBOL_BITS) {
                window = window << Byte.SIZE | (next < length ? key[offset + next] & 0xFF : 0);
                next++;
                bits += Byte.SIZE;
            }
            bits -= SYMBOL_BITS;
            final int code = i < count ? (window >>> bits & SYMBOL_MASK) + FIRST_CODE : END_CODE;
            last = names.append(last, code);
            codes[i++ & RING_MASK] = (byte) code;
            ring[i & RING_MASK] = last;
            lineAt[2 * (i & RING_MASK)] = UNKNOWN;
        }
        hashed = Math.max(hashed, until);
    }

    /** Computes both buckets, and the tags there, of a hashed name. */
    private void locate(final NameHash names, final long buckets, final int at) {
        final long name = ring[at];
        final long other = names.alternate(name);
        lineAt[2 * at] = NodeTable.offsetOf(name, buckets);
        lineAt[2 * at + 1] = NodeTable.offsetOf(other, buckets);
        tagAndSecondaryAt[2 * at] = names.tag(name);
        tagAndSecondaryAt[2 * at + 1] = names.tag(other) | SECONDARY;
    }

    /** Returns the depth of the checkpoint where the walk began, or 0. */
    int checkpoint() {
        return checkpoint;
    }

    /** Returns the number of restarts because the trie had changed. */
    int restarts() {
        return attempts;
    }

    /** Returns whether the walk restarted too often because the trie had changed, and once more since the last such answer. */
    boolean isContended() {
        if (attempts <= patience) {
            return false;
        }
        patience = attempts;
        return true;
    }

    /** Returns whether the node read last is a leaf. */
    boolean isAtLeaf() {
        return isUsed(probe.head()) && isLeaf(probe.head());
    }

    /** Returns whether only its record can compare the leaf where the walk ended with the key. */
    boolean needsRecord() {
        final int suffix = suffix(probe.head());
        return Symbols.compareSuffix(suffix, key, offset, length, depth) == 0 && (!suffixEnds(suffix) || checkpoint > 0);
    }

    /** Compares the key of the leaf where the walk ended with the walk's key. */
    int compareLeaf(final KeySource keys) {
        final int suffix = suffix(probe.head());
        final int order = Symbols.compareSuffix(suffix, key, offset, length, depth);
        if (order != 0) {
            return order;
        }
        if (suffixEnds(suffix) && checkpoint == 0) {
            return depth + suffixCount(suffix) >= count ? 0 : -1;
        }
        return keys.compareKey(probe.payload(), key, offset, length);
    }

    /**
     * Returns whether every node that the walk passed is unchanged, so that all of them were there at one moment. Ask this before
     * you rely on what the walk did not find; for a leaf that it found the walk has asked already, unless it is {@link
     * #UNVALIDATED}.
     */
    boolean isPathUnchanged(final NodeTable table) {
        // The color first: it is set when its node is complete, so that what was read of an incomplete node has changed by then.
        VarHandle.acquireFence();
        return (topColor == 0 || table.topColor(topName) == topColor) && passed.isUnchanged(table);
    }

    /**
     * Returns whether a walk that did not find its key proves that the key is absent. If it began at a checkpoint, the
     * checkpoint's name must be seen to be a prefix of the key.
     */
    boolean provesAbsence(final NodeTable table, final KeySource keys) {
        return isOnKeysPath(table, keys) && isPathUnchanged(table);
    }

    /** Returns whether the walk began at the root, or at a checkpoint whose name is a prefix of the key. */
    private boolean isOnKeysPath(final NodeTable table, final KeySource keys) {
        if (checkpoint == 0) {
            return true;
        }
        if (!validator.isOnlyNode(table, checkpointHash, checkpoint, keyCode(checkpoint - 1), ring, passed)) {
            return false;
        }
        final long below = validator.leafBelow(table, hash, probe.head(), probe.tail(), passed);
        return below >= 0 && CheckpointValidator.sharePrefix(keys, below, key, offset, length, checkpoint);
    }

    /** Returns the number of symbols of the key, without its end. */
    int keySymbols() {
        return count;
    }

    /** Returns the code of the key at a depth. */
    int keyCode(final int at) {
        return Symbols.codeAt(key, offset, length, at, count);
    }

    /** Returns the hash of the name of the node where the walk ended. */
    long hash() {
        return hash;
    }

    /** Returns the node where the walk ended. */
    EntryProbe end() {
        return probe;
    }

    /** Returns the number of codes of its name. */
    int depth() {
        return depth;
    }

    /** Returns the code without a child, or the number of the label that differs from the key's. */
    int missing() {
        return missing;
    }

    /** Returns the inner nodes passed, if the walk began at the root. */
    InnerPath path() {
        return path;
    }
}
