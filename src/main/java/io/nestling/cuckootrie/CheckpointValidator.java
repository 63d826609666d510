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

    private final EntryProbe probe = new EntryProbe();

    /**
     * Returns whether a node that was found by the hash of a key's prefix is that of the prefix, provided that {@link #leafBelow}
     * leads from it to a key with this prefix. Otherwise it is the node of a shorter prefix, which has the same hash, or of a
     * longer one: then the prefix has a node of its own, and two entries have the hash.
     * <p>
     * The prefix has {@code depth} codes, {@code code} the last one; {@code shorter} has the hashes of prefixes with fewer codes,
     * by their number. Adds both buckets to those passed: the answer counts if they are unchanged afterwards.
     */
    boolean isOnlyNode(
        final NodeTable table, final long hash, final int depth, final int code, final long[] shorter, final NodePath passed) {
        // cuckoo-trie-concurrency.md, claim 11
        for (int i = 1; i < depth; i += i < CHECKPOINT_STEP ? 1 : CHECKPOINT_STEP) {
            if (shorter[i] == hash) {
                return false;
            }
        }
        final NameHash names = table.hash();
        final long other = names.alternate(hash);
        final long buckets = table.buckets();
        final int wanted = code << SYMBOL_SHIFT;
        final int found = probe.count(table, NodeTable.offsetOf(hash, buckets), wanted | names.tag(hash), passed)
            + probe.count(table, NodeTable.offsetOf(other, buckets), wanted | SECONDARY | names.tag(other), passed);
        return found == 1 && table.buckets() == buckets;
    }

    /**
     * Descends from a node to some leaf, and adds the buckets to those passed: what was read counts if they are unchanged
     * afterwards. Returns the payload of that leaf, or -1 if the trie changed meanwhile.
     */
    long leafBelow(
        final NodeTable table, final long nodeHash, final long nodeHead, final long nodeTail, final NodePath passed) {
        // cuckoo-trie-concurrency.md, claim 11
        final NameHash names = table.hash();
        long hash = nodeHash;
        long head = nodeHead;
        long tail = nodeTail;
        while (!isLeaf(head)) {
            final boolean found;
            if (type(head) == BITMAP) {
                final int code = lowestCode(children(tail) | CHILDREN_MASK + 1); // never empty, also after a torn read
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
