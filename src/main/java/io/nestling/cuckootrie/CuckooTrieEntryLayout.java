/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

/**
 * Entry: one trie node in the 15 bytes of a cell, handled as two words. Little endian; bit 0 = least significant.
 * <pre>
 *  byte 0               8               15
 *       +---------------+---------------+
 *       | head word     | tail word     |
 *       +---------------+---------------+
 *
 *  head word
 *  bits  0..16  tag: top bits of the hash under which the entry stands here          TAG_BITS
 *  bit      17  secondary: that hash is the alternate one                            SECONDARY
 *  bits 18..23  last symbol of the name as its code: 0 only in a free cell,
 *               1 end of the key, 2 + s for symbol s                                 SYMBOL_SHIFT
 *  bits 24..27  color of the parent; 15 below a jump node                            PARENT_COLOR_SHIFT
 *  bits 28..31  color, unique among entries with the same hash                       COLOR_SHIFT
 *  bits 32..33  type: 0 leaf and checkpoint, 1 leaf, 2 bitmap node, 3 jump node         TYPE_SHIFT
 *  bits 34..63  first part of the body                                               BODY_SHIFT
 *  tail word, 56 bits: second part of the body
 *
 *  body of a leaf         head 34..57  suffix: what is known of the key behind the name, see below
 *                         head 58..63  payload, bits 0..5      tail 0..55  payload, bits 6..61
 *  body of a bitmap node  tail  0..32  children by code - 1: bit 0 end of the key, bit 1 + s symbol s
 *                         head 34..63 and tail 33..35  those of them that were placed in their secondary bucket (a hint)
 *  body of a jump node    head 34..63  labels 0 to 5, 5 bits each      tail 0..44  labels 6 to 14
 *                         tail 45..48  number of labels, 1 to 15       tail 49..52 color of the only child
 *  bitmap and jump node   tail     55  is a checkpoint                               CHECKPOINT
 *
 *  suffix
 *  bits  0..19  the symbols behind the name, the first one in bits 15..19
 *  bit      20  the key ends behind them                                             SUFFIX_END
 *  bits 21..23  how many of them are known, 0 to 4
 * </pre>
 * A walk may begin at a checkpoint. All fields are written and read plainly under the version word of the bucket ({@link
 * BucketLayout}).
 * <p>
 * Example: a leaf with tag 5 in its primary bucket, last symbol 3 (code 5), parent color 1, color 2, nothing
 * known behind its name and payload 65 has the head word {@code 0x04000001_21140005} and the tail word 1.
 */
final class CuckooTrieEntryLayout {
    static final int TAG_BITS = 17;
    static final int TAG_MASK = (1 << TAG_BITS) - 1;
    static final int SECONDARY_SHIFT = TAG_BITS;
    static final int SECONDARY = 1 << SECONDARY_SHIFT;
    static final int SYMBOL_SHIFT = 18;
    static final int CODE_MASK = 63;
    static final int PARENT_COLOR_SHIFT = 24;
    static final int COLOR_SHIFT = 28;
    static final int COLOR_MASK = 15;
    /** Color of the root, which no other entry has. */
    static final int ROOT_COLOR = 14;
    /** Replaces the parent's color below a jump node, which knows its child by color. */
    static final int NO_PARENT_COLOR = 15;
    static final int TYPE_SHIFT = 32;
    static final int TYPE_MASK = 3;
    static final int BODY_SHIFT = 34;
    static final int BODY_BITS = 30;

    /** Bits of the head that identify a child of a known parent. */
    static final int BY_PARENT_MASK = 0x0FFF_FFFF;
    /** Bits of the head that identify an entry of a known color. */
    static final int BY_COLOR_MASK = 0xF0FF_FFFF;

    /** Bits of the head that all entries of a name share. */
    static final int BY_NAME_MASK = 0x00FF_FFFF;

