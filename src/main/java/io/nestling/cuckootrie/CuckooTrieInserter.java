/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;

import java.util.Arrays;

/**
 * Puts keys. New entries are placed where no reader can reach them: nothing names them. Then one entry is rewritten in its cell,
 * which publishes the new key: the node that gets a child, or the leaf or jump node that is replaced.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class CuckooTrieInserter {
    /** Result of {@link #put}: an entry found no room although the table is not full. */
    static final long NO_ROOM = -2;
    /** Result of {@link #put}: the table cannot grow. */
    static final long NO_MEMORY = -3;
    private static final int NONE = -1;
    private static final int PLACED = 16;
    /** Buckets added when an entry finds no room although the load is right; rare. */
    private static final int SPARE_BUCKETS = 16;

    private final NodeTable table;
    private final NameHash names;
    private final Relocator relocator;
    private final KeySource keys;
    private final Descent descent;
    private final JumpLabels newJump = new JumpLabels();

    /* The key under way, and the key of the leaf beside it if that was read. */
    private byte[] key;
    private int offset;
    private int length;
    private long payload;
    private byte[] otherKey = {};
    private int otherLength;

    /* Entries placed by this put, to be removed if one finds no room. */
    private int placed;
    /* Whether the root leads to them. */
    private boolean published;
    private long[] placedHash = new long[PLACED];
    private int[] placedIdentity = new int[PLACED];
    private int[] placedDepth = new int[PLACED];

    CuckooTrieInserter(final NodeTable table, final Relocator relocator, final KeySource keys, final Descent descent) {
        this.table = table;
        this.names = table.hash();
        this.relocator = relocator;
        this.keys = keys;
        this.descent = descent;
    }

    /**
     * Returns the greatest number of entries that a put may add: a bitmap node, two leaves, a jump node for each {@link
     * CuckooTrieEntryLayout#MAX_LABELS} symbols, and one more, as no jump node crosses the depth of a checkpoint.
     */
    static long entriesFor(final long puts, final long keyBytes) {
        return puts * 4 + keyBytes * Byte.SIZE / (SYMBOL_BITS * MAX_LABELS);
    }

    /**
     * Adds a key, or replaces its payload if asked. Returns the earlier payload, {@link PointIndex#NONE}, {@link #NO_ROOM} or
     * {@link #NO_MEMORY}; the last two change nothing.
     */
    long put(
        final byte[] bytes, final int from, final int bytesOfKey, final long newPayload, final boolean replaces) {
        // cuckoo-trie-concurrency.md, claim 6
        key = bytes;
        offset = from;
        length = bytesOfKey;
        payload = newPayload;
        placed = 0;
        published = false;
        try {
            descent.beginPut(table, bytes, from, bytesOfKey);
            relocator.writeDeferredHint();
            relocator.growAhead();
            switch (descent.runPut(table, keys)) {
                case Descent.EMPTY:
                    relocator.writeRoot(leafHead(newSuffix(0), newPayload), leafTail(newPayload));
                    return PointIndex.NONE;
                case Descent.AT_LEAF:
                    return atLeaf(replaces);
                case Descent.NO_CHILD:
                    return addChild();
                case Descent.OFF_JUMP:
                    return splitJump();
                default:
                    throw new AssertionError("unknown end of a descent");
            }
        } catch (final RuntimeException e) {
            if (!published) {
                undo(); // the key source failed
            }
            throw e; // an error changes no more: a bucket may be half-written, and undo() would wait for it
        } finally {
            key = null;
            descent.forgetKey();
        }
    }

    private int newSuffix(final int depth) {
        return Symbols.suffix(key, offset, length, depth);
    }

    private long atLeaf(final boolean replaces) {
        final long head = descent.end().head();
        final long tail = descent.end().tail();
        final int depth = descent.depth();
        final int shared = symbolsShared(suffix(head), depth, payload(head, tail));
        if (shared == NONE) {
            if (replaces) {
                relocator.rewrite(descent.hash(), head, depth, leafHead(suffix(head), payload), leafTail(payload));
            }
            return payload(head, tail);
        }
        return splitLeaf(shared);
    }

    /** Returns the number of symbols that the key shares with that of the leaf; {@code NONE} if the keys are equal. */
    private int symbolsShared(final int suffix, final int depth, final long otherPayload) {
        final int known = suffixCount(suffix);
        final int count = descent.keySymbols();
        otherLength = NONE;
        for (int i = 0; i < known; i++) {
            if (depth + i >= count || descent.keyCode(depth + i) != suffixSymbol(suffix, i) + FIRST_CODE) {
                return depth + i;
            }
        }
        if (suffixEnds(suffix)) {
            return depth + known >= count ? NONE : depth + known;
        }
        final int otherBytes = keys.keyLength(otherPayload);
        if (otherKey.length < otherBytes) {
            otherKey = new byte[Math.max(otherBytes, 2 * otherKey.length)];
        }
        otherLength = keys.copyKey(otherPayload, otherKey, 0);
        final int mismatch = Arrays.mismatch(key, offset, offset + length, otherKey, 0, otherLength);
        if (mismatch < 0) {
            return NONE;
        }
        return Symbols.common(key, offset, length, otherKey, otherLength, mismatch);
    }

    // ---- a new child of a bitmap node

    private long addChild() {
        if (!relocator.reserve(1)) {
            return NO_MEMORY;
        }
        final long parent = descent.end().head();
        final long parentHash = descent.hash();
        final int depth = descent.depth();
        final int code = descent.missing();
        if (!placeLeaf(names.append(parentHash, code), code, color(parent), depth + 1)) {
            return undo();
        }
        relocator.addChild(descent.end().line(), parentHash, parent, depth, code, relocator.placedSecondary());
        return added();
    }

    /** Places the leaf of the new key. */
    private boolean placeLeaf(final long hash, final int code, final int parentColor, final int depth) {
        return place(hash, identity(code, parentColor, 0), leafHead(newSuffix(depth), payload), leafTail(payload), depth) >= 0;
    }

    // ---- a bitmap node with two leaves replaces a leaf, below the symbols that they share

    private long splitLeaf(final int shared) {
        final long leaf = descent.end().head();
        final long leafTail = descent.end().tail();
        final long leafHash = descent.hash();
        final int depth = descent.depth();
        final int jumps = shared == depth ? 0 : (shared - 1) / CHECKPOINT_STEP - depth / CHECKPOINT_STEP + 1;
        if (!relocator.reserve(jumps + 2)) {
            return NO_MEMORY;
        }
        final int otherCode = otherCode(suffix(leaf), depth, shared);
        final int code = descent.keyCode(shared);

        // From the old leaf downwards: jump nodes, each with its child's color, then the bitmap node.
        long topBody = 0;
        long topTail = 0;
        long hash = leafHash;
        int color = color(leaf);
        int at = depth;
        long previousHash = 0;
        int previousIdentity = 0;
        while (at < shared) {
            final int next = at + Math.min(mostLabels(at), shared - at);
            int lastCode = 0;
            newJump.clear();
            for (int i = at; i < next; i++) {
                lastCode = descent.keyCode(i);
                newJump.add(lastCode - FIRST_CODE);
                hash = names.append(hash, lastCode);
            }
            // The next node of the chain; its content follows.
            final int identity = identity(lastCode, NO_PARENT_COLOR, 0);
            final int childColor = placeNode(hash, identity, next);
            if (childColor < 0) {
                return undo();
            }
            if (at == depth) {
                topBody = newJump.head();
                topTail = newJump.tail(childColor);
            } else {
                relocator.fill(previousHash, previousIdentity, at, newJump.head(), newJump.tail(childColor));
            }
            previousHash = hash;
            previousIdentity = identity | childColor << COLOR_SHIFT;
            color = childColor;
            at = next;
        }
        final long otherHash = names.append(hash, otherCode);
        final long newHash = names.append(hash, code);
        relocator.prefetchNames(newHash, otherHash); // deeper than walks go, or off the key's path
        if (!placeLeaf(newHash, code, color, shared + 1)) {
            return undo();
        }
        long hints = relocator.placedSecondary() ? childBit(code) : 0;
        final long other = payload(leaf, leafTail);
        final int otherSuffix = otherLength >= 0
            ? Symbols.suffix(otherKey, 0, otherLength, shared + 1)
            : suffixWithout(suffix(leaf), shared + 1 - depth);
        if (place(otherHash, identity(otherCode, color, 0), leafHead(otherSuffix, other), leafTail(other), shared + 1) < 0) {
            return undo();
        }
        hints |= relocator.placedSecondary() ? childBit(otherCode) : 0;
        final long body = bitmapHead(hints);
        final long tail = bitmapTail(childBit(code) | childBit(otherCode), hints);
        if (shared == depth) {
            relocator.rewrite(leafHash, leaf, depth, body, tail);
        } else {
            relocator.fill(previousHash, previousIdentity, shared, body, tail);
            relocator.rewrite(leafHash, leaf, depth, topBody, topTail);
        }
        return added();
    }

    /** Returns the code with which the leaf's key continues behind the shared symbols. */
    private int otherCode(final int suffix, final int depth, final int shared) {
        if (otherLength >= 0) {
            return Symbols.codeAt(otherKey, 0, otherLength, shared, Symbols.count(otherLength));
        }
        return shared - depth < suffixCount(suffix)
            ? suffixSymbol(suffix, shared - depth) + FIRST_CODE : END_CODE;
    }

    // ---- a bitmap node replaces a jump node at the label where the key leaves it

    private long splitJump() {
        if (!relocator.reserve(3)) {
            return NO_MEMORY;
        }
        final long jump = descent.end().head();
        final long jumpTail = descent.end().tail();
        final long jumpHash = descent.hash();
        final int depth = descent.depth();
        final int labels = labelCount(jumpTail);
        final int kept = descent.missing();
        final int branch = depth + kept;
        final int oldCode = label(jump, jumpTail, kept) + FIRST_CODE;
        final int code = descent.keyCode(branch);
        long hash = jumpHash;
        for (int i = 0; i < kept; i++) {
            hash = names.append(hash, label(jump, jumpTail, i) + FIRST_CODE);
        }
        int color = color(jump);
        final int identity = kept == 0
            ? 0 : identity(label(jump, jumpTail, kept - 1) + FIRST_CODE, NO_PARENT_COLOR, 0);
        if (kept > 0) {
            color = placeNode(hash, identity, branch);
            if (color < 0) {
                return undo();
            }
        }
        if (!placeLeaf(names.append(hash, code), code, color, branch + 1)) {
            return undo();
        }
        long hints = relocator.placedSecondary() ? childBit(code) : 0;
        final long oldHash = names.append(hash, oldCode);
        if (kept + 1 < labels) {
            newJump.clear();
            newJump.addAll(jump, jumpTail, kept + 1, labels);
            final int oldIdentity = identity(oldCode, color, 0);
            if (place(oldHash, oldIdentity, newJump.head(), newJump.tail(childColor(jumpTail)), branch + 1) < 0) {
                return undo();
            }
            hints |= relocator.placedSecondary() ? childBit(oldCode) : 0;
        } else {
            // Found by color until the jump node is replaced, by its parent's color afterwards.
            final int child = identity(oldCode, NO_PARENT_COLOR, childColor(jumpTail));
            hints |= relocator.recolorParent(oldHash, child, branch + 1, color) ? childBit(oldCode) : 0;
        }
        final long body = bitmapHead(hints);
        final long tail = bitmapTail(childBit(code) | childBit(oldCode), hints);
        if (kept == 0) {
            relocator.rewrite(jumpHash, jump, depth, body, tail);
        } else {
            relocator.fill(hash, identity | color << COLOR_SHIFT, branch, body, tail);
            newJump.clear();
            newJump.addAll(jump, jumpTail, 0, kept);
            relocator.rewrite(jumpHash, jump, depth, newJump.head(), newJump.tail(color));
        }
        return added();
    }

    // ---- entries placed, and removed again

    /** Places an inner node whose content follows. */
    private int placeNode(final long hash, final int identity, final int depth) {
        return place(hash, identity, bitmapHead(0), 0, depth);
    }

    private int place(final long hash, final int identity, final long body, final long tail, final int depth) {
        if (placed == placedHash.length) {
            // Before anything needs to be remembered.
            placedDepth = Arrays.copyOf(placedDepth, placed * 2);
            placedIdentity = Arrays.copyOf(placedIdentity, placed * 2);
            placedHash = Arrays.copyOf(placedHash, placed * 2);
        }
        int color = relocator.place(hash, identity, body, tail, depth);
        if (color < 0 && relocator.addBuckets(SPARE_BUCKETS)) {
            color = relocator.place(hash, identity, body, tail, depth);
        }
        if (color >= 0) {
            placedHash[placed] = hash;
            placedIdentity[placed] = identity | color << COLOR_SHIFT;
            placedDepth[placed++] = depth;
        }
        return color;
    }

    /** Marks checkpoints and top colors among the new entries, once the root leads to them; returns the result of the put. */
    private long added() {
        published = true;
        for (int i = 0; i < placed; i++) {
            if (isCheckpointDepth(placedDepth[i])) {
                if (i == placed - 1) {
                    relocator.markPlacedCheckpoint(placedDepth[i]); // no move since, and the entry was complete
                } else {
                    relocator.markCheckpoint(placedHash[i], placedIdentity[i], placedDepth[i]);
                }
            }
            if (placedDepth[i] == BucketLayout.TOP_DEPTH && code(placedIdentity[i]) >= FIRST_CODE) {
                table.putTopColor(
                    Symbols.topName(key, offset, length, code(placedIdentity[i])), color(placedIdentity[i]) + 1);
            }
        }
        return PointIndex.NONE;
    }

    private long undo() {
        while (placed > 0) {
            placed--;
            relocator.clear(placedHash[placed], placedIdentity[placed], placedDepth[placed]);
        }
        return NO_ROOM;
    }
}
