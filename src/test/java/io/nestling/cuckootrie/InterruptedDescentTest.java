/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.offheap.PrefetchVector;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A reader that is stopped in the middle of its walk while the writer changes the trie: the same interleavings
 * in each run, without threads. A reader that did not look at the versions of what it has passed would wait for
 * nodes that are gone: the test counts how often that was so, and shows nothing if it never was.
 */
class InterruptedDescentTest {
    private static final int STABLE = 400;
    private static final int CHANGING = 400;
    private static final int WALKS = 6_000;
    private static final int KEY_BYTES = 30;

    /** Keys in which nearly every byte decides something, so that paths are longer than a window. */
    private static byte[] key(final Random random) {
        final byte[] key = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            key[i] = (byte) (random.nextInt(i < 12 ? 2 : 6) == 0 ? 1 : 0);
        }
        return key;
    }

    @Test
    void shouldFindWhatIsThereThroughout() {
        final Random random = new Random(Seeds.seed("InterruptedDescentTest"));
        try (TestTrie test = new TestTrie(8L << 20)) {
            final List<byte[]> stable = new ArrayList<>();
            final List<Integer> numbers = new ArrayList<>();
            while (stable.size() < STABLE) {
                final byte[] key = key(random);
                if (test.get(key) < 0) {
                    numbers.add(test.put(key));
                    stable.add(key);
                }
            }
            final List<Integer> changing = new ArrayList<>();
            final Descent[] walks = {new Descent(), new Descent(new PrefetchVector())};
            final NodeTable table = test.trie().tableOpen();
            int interrupted = 0;
            int begunAnew = 0;
            int fromCheckpoint = 0;
            for (int i = 0; i < WALKS; i++) {
                final int wanted = random.nextInt(STABLE);
                final byte[] near = stable.get(wanted).clone();
                near[random.nextInt(KEY_BYTES)] ^= 1;
                final int neighbour = test.get(near) < 0 ? test.put(near) : -1;
                final Descent walk = walks[i & 1];
                walk.begin(table, stable.get(wanted), 0, KEY_BYTES, random.nextInt(3));
                int stop = walk.advance(table);
                for (int steps = random.nextInt(KEY_BYTES); steps > 0 && stop == Descent.SUSPENDED; steps--) {
                    stop = walk.advance(table);
                }
                fromCheckpoint += walk.checkpoint() > 0 ? 1 : 0;
                if (stop == Descent.SUSPENDED) {
                    interrupted++;
                    write(test, changing, random, random.nextInt(20));
                }
                if (neighbour >= 0) {
                    test.remove(neighbour); // and with it the end of the path
                }
                while (true) {
                    while (stop == Descent.SUSPENDED) {
                        stop = walk.advance(table);
                    }
                    if (stop == Descent.AT_LEAF && walk.compareLeaf(test.context().keys()) == 0) {
                        break;
                    }
                    assertTrue(!walk.provesAbsence(table, test.context().keys()), "a key that is there was not found");
                    walk.restart(table);
                    stop = walk.advance(table);
                }
                begunAnew += walk.restarts();
                assertEquals((long) numbers.get(wanted), walk.end().payload());
            }
            test.trie().verify();
            assertEquals(table, test.trie().tableOpen());
            assertTrue(interrupted > WALKS / 10, interrupted + " walks were interrupted");
            assertTrue(fromCheckpoint > WALKS / 10, fromCheckpoint + " walks began at checkpoints");
            assertTrue(begunAnew > 0, "the versions were never needed: this test shows nothing");
        }
    }

    @Test
    void shouldNotShowALeafThatNothingLeadsToYet() {
        try (TestTrie test = new TestTrie(8L << 20)) {
            final List<byte[]> keys = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                keys.add(new byte[] {1, 2, 3, 4, 5, 6, 7, (byte) (80 + i)});
                test.put(keys.get(i));
            }
            final NodeTable table = test.trie().tableOpen();
            final Descent walk = new Descent();
            walk.begin(table, keys.get(2), 0, 8, Descent.FROM_ROOT);
            int stop = walk.advance(table);
            while (stop == Descent.SUSPENDED && CuckooTrieEntryLayout.type(walk.end().head()) != CuckooTrieEntryLayout.BITMAP) {
                stop = walk.advance(table);
            }
            assertEquals(Descent.SUSPENDED, stop, "the walk stands before the leaf");

            test.remove(2);
            final int code = walk.keyCode(walk.depth() - 1);
            final Relocator relocator = new Relocator(table);
            final long leafHash = table.hash().append(walk.hash(), code);
            final int identity = CuckooTrieEntryLayout.identity(code, CuckooTrieEntryLayout.color(walk.end().head()), 0);
            final int color = relocator.place(leafHash, identity,
                CuckooTrieEntryLayout.leafHead(CuckooTrieEntryLayout.SUFFIX_END, 2), CuckooTrieEntryLayout.leafTail(2),
                    walk.depth());
            while (stop == Descent.SUSPENDED) {
                stop = walk.advance(table);
            }
            assertEquals(Descent.NO_CHILD, stop);
            assertEquals(1, walk.restarts());

            relocator.clear(leafHash,
                CuckooTrieEntryLayout.identity(code, CuckooTrieEntryLayout.color(walk.end().head()), color), walk.depth() + 1);
            test.check(List.of(keys.get(0), keys.get(1), keys.get(3)));
        }
    }

    /** Puts and removes keys near the stable ones, so that paths are split and joined. */
    private static void write(
        final TestTrie test, final List<Integer> changing, final Random random, final int writes) {
        for (int i = 0; i < writes; i++) {
            if (changing.size() < CHANGING && random.nextBoolean() || changing.isEmpty()) {
                final byte[] key = key(random);
                if (test.get(key) < 0) {
                    changing.add(test.put(key));
                }
            } else {
                test.remove(changing.remove(random.nextInt(changing.size())));
            }
        }
    }
}