    /** Bits of the head that identify an entry of a known color and an unknown last symbol. */
    static final int BY_COLOR_ALONE_MASK = 0xF003_FFFF;

    /** Type of a leaf; a leaf that is a checkpoint has 0 in its entry. */
    static final int LEAF = 1;
    static final int BITMAP = 2;
    static final int JUMP = 3;

    /** Code of the end of a key. */
    static final int END_CODE = 1;
    /** Code of symbol 0. */
    static final int FIRST_CODE = 2;
    static final int SYMBOL_BITS = 5;
    static final int SYMBOL_MASK = 31;

    static final long CHILDREN_MASK = (1L << 33) - 1;
    static final int HINT_TAIL_SHIFT = 33;
    static final long HINT_TAIL_MASK = 7;

    static final int MAX_LABELS = 15;
    static final int HEAD_LABELS = 6;
    static final int LABEL_COUNT_SHIFT = 45;
    static final int LABEL_COUNT_MASK = 15;
    static final int CHILD_COLOR_SHIFT = 49;

    /**
     * Inner nodes whose depth is a multiple of this are checkpoints. No jump node crosses such a depth, so that any longer path
     * has a node there.
     */
    static final int CHECKPOINT_STEP = MAX_LABELS;
    /** Leaves from this depth on are checkpoints too, for {@link DepthGuessLookup}. */
    static final int FIRST_GUESSED_DEPTH = 2;
    /** The last such depth: so many symbols fit into eight bytes. */
    static final int LAST_GUESSED_DEPTH = 12;
    /** In the tail of an inner node that is a checkpoint, set once the root leads to it. */
    static final long CHECKPOINT = 1L << 55;
    /* In the head of a leaf that is no checkpoint. */
    private static final long PLAIN_LEAF = (long) LEAF << TYPE_SHIFT;
    private static final long INNER = 2L << TYPE_SHIFT;

    static final int MAX_SUFFIX = 4;
    static final int SUFFIX_SYMBOLS = (1 << 20) - 1;
    static final int SUFFIX_END = 1 << 20;
    static final int SUFFIX_COUNT_SHIFT = 21;
    static final int SUFFIX_MASK = (1 << 24) - 1;
    static final int PAYLOAD_HEAD_SHIFT = 58;
    static final int PAYLOAD_HEAD_BITS = 6;
    static final long PAYLOAD_HEAD_MASK = 63;

    private CuckooTrieEntryLayout() {
    }

    /** Returns bits 0 to 31 without tag and secondary bit: last symbol and colors. */
    static int identity(final int code, final int parentColor, final int color) {
        return code << SYMBOL_SHIFT | parentColor << PARENT_COLOR_SHIFT | color << COLOR_SHIFT;
    }

    static int tag(final long head) {
        return (int) head & TAG_MASK;
    }

    static boolean isSecondary(final long head) {
        return (head & SECONDARY) != 0;
    }

    static int code(final long head) {
        return (int) head >>> SYMBOL_SHIFT & CODE_MASK;
    }

    static int parentColor(final long head) {
        return (int) head >>> PARENT_COLOR_SHIFT & COLOR_MASK;
    }

    static int color(final long head) {
        return (int) head >>> COLOR_SHIFT & COLOR_MASK;
    }

    /** Returns {@link #LEAF}, {@link #BITMAP} or {@link #JUMP}. */
    static int type(final long head) {
        return Math.max(LEAF, (int) (head >>> TYPE_SHIFT) & TYPE_MASK);
    }

    /** Returns whether an entry is a leaf, checkpoint or not. */
    static boolean isLeaf(final long head) {
        return (head & INNER) == 0;
    }

    /** Returns whether a cell holds an entry. */
    static boolean isUsed(final long head) {
        return head != 0;
    }

    /** Returns a head with another tag and secondary bit. */
    static long withTag(final long head, final int tag, final boolean secondary) {
        return head & ~(long) (TAG_MASK | SECONDARY) | tag | (secondary ? SECONDARY : 0);
    }

