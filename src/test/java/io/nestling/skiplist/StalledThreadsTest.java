/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** What others do while a writer or a remover stands still half way: its steps are taken one by one here. */
class StalledThreadsTest {
    private static final long BYTES = 64L << 20;

    private final HeapKeySource keys = new HeapKeySource();
    private final EpochReclaimer epochs = new EpochReclaimer();
    private final SkipList list =
        new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), epochs, keys, BYTES), 2,
            ListFixture.HASH);
    private final Nodes nodes = list.nodes;
    private final Map<String, Long> expected = new LinkedHashMap<>();
    private long lastPayload;

    @AfterEach
    void close() {
        list.close();
    }

    private static byte[] bytes(final String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private long register(final String key) {
        final long payload = ++lastPayload;
        keys.register(payload, bytes(key));
        expected.put(key, payload);
        return payload;
    }

    private void put(final String key) {
        if (!expected.containsKey(key)) {
            final byte[] bytes = bytes(key);
            assertEquals(PointIndex.NONE, list.put(bytes, 0, bytes.length, register(key)));
        }
    }

    private void assertAllThere() {
        final int guard = epochs.enter();
        expected.forEach((key, payload) ->
            assertEquals(payload, list.get(bytes(key), 0, bytes(key).length), () -> "get " + key));
        epochs.exit(guard);
    }

    /** A key with a beginning whose node has a height, or a greater one if that is the tallest asked for. */
    private String keyOfHeight(final String beginning, final int height) {
        for (int i = 0; ; i++) {
            final byte[] key = bytes(beginning + i);
            final int own = SkipListNodeLayout.height(nodes.hashOf(key, 0, key.length));
            if (own == height || own > height && height > SkipListNodeLayout.SMALL_HEIGHT) {
                return beginning + i;
            }
        }
    }

    /** Makes a node of a key, as its writer does before it links it. */
    private int fill(final String key, final int height, final Splice splice) {
        final byte[] bytes = bytes(key);
        final int node = list.arena.allocate(SkipListNodeLayout.SMALL_UNITS);
        nodes.raiseHeight(height);
        nodes.fill(node, height, splice, bytes, 0, bytes.length);
        nodes.slab().putLong(SkipListNodeLayout.offset(node) + SkipListNodeLayout.PAYLOAD_OFFSET, register(key));
        return node;
    }

    /** The same, and links it on the lowest level, where its writer stands still. */
    private int linkLowest(final String key, final int height, final Splice splice) {
        final byte[] bytes = bytes(key);
        final int node = fill(key, height, splice);
        assertEquals(SkipList.LINKED_BUCKET_HAS_ROOM, list.link(node, splice, nodes.hashOf(bytes, 0, bytes.length)));
        return node;
    }

    /** A writer stops between two levels while another one puts a key right behind, then goes on with keys in order. */
    @Test
    void shouldKeepTheOrderWhenAKeyIsPutWhileAWriterLinksUpperLevels() {
        put(keyOfHeight("aazzzzzzzz0", SkipListNodeLayout.SMALL_HEIGHT + 1));
        put(keyOfHeight("c", 2));
        final String stalled = keyOfHeight("aazzzzzzzz1", 3);
        final byte[] key = bytes(stalled);
        final Splice splice = new Splice();
        int guard = epochs.enter();
        assertEquals(SkipListNodeLayout.NULL, splice.locate(nodes, key, 0, key.length, 3));
        final int node = linkLowest(stalled, 3, splice);
        assertTrue(nodes.compareAndSetLink(splice.before(1), 1, splice.behind(1), node));
        put(keyOfHeight("aazzzzzzzz2", 3));
        list.linkUpperLevels(node, 2, splice, key, 0, key.length);
        epochs.exit(guard);
        for (final String next : new String[] {keyOfHeight("bbbbbbbbbb1", 1), keyOfHeight("bbbbbbbbbb2", 2)}) {
            guard = epochs.enter();
            assertEquals(PointIndex.NONE, list.tryPut(splice, bytes(next), 0, bytes(next).length, register(next), false));
            epochs.exit(guard);
        }
        assertAllThere();
        assertInOrder();
    }

    /**
     * A writer has not linked the second level yet, of which its link is out of date by now: to a node that was removed before a
     * cursor came, and is two other ones while it is there.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShowAllThatIsThereBehindANodeWhoseWriterStandsStill(final boolean sought) {
        for (final String beginning : new String[] {"m", "p", "z"}) {
            for (int i = 10; i < 60; i++) {
                put(keyOfHeight(beginning + i + "-", 1));
            }
        }
        final String removed = keyOfHeight("n", 2);
        put(removed);
        final String before = keyOfHeight("l", 1);
        put(before);
        put(keyOfHeight("a", 3));
        try (EntryCursor cursor = list.cursor()) {
            int guard = epochs.enter();
            assertTrue(cursor.first());
            for (int i = 0; i < 6; i++) {
                assertTrue(cursor.next()); // a scan: the next one begins as soon as its key is found
            }
            epochs.exit(guard);

            final String stalled = keyOfHeight("m0", 2);
            final int guardOfWriter = epochs.enter();
            final Splice splice = new Splice();
            splice.locate(nodes, bytes(stalled), 0, bytes(stalled).length, 2);
            final int node = linkLowest(stalled, 2, splice);
            final int outOfDate = splice.behind(1);
            assertEquals(expected.remove(removed), list.remove(bytes(removed), 0, bytes(removed).length));
            list.arena.reclaim(); // the removed node gets this epoch; the next one begins, and the writer's guard ends it there
            guard = epochs.enter();
            final String first = sought ? stalled : before;
            assertTrue(cursor.seek(bytes(first), 0, bytes(first).length));
            if (!sought) {
                assertTrue(cursor.next()); // the cursor comes to the node by a link
            }
            final String[] sorted =
                expected.keySet().stream().filter(key -> key.compareTo(stalled) >= 0).sorted().toArray(String[]::new);
            list.linkUpperLevels(node, 1, splice, bytes(stalled), 0, bytes(stalled).length);
            epochs.exit(guardOfWriter);
            assertTrue(epochs.tryAdvance());
            assertTrue(list.arena.reclaim());

            // The number is that of a node behind most others, which is not linked yet, then of one before them.
            final String late = keyOfHeight("z10-z", 2);
            final Splice spliceOfLate = new Splice();
            spliceOfLate.locate(nodes, bytes(late), 0, bytes(late).length, 2);
            assertEquals(outOfDate, fill(late, 2, spliceOfLate));
            final List<String> shown = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                shown.add(new String(cursor.keyBuffer(), 0, cursor.keyLength(), StandardCharsets.UTF_8));
                assertTrue(cursor.next());
            }
            expected.remove(late); // its writer gives up
            list.arena.free(outOfDate, SkipListNodeLayout.SMALL_UNITS);
            final String early = keyOfHeight("m22-z", 2);
            put(early);
            assertEquals(outOfDate, splice.locate(nodes, bytes(early), 0, bytes(early).length, 0));
            boolean there = true;
            while (there) {
                shown.add(new String(cursor.keyBuffer(), 0, cursor.keyLength(), StandardCharsets.UTF_8));
                there = cursor.next();
            }
            shown.remove(early); // it came later
            assertEquals(Arrays.asList(sorted), shown);
            epochs.exit(guard);
        }
        assertAllThere();
        assertInOrder();
    }

    private void assertInOrder() {
        final int guard = epochs.enter();
        try (EntryCursor cursor = list.cursor()) {
            final String[] sorted = expected.keySet().stream().sorted().toArray(String[]::new);
            boolean there = cursor.first();
            for (final String key : sorted) {
                assertTrue(there, key);
                assertArrayEquals(bytes(key), cursor.key());
                there = cursor.next();
            }
            assertFalse(there);
        } finally {
            epochs.exit(guard);
        }
    }

    /** A remover has unlinked a listed node and stops before it drops the node index, which others renew meanwhile. */
    @Test
    void shouldRenewTheNodeIndexInOrderPastANodeThatARemoverHasUnlinked() {
        final Random random = new Random(Seeds.seed("StalledThreadsTest.renewal"));
        while (nodes.maintainer().current() == null) {
            put(path(random));
        }
        final NodeIndex last = nodes.maintainer().current();
        final int node = last.node(last.listed - 3);
        final long payload = nodes.payload(node);
        final byte[] key = new byte[keys.keyLength(payload)];
        keys.copyKey(payload, key, 0);
        final int guard = epochs.enter();
        assertTrue(nodes.compareAndSetPayload(node, payload, payload | SkipListNodeLayout.DEAD));
        Splice.mark(nodes, node);
        new Splice().locateLinked(nodes, key, 0, key.length);
        expected.remove(new String(key, StandardCharsets.UTF_8), payload);
        while (nodes.maintainer().current() == last) {
            put(path(random));
        }
        final NodeIndex renewed = nodes.maintainer().current();
        assertNotNull(renewed);
        assertNotSame(last, renewed);
        byte[] before = {};
        for (int i = 1; i < renewed.listed; i++) {
            final long own = nodes.payload(renewed.node(i));
            final byte[] next = new byte[keys.keyLength(own)];
            keys.copyKey(own, next, 0);
            assertTrue(Arrays.compareUnsigned(before, next) < 0, "location " + i + " of " + renewed.listed);
            before = next;
        }
        epochs.exit(guard);
        assertAllThere();
        assertInOrder();
    }

    /**
     * A remover has marked its node and stops; another writer has unlinked the node on the lower levels only. A writer that puts
     * keys in order there must not go by what the dead node shared with a key before.
     */
    @Test
    void shouldNotBelieveADeadBound() {
        put(keyOfHeight("aaaaaaaaaaaa0", 6));
        // Beside a neighbour that goes again: so the chunk lies where only that one differs.
        final String neighbour = keyOfHeight("aaaaaaaaaaaa9", 6);
        put(neighbour);
        put(keyOfHeight("c", 6));
        String removed = keyOfHeight("aaaaaaaaaaaa5", 4);
        while (SkipListNodeLayout.height(nodes.hashOf(bytes(removed), 0, removed.length())) > 4) {
            removed = keyOfHeight(removed, 4);
        }
        put(removed);
        assertEquals(expected.remove(neighbour), list.remove(bytes(neighbour), 0, bytes(neighbour).length));
        final byte[] key = bytes(removed);
        final int guard = epochs.enter();
        final int node = new Splice().locateLinked(nodes, key, 0, key.length);
        final long payload = nodes.payload(node);
        assertTrue(nodes.compareAndSetPayload(node, payload, payload | SkipListNodeLayout.DEAD));
        Splice.mark(nodes, node);
        for (int level = 1; level >= 0; level--) {
            int before = SkipListNodeLayout.HEAD;
            while (nodes.next(before, level) != node) {
                before = nodes.next(before, level);
            }
            assertTrue(nodes.compareAndSetLink(before, level, node, nodes.next(node, level)));
        }
        expected.remove(removed);
        final Splice splice = new Splice();
        for (final String next : new String[] {
            keyOfHeight("aaaaaaaaaaaa1", 1), keyOfHeight("bbbbbbbbbbbb1", 1), keyOfHeight("bbbbbbbbbbbb3", 3)}) {
            assertEquals(PointIndex.NONE, list.tryPut(splice, bytes(next), 0, bytes(next).length, register(next), false));
        }
        // The remover goes on, and leaves the node nowhere.
        new Splice().locateLinked(nodes, key, 0, key.length);
        for (int level = nodes.height() - 1; level >= 0; level--) {
            byte[] last = {};
            for (int at = nodes.next(SkipListNodeLayout.HEAD, level); at != SkipListNodeLayout.NULL; at = nodes.next(at, level)) {
                assertTrue(at != node, "still on level " + level);
                final byte[] own = new byte[keys.keyLength(nodes.payload(at))];
                keys.copyKey(nodes.payload(at), own, 0);
                assertTrue(Arrays.compareUnsigned(last, own) < 0, "order of level " + level);
                last = own;
            }
        }
        epochs.exit(guard);
        assertAllThere();
        assertInOrder();
    }

    /** Removers marked listed nodes of some height and stop before they drop the node index: writers find a way past them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    @Timeout(30)
    void shouldGetPastListedNodesThatDied(final int height) {
        final Random random = new Random(Seeds.seed("StalledThreadsTest.listed " + height));
        while (expected.size() < 6_000) {
            put(path(random));
        }
        final NodeIndex nodeIndex = nodes.maintainer().current();
        final int guard = epochs.enter();
        int dead = 0;
        for (int at = 0; at < nodeIndex.listed; at++) {
            final int node = nodeIndex.node(at);
            if (SkipListNodeLayout.height(nodes.meta(node)) == height && (height > 2 || random.nextInt(3) == 0)) {
                final long payload = nodes.payload(node);
                assertTrue(nodes.compareAndSetPayload(node, payload, payload | SkipListNodeLayout.DEAD));
                Splice.mark(nodes, node);
                dead++;
            }
        }
        assertTrue(dead > 0);
        final int byNodeIndex = searchByDirectory(random, 6);
        assertSame(nodeIndex, nodes.maintainer().current());
        assertTrue(byNodeIndex > 500, byNodeIndex + " searches by the nodeIndex");
        epochs.exit(guard);
    }

    /** Searches begin the lowest level at listed nodes; all find the neighbours on each level. */
    @Test
    void shouldFindTheNeighboursOnEachLevel() {
        final Random random = new Random(Seeds.seed("StalledThreadsTest.neighbours"));
        while (expected.size() < 6_000) {
            put(random.nextInt(3) == 0 ? path(random) : "usr/share/a-long-step-" + random.nextInt(100_000) + "/b");
        }
        final int guard = epochs.enter();
        searchByDirectory(random, 30);
        final int byNodeIndex = searchByDirectory(random, 2);
        assertTrue(byNodeIndex > 2_500, byNodeIndex + " searches by the nodeIndex");
        epochs.exit(guard);
    }

    /** Searches for 3,000 keys, on up to so many levels each; returns how many searches used listed nodes. */
    private int searchByDirectory(final Random random, final int mostLevels) {
        final Splice splice = new Splice();
        int byNodeIndex = 0;
        for (int i = 0; i < 3_000; i++) {
            final byte[] key = bytes(path(random));
            final int upTo = 1 + i % mostLevels;
            if (splice.locate(nodes, key, 0, key.length, upTo) == SkipListNodeLayout.NULL) {
                byNodeIndex += splice.nodeIndex() == null ? 0 : 1;
                assertRight(splice, key, upTo);
            }
        }
        return byNodeIndex;
    }

    private void assertRight(final Splice splice, final byte[] key, final int upTo) {
        for (int level = 0; level < upTo; level++) {
            final int before = splice.before(level);
            final int behind = splice.behind(level);
            assertEquals(behind, nodes.link(before, level), "link of level " + level);
            if (before != SkipListNodeLayout.HEAD) {
                assertTrue(SkipListNodeLayout.height(nodes.meta(before)) > level, "height of the one before on level " + level);
                assertTrue(keys.compareKey(nodes.payload(before), key, 0, key.length) < 0, "before on level " + level);
            }
            if (behind != SkipListNodeLayout.NULL) {
                final long payload = nodes.payload(behind) & SkipListNodeLayout.PAYLOAD_MASK;
                assertTrue(keys.compareKey(payload, key, 0, key.length) > 0, "behind on level " + level);
                final byte[] own = new byte[keys.keyLength(payload)];
                keys.copyKey(payload, own, 0);
                final int shared = Arrays.mismatch(own, key);
                assertTrue(before == SkipListNodeLayout.HEAD || splice.shared(level) <= shared, "bytes shared on level " + level);
            }
        }
    }

    private static String path(final Random random) {
        return String.format(Locale.ROOT, "dir/common/part/with/a/file%08d", random.nextInt(100_000_000));
    }

    /** All that is linked before a key is dead, and its remover does not go on. */
    @Test
    @Timeout(30)
    void shouldFindNothingBeforeAKeyIfAllBeforeItIsDead() {
        put("a");
        put("b");
        final int node = nodes.next(SkipListNodeLayout.HEAD, 0);
        final int guard = epochs.enter();
        try (EntryCursor cursor = list.cursor()) {
            assertTrue(cursor.seek(bytes("b")));
            assertTrue(nodes.compareAndSetPayload(node, 1, 1 | SkipListNodeLayout.DEAD));
            assertFalse(cursor.previous());
            assertTrue(cursor.last());
            assertArrayEquals(bytes("b"), cursor.key());
        } finally {
            epochs.exit(guard);
        }
    }
}
