/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.memory.KeySource;

/**
 * Shows that a walk which began at a station began on its key's path. The station was found by the hash of its name,
 * which another name may have, too; a key below it tells its name.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile.
 */
final class StationProof {
    private static final long CHANGED = -1;

    private final EntryProbe probe = new EntryProbe();

    /**
     * Goes down from a node to some leaf, and adds the buckets to those passed: what was read counts if they are unchanged
     * afterwards.
     *
     * @return the payload of that leaf, or -1 if the trie was seen changing
     */
    long leafBelow(
        final NodeTable table, final long nodeHash, final long nodeHead, final long nodeTail, final NodePath passed) {
        final NameHash names = table.hash();
        long hash = nodeHash;
        long head = nodeHead;
        long tail = nodeTail;
        while (!isLeaf(head)) {
            final boolean found;
            if (type(head) == BITMAP) {
                final int code = lowestCode(children(tail) | CHILDREN_MASK + 1); // not one of none, if it was read torn
                hash = names.append(hash, code);
                found = probe.byParent(table, hash, code, color(head));
            } else {
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
        return payload(head, tail);
    }

    /** Tells whether the key of a payload begins with the first symbols of another key. */
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