    /** Returns a head with another parent color. */
    static long withParentColor(final long head, final int parentColor) {
        return head & ~((long) COLOR_MASK << PARENT_COLOR_SHIFT) | (long) parentColor << PARENT_COLOR_SHIFT;
    }

    /** Returns a head with name and colors of one head, and type and body of another. */
    static long withBodyOf(final long head, final long body) {
        return head & 0xFFFF_FFFFL | body & ~0xFFFF_FFFFL;
    }

    // ---- checkpoints

    /** Returns whether a leaf at a depth is a checkpoint once the root leads to it. */
    static boolean isCheckpointDepth(final int depth) {
        return depth >= FIRST_GUESSED_DEPTH && (depth <= LAST_GUESSED_DEPTH || endsJumps(depth));
    }

    /** Returns whether a node at a depth is a checkpoint once the root leads to it. */
    static boolean mayBeCheckpoint(final long head, final int depth) {
        return isCheckpointDepth(depth) && (isLeaf(head) || endsJumps(depth));
    }

    /** Returns whether no jump node crosses a depth, so that inner nodes there are checkpoints. */
    static boolean endsJumps(final int depth) {
        return depth % CHECKPOINT_STEP == 0;
    }

    /** Returns the greatest number of labels of a jump node at a depth: up to the next one that none crosses. */
    static int mostLabels(final int depth) {
        return CHECKPOINT_STEP - depth % CHECKPOINT_STEP;
    }

    /** Returns whether an entry is a checkpoint. */
    static boolean isCheckpoint(final long head, final long tail) {
        return isLeaf(head) ? (head & PLAIN_LEAF) == 0 : (tail & CHECKPOINT) != 0;
    }

    /** Returns the head of an entry, made a checkpoint. */
    static long checkpointHead(final long head) {
        return isLeaf(head) ? head & ~PLAIN_LEAF : head;
    }

    /** Returns the tail of an entry, made a checkpoint. */
    static long checkpointTail(final long head, final long tail) {
        return isLeaf(head) ? tail : tail | CHECKPOINT;
    }

    /** Returns the head of an entry, made no checkpoint. */
    static long plainHead(final long head) {
        return isLeaf(head) ? head | PLAIN_LEAF : head;
    }

    /** Returns the tail of an entry, made no checkpoint. */
    static long plainTail(final long head, final long tail) {
        return isLeaf(head) ? tail : tail & ~CHECKPOINT;
    }

    // ---- leaves

    /** Returns the head bits of a leaf that is no checkpoint. */
    static long leafHead(final int suffix, final long payload) {
        return (long) LEAF << TYPE_SHIFT | (long) suffix << BODY_SHIFT
            | (payload & PAYLOAD_HEAD_MASK) << PAYLOAD_HEAD_SHIFT;
    }

    static long leafTail(final long payload) {
        return payload >>> PAYLOAD_HEAD_BITS;
    }

    static long payload(final long head, final long tail) {
        return tail << PAYLOAD_HEAD_BITS | head >>> PAYLOAD_HEAD_SHIFT;
    }

    static int suffix(final long head) {
        return (int) (head >>> BODY_SHIFT) & SUFFIX_MASK;
    }

    static int suffixCount(final int suffix) {
        return suffix >>> SUFFIX_COUNT_SHIFT;
    }

    static boolean suffixEnds(final int suffix) {
        return (suffix & SUFFIX_END) != 0;
    }

    /** Returns the symbol {@code i} of a suffix. */
    static int suffixSymbol(final int suffix, final int i) {
        return suffix >>> SYMBOL_BITS * (MAX_SUFFIX - 1 - i) & SYMBOL_MASK;
    }

