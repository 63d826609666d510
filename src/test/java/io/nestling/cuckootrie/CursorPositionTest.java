/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A cursor that is positioned while one key comes and then another one goes: the answer is the key before or the one after,
 * never one that was the nearest at no moment.
 */
class CursorPositionTest {
    private static final int BYTES = 8 << 20;
    private static final int ROUNDS = 100;
    private static final long ENOUGH_SECONDS = 30;

    private final List<byte[]> keys = new ArrayList<>();
    /** Done when a key is read the next time. */
    private Runnable onRead;

    private byte[] keyOf(final long payload) {
        final Runnable task = onRead;
        onRead = null;
        if (task != null) {
            task.run();
        }
        return keys.get((int) payload);
    }

    private CuckooTrie open() {
        return new CuckooTrie(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), new HeapKeySource(this::keyOf), BYTES), 1);
    }

    private int put(final CuckooTrie trie, final int... bytes) {
        keys.add(bytes(bytes));
        assertEquals(PointIndex.NONE, trie.put(keys.get(keys.size() - 1), 0, bytes.length, keys.size() - 1));
        return keys.size() - 1;
    }

    private void remove(final CuckooTrie trie, final int number) {
        final byte[] key = keys.get(number);
        assertEquals(number, trie.remove(key, 0, key.length));
    }

    private static byte[] bytes(final int... bytes) {
        final byte[] key = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            key[i] = (byte) bytes[i];
        }
        return key;
    }

    /** The new key comes beside the leaf where the way along the key ends, or beside its parent: both were read before. */
    @Test
    void shouldSeeAKeyThatCameBeforeTheOneAboveItWent() {
        for (final int[] coming : new int[][] {{0, 0x50, 0, 0, 0, 0, 0, 0, 8}, {0, 0x90}}) {
            try (CuckooTrie trie = open(); EntryCursor cursor = trie.cursor()) {
                put(trie, 0, 0x10);
                put(trie, 0, 0x50, 0, 0, 0, 0, 0, 0, 5);
                final int above = put(trie, 0x80, 0x10);
                put(trie, 0x80, 0x50);
                put(trie, 0x80, 0x90);
                final int come = keys.size();
                onRead = () -> {
                    put(trie, coming);
                    remove(trie, above);
                };
                assertTrue(cursor.seek(bytes(0, 0x50, 0, 0, 0, 0, 0, 0, 7)));
                assertEquals(come, cursor.payload());
            }
        }
    }

    @Test
    void shouldSeeAKeyThatCameBeforeTheOneBelowItWent() {
        for (final int[] coming : new int[][] {{0x80, 0x50, 0, 0, 0, 0, 0, 0, 6}, {0x80, 0x10}}) {
            try (CuckooTrie trie = open(); EntryCursor cursor = trie.cursor()) {
                put(trie, 0x80, 0x90);
                put(trie, 0x80, 0x50, 0, 0, 0, 0, 0, 0, 9);
                final int below = put(trie, 0, 0x90);
                put(trie, 0, 0x50);
                put(trie, 0, 0x10);
                final int come = keys.size();
                onRead = () -> {
                    put(trie, coming);
                    remove(trie, below);
                };
                assertTrue(cursor.seekLowerThan(bytes(0x80, 0x50, 0, 0, 0, 0, 0, 0, 7)));
                assertEquals(come, cursor.payload());
            }
        }
    }

    /**
     * A reader that has seen the root is held up at the node below, then a last key comes as another child of the root, and then
     * the one goes that was the last before: most often before the reader, which sleeps now and then, sees that it may go on.
     */
    @Test
    void shouldSeeALastKeyThatCameBeforeTheOneBelowItWent() throws Exception {
        try (CuckooTrie trie = open()) {
            put(trie, 0, 0x10);
            put(trie, 0x80, 0x10);
            put(trie, 0x80, 0x50);
            for (int round = 0; round < ROUNDS; round++) {
                final int last = put(trie, 0x80, 0x90);
                final long line = lineOf(trie, bytes(0x80, 0x90));
                final Slab slab = trie.tableOpen().slab();
                final int version = slab.getInt(line + BucketLayout.VERSION_OFFSET);
                slab.putIntRelease(line + BucketLayout.VERSION_OFFSET, version + 1);
                final CompletableFuture<Long> answer = CompletableFuture.supplyAsync(() -> {
                    try (EntryCursor cursor = trie.cursor()) {
                        return cursor.last() ? cursor.payload() : PointIndex.NONE;
                    }
                });
                Thread.sleep(2);
                final int come = put(trie, childElsewhere(trie.tableOpen(), line));
                assertEquals(version + 1, slab.getInt(line + BucketLayout.VERSION_OFFSET), "the reader is held up");
                slab.putIntRelease(line + BucketLayout.VERSION_OFFSET, version + 2);
                remove(trie, last);
                final long shown = answer.get(ENOUGH_SECONDS, TimeUnit.SECONDS);
                assertTrue(shown == last || shown == come, "round " + round + ": shown " + shown + ", there were " + last
                    + " and then " + come);
                remove(trie, come);
            }
            trie.verify();
        }
    }

    /** The first and only byte of a key behind all others whose leaf, a child of the root, cannot stand in a bucket. */
    private static int childElsewhere(final NodeTable table, final long line) {
        final NameHash names = table.hash();
        for (int symbol = CuckooTrieEntryLayout.SYMBOL_MASK; symbol > 0x80 >>> 3; symbol--) {
            final long name = names.append(names.root(), symbol + CuckooTrieEntryLayout.FIRST_CODE);
            if (NodeTable.offsetOf(name, table.buckets()) != line
                && NodeTable.offsetOf(names.alternate(name), table.buckets()) != line) {
                return symbol << 3;
            }
        }
        throw new AssertionError("all children of the root may stand in the bucket at " + line);
    }

    /** The bucket of the inner node above a key's leaf. */
    private static long lineOf(final CuckooTrie trie, final byte[] key) {
        final Descent walk = new Descent();
        assertEquals(Descent.AT_LEAF, walk.run(trie.tableOpen(), key, 0, key.length, Descent.FROM_ROOT));
        final int levels = walk.path().levels();
        assertEquals(1, walk.path().at(levels - 1).depth);
        final long line = walk.path().at(levels - 1).line;
        assertNotEquals(line, walk.end().line());
        return line;
    }
}
