/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Checks the invariants of a whole trie:
 * <ol>
 * <li>An entry stands in the bucket of its hash or of the alternate one, as its secondary bit says; bucket and
 *     tag give the hash of its name.</li>
 * <li>Entries with the same hash have different colors, none the root's.</li>
 * <li>Every entry is reached from the root, once: by its parent's color below a bitmap node, by its own color
 *     below a jump node.</li>
 * <li>A bitmap node has exactly the children in its bitmap, at least two.</li>
 * <li>A jump node has 1 to 15 labels, and its child is no leaf.</li>
 * <li>A leaf's name is a prefix of its key, and its suffix is what follows there.</li>
 * <li>The leaves in the order of the bitmaps are in key order; there are as many as the index says.</li>
 * <li>Counts of entries in all, and of entries and leaves by depth, are right; cells that are free are zero, also behind the last
 *     bucket; versions are even; the free cells noted of each bucket are those that it has, up to three.</li>
 * <li>Exactly the nodes that may be checkpoints ({@link CuckooTrieEntryLayout#mayBeCheckpoint}) are marked as such; no jump
 *     node crosses a multiple of {@link CuckooTrieEntryLayout#CHECKPOINT_STEP}.</li>
 * <li>A top color is that of the node of its name, or 0 if there is none.</li>
 * </ol>
 * <h2>Thread safety</h2>
 * No writer may work meanwhile.
 */
final class CuckooTrieVerifier {
    private final NodeTable table;
    private final Slab slab;
    private final NameHash names;
    private final KeySource keys;
    private final long entryCount;
    private final BitSet reached = new BitSet();
    private final long[] entriesAt = new long[NodeTable.DEPTHS];
    private final long[] leavesAt = new long[NodeTable.DEPTHS];
    private byte[] key = new byte[256];
    private byte[] lastKey = new byte[256];
    private int lastLength = -1;
    private long leaves;
    private long tops;

    CuckooTrieVerifier(final NodeTable table, final KeySource keys, final long entryCount) {
        this.table = table;
        this.slab = table.slab();
        this.names = table.hash();
        this.keys = keys;
        this.entryCount = entryCount;
    }

    /** Throws {@link IllegalStateException} if an invariant is broken. */
    void verify() {
        checkVersions(); // first: at an odd version a walk would wait for a writer
        final NodeWalk walk = new NodeWalk(table);
        int above = 0;
        while (next(walk)) {
            checkEntry(walk);
            final int type = type(walk.head());
            if (type == LEAF) {
                check(above != JUMP, 5, walk, "a leaf below a jump node");
                checkLeaf(walk);
            } else if (type == BITMAP) {
                final long children = children(walk.tail());
                check(Long.bitCount(children) >= 2, 4, walk, Long.bitCount(children) + " children");
            } else {
                check(type == JUMP, 4, walk, "type " + type);
                check(labelCount(walk.tail()) > 0, 5, walk, "no label");
                check(labelCount(walk.tail()) <= mostLabels(walk.depth()), 9, walk, "leads past a checkpoint");
            }
            check(
                isCheckpoint(walk.head(), walk.tail()) == mayBeCheckpoint(walk.head(), walk.depth()), 9, walk,
                "checkpoint or not");
            above = type;
        }
        check(leaves == entryCount, 7, walk, leaves + " leaves, " + entryCount + " entries");
        checkBuckets();
    }

    private static boolean next(final NodeWalk walk) {
        try {
            return walk.next();
        } catch (final IllegalStateException e) {
            throw new IllegalStateException("invariant 3: " + e.getMessage(), e);
        }
    }

    private void checkEntry(final NodeWalk walk) {
        final long head = walk.head();
        if (walk.depth() == 0) {
            check(color(head) == ROOT_COLOR && walk.line() == ROOT_OFFSET, 2, walk, "root of color " + color(head));
            return;
        }
        final long bucket = bucketAt(walk.line());
        final long hash = isSecondary(head) ? names.alternate(walk.hash()) : walk.hash();
        check(names.hashAt(bucket, tag(head)) == hash, 1, walk, "stands under another hash");
        check(BucketAddressing.bucketOf(hash, table.buckets()) == bucket, 1, walk, "stands in bucket " + bucket);
        check(code(head) == walk.code(walk.depth() - 1), 1, walk, "last symbol " + code(head));
        check(parentColor(head) == walk.expectedParentColor(), 3, walk, "parent color " + parentColor(head));
        final int cellNumber = (int) bucket * CELLS + walk.cell();
        check(!reached.get(cellNumber), 3, walk, "reached twice");
        reached.set(cellNumber);
        if (walk.depth() == TOP_DEPTH && code(head) >= FIRST_CODE) {
            tops++;
            check(table.topColor(walk.topName()) == color(head) + 1, 10, walk,
                "top color " + table.topColor(walk.topName()));
        }
        entriesAt[Math.min(walk.depth(), NodeTable.DEPTHS - 1)]++;
        leavesAt[Math.min(walk.depth(), NodeTable.DEPTHS - 1)] += isLeaf(head) ? 1 : 0;
    }

    private void checkLeaf(final NodeWalk walk) {
        leaves++;
        final long payload = payload(walk.head(), walk.tail());
        final int length = keys.keyLength(payload);
        if (length > key.length) {
            key = new byte[length];
        }
        keys.copyKey(payload, key, 0);
        final int count = Symbols.count(length);
        check(walk.depth() <= count + 1, 6, walk, "name longer than its key");
        for (int i = 0; i < walk.depth(); i++) {
            check(Symbols.codeAt(key, 0, length, i, count) == walk.code(i), 6, walk, "no prefix of its key");
        }
        final int suffix = suffix(walk.head());
        final int known = suffixCount(suffix);
        check(walk.depth() + known <= count + 1, 6, walk, "suffix of " + known);
        for (int i = 0; i < known; i++) {
            check(Symbols.at(key, 0, length, walk.depth() + i) == suffixSymbol(suffix, i), 6, walk, "suffix");
        }
        check(!suffixEnds(suffix) || walk.depth() + known >= count, 6, walk, "suffix ends early");
        check(lastLength < 0 || Arrays.compareUnsigned(lastKey, 0, lastLength, key, 0, length) < 0, 7, walk,
            "not behind the leaf before");
        final byte[] swap = lastKey;
        lastKey = key;
        key = swap;
        lastLength = length;
    }

    private void checkVersions() {
        checkCondition((slab.getInt(ROOT_OFFSET + VERSION_OFFSET) & 1) == 0, 8, "odd version of the root");
        for (long bucket = 0; bucket < table.bucketsTouched(); bucket++) {
            final int version = slab.getInt(bucketOffset(bucket) + VERSION_OFFSET);
            checkCondition((version & 1) == 0, 8, "odd version of bucket " + bucket);
        }
    }

    private void checkBuckets() {
        long entries = 0;
        for (long bucket = 0; bucket < table.bucketsTouched(); bucket++) {
            int used = 0;
            for (int cell = 0; cell < CELLS; cell++) {
                final long at = cellOffset(bucketOffset(bucket), cell);
                final long head = slab.getLong(at);
                if (isUsed(head)) {
                    used++;
                    checkCondition(bucket < table.buckets(), 8, "entry in bucket " + bucket + " behind the last one");
                    checkCondition(reached.get((int) bucket * CELLS + cell), 3,
                        "entry in cell " + cell + " of bucket " + bucket + " is not reached");
                    checkColor(bucket, cell, head);
                } else {
                    checkCondition(slab.getLong(at + Long.BYTES - 1) == 0, 8,
                        "free cell " + cell + " of bucket " + bucket + " is not zero");
                }
            }
            entries += used;
            checkCondition(table.freeCounts().of(bucket) == Math.min(CELLS - used, FreeCounts.MANY), 8,
                used + " entries in bucket " + bucket + ", noted free cells: " + table.freeCounts().of(bucket));
        }
        checkCondition(entries == table.entries(), 8, entries + " entries, counted " + table.entries());
        for (int depth = 0; depth < NodeTable.DEPTHS; depth++) {
            final long counted = table.entriesAt(depth);
            checkCondition(entriesAt[depth] == counted, 8,
                entriesAt[depth] + " entries at depth " + depth + ", counted " + counted);
            checkCondition(leavesAt[depth] == table.leavesAt(depth), 8,
                leavesAt[depth] + " leaves at depth " + depth + ", counted " + table.leavesAt(depth));
        }
        long named = 0;
        for (int name = 0; name < TOP_NAMES; name++) {
            named += table.topColor(name) == 0 ? 0 : 1;
        }
        checkCondition(named == tops, 10, named + " top colors for " + tops + " nodes");
    }

    private void checkColor(final long bucket, final int cell, final long head) {
        checkCondition(color(head) < ROOT_COLOR, 2, "color " + color(head) + " in bucket " + bucket);
        final long hash = names.hashAt(bucket, tag(head));
        final long other = BucketAddressing.bucketOf(names.alternate(hash), table.buckets());
        for (int i = 0; i < 2 * CELLS; i++) {
            final long there = i < CELLS ? bucket : other;
            final long otherHead = slab.getLong(cellOffset(bucketOffset(there), i % CELLS));
            if (isUsed(otherHead) && !(there == bucket && i % CELLS == cell)
                && primaryHash(there, otherHead) == primaryHash(bucket, head)) {
                checkCondition(color(otherHead) != color(head), 2,
                    "color " + color(head) + " twice at one hash in bucket " + bucket);
            }
        }
    }

    private long primaryHash(final long bucket, final long head) {
        final long hash = names.hashAt(bucket, tag(head));
        return isSecondary(head) ? names.alternate(hash) : hash;
    }

    private static void check(final boolean holds, final int invariant, final NodeWalk at, final String what) {
        if (!holds) {
            throw new IllegalStateException(
                "invariant " + invariant + ": node at depth " + at.depth() + ", bucket " + bucketAt(at.line())
                    + ", cell " + at.cell() + ": " + what);
        }
    }

    private static void checkCondition(final boolean holds, final int invariant, final String what) {
        if (!holds) {
            throw new IllegalStateException("invariant " + invariant + ": " + what);
        }
    }
}
