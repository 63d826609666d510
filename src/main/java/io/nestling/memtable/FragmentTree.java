/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.KeyChunk;
import io.nestling.memtable.RangeTombstones.RangeTombstone;

/**
 * Balanced trees of fragments: an immutable map from each key to the newest range tombstone that covers it. A change
 * copies the path to what changes and shares the rest with the tree before. A tree is its root; null is the empty one.
 * <p>
 * A lookup takes O(log n) steps for n fragments. So does a change, besides O(log n) for each fragment that it drops.
 * <h2>Thread safety</h2>
 * Fragments are immutable.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Starts ascend from left to right.</li>
 * <li>Of two siblings, none weighs more than three times the other; a tree of n fragments weighs n + 1.</li>
 * </ol>
 * <h2>Pedigree</h2>
 * S. Adams, "Efficient sets: a balancing act", Journal of Functional Programming 3 (1993); the two factors are those of
 * Y. Hirai, K. Yamamoto, "Balancing weight-balanced trees", ibid. 21 (2011).
 */
final class FragmentTree {
    private static final int HEAVY = 3;
    private static final int ROTATE_ONCE = 2;

    private FragmentTree() {
    }

    /** The range of keys from its start to the start of the next fragment; the root of the fragments below it in the tree. */
    static final class Fragment {
        /** Bytes on the heap, with compressed references. */
        static final int BYTES = 40;

        private final long chunk;
        private final byte[] start;
        private final RangeTombstone newest;
        private final Fragment left;
        private final Fragment right;
        private final int weight;

        private Fragment(final byte[] start, final RangeTombstone newest) {
            this.chunk = KeyChunk.at(start, 0, start.length, 0);
            this.start = start;
            this.newest = newest;
            this.left = null;
            this.right = null;
            this.weight = 2;
        }

        private Fragment(final Fragment fragment, final Fragment left, final Fragment right) {
            this.chunk = fragment.chunk;
            this.start = fragment.start;
            this.newest = fragment.newest;
            this.left = left;
            this.right = right;
            this.weight = weightOf(left) + weightOf(right);
        }

        byte[] start() {
            return start;
        }

        /** Returns the newest range tombstone that covers the fragment, or null. */
        RangeTombstone newest() {
            return newest;
        }

        Fragment left() {
            return left;
        }

        Fragment right() {
            return right;
        }

        /** Compares the start with a key, whose first eight bytes are its chunk. */
        private int compare(final long keyChunk, final byte[] key, final int length) {
            return chunk != keyChunk
                ? Long.compareUnsigned(chunk, keyChunk) : ByteComparison.compare(start, 0, start.length, key, 0, length);
        }

        private int compare(final Fragment other) {
            return compare(other.chunk, other.start, other.start.length);
        }
    }

    // ---- reading ----

    /** Returns the fragment that holds a key, or null if the key lies before all. */
    static Fragment at(final Fragment tree, final byte[] key, final int length) {
        final long chunk = KeyChunk.at(key, 0, length, 0);
        Fragment found = null;
        for (Fragment fragment = tree; fragment != null;) {
            if (fragment.compare(chunk, key, length) <= 0) {
                found = fragment;
                fragment = fragment.right;
            } else {
                fragment = fragment.left;
            }
        }
        return found;
    }

    /** Returns the first fragment that begins behind a key, or null. */
    static Fragment behind(final Fragment tree, final byte[] key, final int length) {
        final long chunk = KeyChunk.at(key, 0, length, 0);
        Fragment found = null;
        for (Fragment fragment = tree; fragment != null;) {
            if (fragment.compare(chunk, key, length) <= 0) {
                fragment = fragment.right;
            } else {
                found = fragment;
                fragment = fragment.left;
            }
        }
        return found;
    }

    /** Returns the number of fragments in a tree. */
    static int size(final Fragment tree) {
        return weightOf(tree) - 1;
    }

    /** Returns the number of fragments that a tree does not share with the tree that it was derived from. */
    static int notShared(final Fragment tree, final Fragment before) {
        return tree == null || contains(before, tree)
            ? 0 : 1 + notShared(tree.left, before) + notShared(tree.right, before);
    }

