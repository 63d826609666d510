/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.Slab;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Damages a sound trie in each way that the verifier must notice. */
class CuckooTrieVerifierTest {
    private static final int KEYS = 400;

    private interface Damage {
        void apply(NodeTable table, NodeWalk at);
    }

    /** Applies damage to the first node of a type that is not the root, and expects an invariant to be named. */
    private static void assertFound(final int type, final String invariants, final Damage damage) {
        try (TestTrie test = filled()) {
            final NodeTable table = test.trie().tableOpen();
            final NodeWalk walk = new NodeWalk(table);
            boolean found = false;
            while (!found && walk.next()) {
                found = walk.depth() > 0 && type(walk.head()) == type;
            }
            assertTrue(found);
            assertDoesNotThrow(test.trie()::verify);
            damage.apply(table, walk);
            final IllegalStateException e = assertThrows(IllegalStateException.class, test.trie()::verify);
            assertTrue(e.getMessage().matches("(?s)invariant (" + invariants + "): .*"), e.getMessage());
        }
    }

    private static TestTrie filled() {
        final TestTrie test = new TestTrie(4L << 20);
        final Random random = new Random(7);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            final byte[] key = new byte[8];
            random.nextBytes(key);
            keys.add(key);
            test.put(key);
        }
        for (int i = 0; i < KEYS; i += 10) {
            final byte[] near = java.util.Arrays.copyOf(keys.get(i), 9); // a jump node and an end
            test.put(near);
        }
        return test;
    }

    private static long at(final NodeWalk walk) {
        return cellOffset(walk.line(), walk.cell());
    }

    private static void putHead(final NodeTable table, final NodeWalk walk, final long head) {
        table.slab().putLong(at(walk), head);
    }

    private static void putTail(final NodeTable table, final NodeWalk walk, final long tail) {
        table.slab().putLong(at(walk) + 7, tail << 8 | walk.head() >>> 56);
    }

    @Test
    void shouldFindABucketNotNotedAsItIs() {
        assertFound(LEAF, "8", (table, walk) -> {
            final long bucket = bucketAt(walk.line());
            table.freeCounts().set(bucket, table.freeCounts().of(bucket) == 0 ? 1 : 0);
        });
    }

    @Test
    void shouldFindNoFaultInASoundTrie() {
        try (TestTrie test = filled()) {
            assertDoesNotThrow(test.trie()::verify);
        }
    }

    @Test
    void shouldFindAnEntryUnderAnotherHash() {
        assertFound(LEAF, "3", (table, walk) -> putHead(table, walk, walk.head() ^ 1));
        assertFound(LEAF, "3", (table, walk) -> putHead(table, walk, walk.head() ^ SECONDARY));
    }

    @Test
    void shouldFindAColorTwiceOrOfTheRoot() {
        assertFound(LEAF, "2|10", (table, walk) -> putHead(table, walk, walk.head() | 0xFL << COLOR_SHIFT));
    }

    @Test
    void shouldFindAnEntryThatNothingLeadsTo() {
        assertFound(BITMAP, "[3478]", (table, walk) -> {
            final long children = children(walk.tail());
            putTail(table, walk, walk.tail() & ~(children & -children));
        });
        assertFound(LEAF, "[38]", (table, walk) -> {
            // A copy in some free cell.
            final Slab slab = table.slab();
            for (long bucket = 0; bucket < table.buckets(); bucket++) {
                for (int cell = 0; cell < CELLS; cell++) {
                    final long at = cellOffset(bucketOffset(bucket), cell);
                    if (slab.getLong(at) == 0) {
                        slab.putLong(at, walk.head());
                        return;
                    }
                }
            }
        });
    }

    @Test
    void shouldFindAMissingChild() {
        assertFound(BITMAP, "3", (table, walk) -> putTail(table, walk, walk.tail() ^ CHILDREN_MASK));
        assertFound(JUMP, "3", (table, walk) -> putTail(table, walk, walk.tail() ^ 1L << CHILD_COLOR_SHIFT));
    }

    @Test
    void shouldFindAWrongParentColor() {
        assertFound(LEAF, "3", (table, walk) -> putHead(
            table, walk, withParentColor(walk.head(), parentColor(walk.head()) ^ 1)));
    }

    @Test
    void shouldFindASuffixThatIsNotTheKeys() {
        assertFound(LEAF, "6", (table, walk) -> putHead(table, walk, walk.head() ^ 1L << BODY_SHIFT + 15));
    }

    @Test
    void shouldFindLeavesThatChangedPlaces() {
        try (TestTrie test = filled()) {
            final NodeTable table = test.trie().tableOpen();
            final NodeWalk walk = new NodeWalk(table);
            final List<long[]> leaves = new ArrayList<>();
            while (leaves.size() < 2 && walk.next()) {
                if (type(walk.head()) == LEAF && walk.depth() > 0) {
                    leaves.add(new long[] {at(walk), walk.head(), walk.tail()});
                }
            }
            for (int i = 0; i < 2; i++) {
                final long[] other = leaves.get(1 - i);
                final long payload = payload(other[1], other[2]);
                final long head = withBodyOf(leaves.get(i)[1], leafHead(0, payload));
                table.slab().putLong(leaves.get(i)[0], head);
                table.slab().putLong(leaves.get(i)[0] + 7, leafTail(payload) << 8 | head >>> 56);
            }
            final IllegalStateException e = assertThrows(IllegalStateException.class, test.trie()::verify);
            assertTrue(e.getMessage().matches("(?s)invariant [67]: .*"), e.getMessage());
        }
    }

    @Test
    void shouldFindWrongCountsAndVersions() {
        assertFound(LEAF, "8", (table, walk) -> table.count(3, 1));
        assertFound(LEAF, "8", (table, walk) -> {
            table.count(3, 1);
            table.count(4, -1);
        });
        assertFound(LEAF, "8", (table, walk) -> {
            final long version = bucketOffset(bucketAt(walk.line()) ^ 1) + VERSION_OFFSET;
            // The verifier would wait for a bucket that it walks through; it looks at all of them first.
            table.slab().putInt(version, table.slab().getInt(version) | 1);
        });
    }

    @Test
    void shouldFindAWrongCheckpoint() {
        assertFound(BITMAP, "9", (table, walk) -> putTail(table, walk, walk.tail() ^ CHECKPOINT));
        assertFound(JUMP, "9", (table, walk) -> putTail(table, walk, walk.tail() ^ CHECKPOINT));
    }

    @Test
    void shouldFindAWrongTopColor() {
        assertFound(LEAF, "10", (table, walk) -> table.putTopColor(12_345, table.topColor(12_345) + 1));
    }
}
