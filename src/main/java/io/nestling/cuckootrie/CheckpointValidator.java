/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.KeySource;

/**
 * Proves that a walk which began at a checkpoint began on its key's path. The checkpoint was found by the hash of its name, which
 * another name may share; a key below it tells its name.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile.
 */
final class CheckpointValidator {
    private static final long CHANGED = -1;

    /* Most codes on the way to a leaf, its suffix included, that are compared with its key. */
    private static final int CODES = 12;

    private final EntryProbe probe = new EntryProbe();
    private final byte[] codes = new byte[CODES];
    private int noted;

    /**
     * Descends from a node to some leaf, and adds the buckets to those passed: what was read counts if they are unchanged
     * afterwards.
     *
     * @return the payload of that leaf, or -1 if the trie changed meanwhile
     */
    long leafBelow(
        final NodeTable table, final long nodeHash, final long nodeHead, final long nodeTail, final NodePath passed) {
        // cuckoo-trie-concurrency.md, claim 11
        final NameHash names = table.hash();
        long hash = nodeHash;
        long head = nodeHead;
        long tail = nodeTail;
        noted = 0;
        while (!isLeaf(head)) {
            final boolean found;
            if (type(head) == BITMAP) {
                final int code = lowestCode(children(tail) | CHILDREN_MASK + 1); // never empty, also after a torn read
                note(code);
                hash = names.append(hash, code);
                found = probe.byParent(table, hash, code, color(head));
            } else {
                for (int i = 0; i < labelCount(tail); i++) {
                    note(label(head, tail, i) + FIRST_CODE);
                }
                hash = JumpLabels.childHash(names, hash, head, tail);
                found = probe.find(table, hash, JumpLabels.childIdentity(head, tail), BY_COLOR_MASK);
            }
            if (!found || !probe.isWhole(table)) {
                return CHANGED;
            }
            passed.add(probe.line(), probe.version());
            head = probe.head();
            tail = probe.tail();
        }
        for (int i = 0; i < suffixCount(suffix(head)); i++) {
            note(suffixSymbol(suffix(head), i) + FIRST_CODE);
        }
        if (suffixEnds(suffix(head))) {
            note(END_CODE);
        }
        return payload(head, tail);
    }

    private void note(final int code) {
        if (noted < CODES) {
            codes[noted++] = (byte) code;
        }
    }

    /**
     * Returns whether that leaf's key continues at a depth as {@link #leafBelow} descended last. If not, the node where it began
     * stands elsewhere: names of different lengths may share a hash.
     */
    boolean wentOnAt(final KeySource keys, final long payload, final int depth) {
        final int count = Symbols.count(keys.keyLength(payload));
        long word = 0;
        int end = 0; // end of the key's bits that are in the word
        for (int i = 0; i < noted; i++) {
            final int symbolEnd = (depth + i + 1) * SYMBOL_BITS;
            if (symbolEnd > end) {
                final int from = symbolEnd - SYMBOL_BITS >>> 3;
                word = keys.keyWord(payload, from);
                end = from * Byte.SIZE + Long.SIZE;
            }
            final int symbol = (int) (word >>> end - symbolEnd) & SYMBOL_MASK;
            if (codes[i] != (depth + i < count ? symbol + FIRST_CODE : END_CODE) || depth + i > count + 1) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the key of a payload begins with the first symbols of another key. */
    static boolean sharePrefix(
        final KeySource keys, final long payload, final byte[] key, final int offset, final int length,
        final int symbols) {
        final int bits = symbols * SYMBOL_BITS;
        if (Symbols.count(keys.keyLength(payload)) < symbols) {
            return false;
        }
        for (int from = 0; from < bits; from += Long.SIZE) {
            final long differing = keys.keyWord(payload, from >>> 3) ^ KeyChunk.at(key, offset, length, from >>> 3);
            if (differing >>> Math.max(0, from + Long.SIZE - bits) != 0) {
                return false;
            }
        }
        return true;
    }
}