    private static boolean contains(final Fragment tree, final Fragment wanted) {
        Fragment fragment = tree;
        while (fragment != null && fragment != wanted) {
            final int compared = fragment.compare(wanted);
            if (compared == 0) {
                return false;
            }
            fragment = compared < 0 ? fragment.right : fragment.left;
        }
        return fragment != null;
    }

    // ---- changing ----

    /** Returns the tree with a range tombstone that is newer than all in it. */
    static Fragment cover(final Fragment tree, final RangeTombstone tombstone) {
        final Fragment last = at(tree, tombstone.to(), tombstone.to().length);
        final Fragment start = new Fragment(tombstone.from(), tombstone);
        final Fragment end = new Fragment(tombstone.to(), last == null ? null : last.newest);
        final Fragment rest = without(tree, start, end);
        final Fragment ended = last != null && last.compare(end) == 0 ? rest : with(rest, end);
        return with(ended, start);
    }

    /** Returns the tree with a fragment, which replaces one with the same start. */
    private static Fragment with(final Fragment tree, final Fragment fragment) {
        if (tree == null) {
            return fragment;
        }
        final int compared = fragment.compare(tree);
        if (compared == 0) {
            return make(tree.left, fragment, tree.right);
        }
        return compared < 0
            ? balance(with(tree.left, fragment), tree, tree.right)
            : balance(tree.left, tree, with(tree.right, fragment));
    }

    /** Returns the tree without the fragments from one start to another. */
    private static Fragment without(final Fragment tree, final Fragment from, final Fragment to) {
        if (tree == null) {
            return null;
        }
        if (tree.compare(from) < 0) {
            return join(tree.left, tree, without(tree.right, from, to));
        }
        return tree.compare(to) < 0
            ? join(before(tree.left, from), from(tree.right, to))
            : join(without(tree.left, from, to), tree, tree.right);
    }

    private static Fragment before(final Fragment tree, final Fragment end) {
        if (tree == null) {
            return null;
        }
        return tree.compare(end) < 0 ? join(tree.left, tree, before(tree.right, end)) : before(tree.left, end);
    }

    private static Fragment from(final Fragment tree, final Fragment first) {
        if (tree == null) {
            return null;
        }
        return tree.compare(first) < 0 ? from(tree.right, first) : join(from(tree.left, first), tree, tree.right);
    }

    // ---- balancing ----

    private static Fragment join(final Fragment left, final Fragment right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        Fragment first = right;
        while (first.left != null) {
            first = first.left;
        }
        return join(left, first, withoutFirst(right));
    }

    private static Fragment withoutFirst(final Fragment tree) {
        return tree.left == null ? tree.right : balance(withoutFirst(tree.left), tree, tree.right);
    }

    /** Joins two trees of any weight and a fragment that lies between them. */
    private static Fragment join(final Fragment left, final Fragment middle, final Fragment right) {
        if (isHeavy(left, right)) {
            return balance(left.left, left, join(left.right, middle, right));
        }
        return isHeavy(right, left)
            ? balance(join(left, middle, right.left), right, right.right) : make(left, middle, right);
    }

    /** Joins two trees, of which one may be slightly too heavy, and a fragment that lies between them. */
    private static Fragment balance(final Fragment left, final Fragment middle, final Fragment right) {
        if (isHeavy(right, left)) {
            return weightOf(right.left) < ROTATE_ONCE * weightOf(right.right)
                ? make(make(left, middle, right.left), right, right.right)
                : make(make(left, middle, right.left.left), right.left, make(right.left.right, right, right.right));
        }
        if (isHeavy(left, right)) {
            return weightOf(left.right) < ROTATE_ONCE * weightOf(left.left)
                ? make(left.left, left, make(left.right, middle, right))
                : make(make(left.left, left, left.right.left), left.right, make(left.right.right, middle, right));
        }
        return make(left, middle, right);
    }

    private static Fragment make(final Fragment left, final Fragment middle, final Fragment right) {
        return middle.left == left && middle.right == right ? middle : new Fragment(middle, left, right);
    }

    static boolean isHeavy(final Fragment tree, final Fragment sibling) {
        return weightOf(tree) > HEAVY * weightOf(sibling);
    }

    private static int weightOf(final Fragment tree) {
        return tree == null ? 1 : tree.weight;
    }
}