    /** Returns the suffix of a leaf whose name grows by some codes: symbols, and finally perhaps the end of the key. */
    static int suffixWithout(final int suffix, final int symbols) {
        final int count = suffixCount(suffix);
        if (symbols > count) {
            return suffix & SUFFIX_END;
        }
        final int known = suffix << SYMBOL_BITS * symbols & SUFFIX_SYMBOLS;
        return known | suffix & SUFFIX_END | count - symbols << SUFFIX_COUNT_SHIFT;
    }

    /** Returns the suffix of a leaf whose name shrinks by a symbol. */
    static int suffixAfter(final int code, final int suffix) {
        if (code == END_CODE) {
            return SUFFIX_END;
        }
        final int count = suffixCount(suffix);
        final int known = (suffix & SUFFIX_SYMBOLS) >>> SYMBOL_BITS
            | code - FIRST_CODE << SYMBOL_BITS * (MAX_SUFFIX - 1);
        if (count == MAX_SUFFIX) {
            return known | MAX_SUFFIX << SUFFIX_COUNT_SHIFT;
        }
        return known | suffix & SUFFIX_END | count + 1 << SUFFIX_COUNT_SHIFT;
    }

    // ---- bitmap nodes

    /** Returns the head bits of a bitmap node. */
    static long bitmapHead(final long hints) {
        return (long) BITMAP << TYPE_SHIFT | hints << BODY_SHIFT;
    }

    static long bitmapTail(final long children, final long hints) {
        return children | hints >>> BODY_BITS << HINT_TAIL_SHIFT;
    }

    static long children(final long tail) {
        return tail & CHILDREN_MASK;
    }

    static long hints(final long head, final long tail) {
        return head >>> BODY_SHIFT | (tail >>> HINT_TAIL_SHIFT & HINT_TAIL_MASK) << BODY_BITS;
    }

    /** Returns 1 for an inner node, else 0. */
    static int innerBit(final long head) {
        return (int) (head >>> TYPE_SHIFT + 1) & 1;
    }

    /** Returns the bit of a child. */
    static long childBit(final int code) {
        return 1L << code - 1;
    }

    /** Returns the code of the lowest child of a set that is not empty. */
    static int lowestCode(final long children) {
        return Long.numberOfTrailingZeros(children) + 1;
    }

    /** Returns the code of the highest child of a set that is not empty. */
    static int highestCode(final long children) {
        return Long.SIZE - Long.numberOfLeadingZeros(children);
    }

    // ---- jump nodes

    static int labelCount(final long tail) {
        return (int) (tail >>> LABEL_COUNT_SHIFT) & LABEL_COUNT_MASK;
    }

    static int childColor(final long tail) {
        return (int) (tail >>> CHILD_COLOR_SHIFT) & COLOR_MASK;
    }

    /** Returns the symbol {@code i} of a jump node. */
    static int label(final long head, final long tail, final int i) {
        return i < HEAD_LABELS
            ? (int) (head >>> BODY_SHIFT + SYMBOL_BITS * i) & SYMBOL_MASK
            : (int) (tail >>> SYMBOL_BITS * (i - HEAD_LABELS)) & SYMBOL_MASK;
    }

    /** Returns the bits of a label in the head. */
    static long labelHead(final int symbol, final int i) {
        return i < HEAD_LABELS ? (long) symbol << BODY_SHIFT + SYMBOL_BITS * i : 0;
    }

    /** Returns the bits of a label in the tail. */
    static long labelTail(final int symbol, final int i) {
        return i < HEAD_LABELS ? 0 : (long) symbol << SYMBOL_BITS * (i - HEAD_LABELS);
    }

    /** Returns the head bits of a jump node without its labels. */
    static long jumpHead() {
        return (long) JUMP << TYPE_SHIFT;
    }

    /** Returns the tail of a jump node without its labels. */
    static long jumpTail(final int labels, final int childColor) {
        return (long) labels << LABEL_COUNT_SHIFT | (long) childColor << CHILD_COLOR_SHIFT;
    }
}
