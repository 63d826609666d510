/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieNodeType.BROAD;
import static io.nestling.trie.TrieNodeType.FLAT_SPLIT;
import static io.nestling.trie.TrieNodeType.LEAF;
import static io.nestling.trie.TrieNodeType.PREFIX;
import static io.nestling.trie.TrieNodeType.PREFIX_CHAIN;
import static io.nestling.trie.TrieNodeType.PREFIX_SPLIT;
import static io.nestling.trie.TrieNodeType.SHORT_CHAIN;
import static io.nestling.trie.TrieNodeType.SLOT_LEAF;
import static io.nestling.trie.TrieNodeType.SPARSE;
import static io.nestling.trie.TrieNodeType.SPLIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;

/** Which nodes a trie makes of its keys, and that it takes them apart again. */
class InMemoryTrieTest {
    private static final int TRANSITIONS = SplitNodeLayout.TRANSITIONS;

    /** The nodes but for leaves, with their numbers. */
    private static Map<TrieNodeType, Long> nodes(final TrieBytes trie) {
        trie.trie().verify();
        final Map<TrieNodeType, Long> nodes =
            new EnumMap<>(trie.trie().statistics().nodesByType());
        nodes.remove(LEAF);
        nodes.remove(SLOT_LEAF);
        return nodes;
    }

    /** One-byte keys, each in another tail block as long as there are some. */
    private static String child(final int i) {
        return String.format(Locale.ROOT, "%02x", i * SplitNodeLayout.CHILDREN % TRANSITIONS + i / 32);
    }

    @Test
    void shouldWidenANodeAsChildrenCome() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < TRANSITIONS; i++) {
                trie.put(child(i), i);
                final TrieNodeType expected = i == 0 ? SHORT_CHAIN : i < 6 ? SPARSE
                    : i < BroadNodeLayout.MAX_CHILDREN ? BROAD : FLAT_SPLIT;
                assertEquals(Map.of(expected, 1L), nodes(trie), (i + 1) + " children");
            }
        }
    }

    @Test
    void shouldSplitANodeWhoseChildrenStandCloseTogether() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < TRANSITIONS; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", i), i);
                final TrieNodeType expected = i == 0 ? SHORT_CHAIN : i < 6 ? SPARSE
                    : i < BroadNodeLayout.MAX_CHILDREN ? BROAD
                    : i < (SplitNodeLayout.FLAT_TAILS - 1) * SplitNodeLayout.CHILDREN ? SPLIT : FLAT_SPLIT;
                assertEquals(Map.of(expected, 1L), nodes(trie), (i + 1) + " children");
            }
        }
    }

    @Test
    void shouldNarrowANodeAsChildrenGo() {
        try (TrieBytes trie = new TrieBytes()) {
            final long empty = trie.trie().bytesUsed();
            for (int i = 0; i < TRANSITIONS; i++) {
                trie.put(child(i), i);
            }
            for (int i = TRANSITIONS - 1; i > 0; i--) {
                assertEquals(i, trie.remove(child(i)));
                final TrieNodeType expected = i == 1 ? SHORT_CHAIN
                    : i <= SplitNodeLayout.SPARSE_CHILDREN ? SPARSE
                    : i < SplitNodeLayout.SPLIT_TAILS ? BROAD
                    : i == SplitNodeLayout.SPLIT_TAILS ? SPLIT : FLAT_SPLIT;
                assertEquals(Map.of(expected, 1L), nodes(trie), i + " children");
                for (int j = 0; j < TRANSITIONS; j++) {
                    assertEquals(j < i ? j : PointIndex.NONE, trie.get(child(j)));
                }
            }
            assertEquals(0, trie.remove(child(0)));
            assertEquals(empty, trie.trie().bytesUsed());
        }
    }

    @Test
    void shouldGiveBackTailAndMidBlocksOfASplitNode() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i <= BroadNodeLayout.MAX_CHILDREN; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", i), i);
            }
            final long bytes = trie.trie().bytesUsed();
            trie.put("80", 8);
            assertEquals(bytes + 2L * TrieBlockLayout.BLOCK_BYTES, trie.trie().bytesUsed());
            trie.put("90", 9);
            assertEquals(bytes + 3L * TrieBlockLayout.BLOCK_BYTES, trie.trie().bytesUsed());
            trie.remove("80");
            assertEquals(bytes + 2L * TrieBlockLayout.BLOCK_BYTES, trie.trie().bytesUsed());
            trie.remove("90");
            assertEquals(bytes, trie.trie().bytesUsed());
            trie.trie().verify();
        }
    }

    @Test
    void shouldPutContentBeforeEachKindOfNode() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("", 1);
            assertEquals(Map.of(), nodes(trie)); // the root is a leaf
            trie.put(child(0), 2);
            assertEquals(Map.of(PREFIX_CHAIN, 1L), nodes(trie));
            trie.put(child(1), 3);
            assertEquals(Map.of(PREFIX, 1L, SPARSE, 1L), nodes(trie));
            for (int i = 2; i < TRANSITIONS; i++) {
                trie.put(child(i), i);
            }
            assertEquals(Map.of(PREFIX, 1L, FLAT_SPLIT, 1L), nodes(trie));
            assertEquals(1, trie.remove(""));
            assertEquals(Map.of(FLAT_SPLIT, 1L), nodes(trie));
            for (int i = TRANSITIONS - 1; i >= 8; i--) {
                trie.remove(child(i));
            }
            assertEquals(Map.of(BROAD, 1L), nodes(trie));
            trie.put("", 4);
            assertEquals(Map.of(PREFIX, 1L, BROAD, 1L), nodes(trie));
            for (int i = 8; i < TRANSITIONS; i++) {
                trie.put(child(i), i);
            }
            assertEquals(Map.of(PREFIX, 1L, FLAT_SPLIT, 1L), nodes(trie));
            for (int i = TRANSITIONS - 1; i >= 8; i--) {
                trie.remove(child(i));
            }
            trie.put("", 5);
            assertEquals(5, trie.get(""));
            assertEquals(2, trie.get(child(0)));
            assertEquals(5, trie.remove(""));
            assertEquals(Map.of(BROAD, 1L), nodes(trie));
        }
    }

    @Test
    void shouldTakeAPrefixFromASplitNodeThatTurnsSparse() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("", 1);
            for (int i = 0; i <= BroadNodeLayout.MAX_CHILDREN; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", i), i);
            }
            // Content came first and stands before the node; only content that comes later is embedded.
            trie.remove("");
            trie.put("", 1);
            assertEquals(Map.of(PREFIX_SPLIT, 1L), nodes(trie));
            for (int i = BroadNodeLayout.MAX_CHILDREN; i >= SplitNodeLayout.BROAD_CHILDREN; i--) {
                trie.remove(String.format(Locale.ROOT, "%02x", i));
            }
            assertEquals(Map.of(PREFIX, 1L, BROAD, 1L), nodes(trie));
            for (int i = SplitNodeLayout.BROAD_CHILDREN - 1; i >= SplitNodeLayout.SPARSE_CHILDREN; i--) {
                trie.remove(String.format(Locale.ROOT, "%02x", i));
            }
            assertEquals(Map.of(PREFIX, 1L, SPARSE, 1L), nodes(trie));
            for (int i = 3; i >= 0; i--) {
                trie.remove(String.format(Locale.ROOT, "%02x", i));
            }
            assertEquals(Map.of(), nodes(trie));
            assertEquals(1, trie.get(""));
        }
    }

    @Test
    void shouldSplitAChainWhereKeysPart() {
        final String key = "61".repeat(40);
        for (int at = 0; at < 40; at++) {
            try (TrieBytes trie = new TrieBytes()) {
                trie.put(key, 1);
                final String other = key.substring(0, 2 * at) + "62" + key.substring(2 * at + 2);
                trie.put(other, 2);
                assertEquals(1, nodes(trie).get(SPARSE));
                assertEquals(1, trie.get(key));
                assertEquals(2, trie.get(other));
                trie.put(key.substring(0, 2 * at), 3);
                assertEquals(3, trie.get(key.substring(0, 2 * at)));
                trie.trie().verify();
                assertEquals(2, trie.remove(other));
                assertEquals(3, trie.remove(key.substring(0, 2 * at)));
                trie.trie().verify();
                assertEquals(1, trie.get(key));
            }
        }
    }

    @Test
    void shouldJoinChainsWhenABranchGoes() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("6162636465", 1);
            final String before = dump(trie);
            final long bytes = trie.trie().bytesUsed();
            trie.put("6162706465", 2);
            trie.remove("6162706465");
            assertEquals(before, dump(trie));
            assertEquals(bytes, trie.trie().bytesUsed());
            trie.put("6162", 3);
            trie.remove("6162");
            assertEquals(before, dump(trie));
            assertEquals(bytes, trie.trie().bytesUsed());
        }
    }

    private static String dump(final TrieBytes trie) {
        final StringBuilder text = new StringBuilder();
        try {
            trie.trie().dump(text);
        } catch (final java.io.IOException e) {
            throw new AssertionError(e);
        }
        return text.toString();
    }

    @Test
    void shouldKeepGreatPayloadsInSlots() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("6161", TrieBlockLayout.INLINE_LIMIT - 1);
            final long inline = trie.trie().bytesUsed();
            assertEquals(TrieBlockLayout.INLINE_LIMIT - 1, trie.put("6161", TrieBlockLayout.INLINE_LIMIT));
            assertEquals(inline + TrieBlockLayout.HALF_BYTES, trie.trie().bytesUsed());
            assertEquals(1, trie.trie().statistics().nodesByType().get(SLOT_LEAF));
            assertEquals(TrieBlockLayout.INLINE_LIMIT, trie.put("6161", PointIndex.MAX_PAYLOAD));
            assertEquals(inline + TrieBlockLayout.HALF_BYTES, trie.trie().bytesUsed());
            assertEquals(PointIndex.MAX_PAYLOAD, trie.get("6161"));
            trie.put("61", 1L << 40);
            trie.trie().verify();
            assertEquals(1L << 40, trie.remove("61"));
            assertEquals(PointIndex.MAX_PAYLOAD, trie.put("6161", 0));
            assertEquals(inline, trie.trie().bytesUsed());
            trie.trie().verify();
        }
    }

    @Test
    void shouldUseNoByteMoreThanAtFirstWhenEveryKeyIsGone() {
        final Random random = Seeds.random("InMemoryTrieTest.shouldUseNoByteMoreThanAtFirst");
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            try (TrieBytes bytes = new TrieBytes()) {
                final InMemoryTrie trie = bytes.trie();
                final long empty = trie.bytesUsed();
                final List<byte[]> keys = new ArrayList<>(corpus.thinnedTo(20_000).keys());
                for (int round = 0; round < 2; round++) {
                    keys.forEach(key -> trie.put(key, 0, key.length, TrieMaps.payload(random)));
                    trie.verify();
                    Collections.shuffle(keys, random);
                    keys.forEach(key -> trie.remove(key, 0, key.length));
                    trie.verify();
                    assertEquals(empty, trie.bytesUsed(), corpus.name());
                    assertEquals(0, trie.entryCount());
                }
            }
        }
    }

    @Test
    void shouldUseBlocksAgain() {
        try (TrieBytes bytes = new TrieBytes()) {
            final InMemoryTrie trie = bytes.trie();
            final NavigableMap<byte[], Long> map = TrieMaps.random(new Random(11), 3, 300);
            long taken = 0;
            for (int round = 0; round < 200; round++) {
                map.forEach((key, payload) -> trie.put(key, 0, key.length, payload));
                map.forEach((key, payload) -> trie.remove(key, 0, key.length));
                final long now = taken(trie);
                if (round == 20) {
                    taken = now;
                }
            }
            final long more = taken(trie) - taken;
            assertTrue(more <= taken / 4, more + " bytes more than the " + taken + " that were free again");
        }
    }

    private static long taken(final InMemoryTrie trie) {
        return trie.blocks.bytesUsed() + trie.blocks.bytesFree() + trie.blocks.bytesRetired();
    }

    @Test
    void shouldHoldTheLongestKeys() {
        final byte[] longest = new byte[PointIndex.MAX_KEY_BYTES];
        try (TrieBytes bytes = new TrieBytes()) {
            final InMemoryTrie trie = bytes.trie();
            trie.put(longest, 0, longest.length, 1);
            final long chains = (longest.length + 26) / 27;
            assertTrue(trie.bytesUsed() <= 64 + chains * TrieBlockLayout.BLOCK_BYTES, "27 bytes in a block");
            for (int length = longest.length - 1; length >= 0; length -= 997) {
                assertEquals(PointIndex.NONE, trie.get(longest, 0, length));
                trie.put(longest, 0, length, length);
            }
            trie.verify();
            for (int length = longest.length - 1; length >= 0; length -= 997) {
                assertEquals(length, trie.remove(longest, 0, length));
            }
            trie.verify();
            assertEquals(1, trie.get(longest, 0, longest.length));
        }
    }

    @Test
    void shouldNotMistakeAnEmptyBranchForANode() {
        // The root pointer of such a trie, read as a node, is a chain without transitions.
        for (int keys = 1; keys < 400; keys++) {
            final int count = keys;
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> lookUpAbsentKeys(count));
        }
    }

    private static void lookUpAbsentKeys(final int keys) {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < keys; i++) {
                trie.put(String.format(Locale.ROOT, "%02x%02x%02x", i * 3 & 0xFF, i * 7 & 0xF8, i & 0xFF), i);
            }
            for (int i = 0; i < TRANSITIONS; i++) {
                assertEquals(PointIndex.NONE, trie.get(String.format(Locale.ROOT, "%02x01010101", i)));
                assertEquals(PointIndex.NONE, trie.get(String.format(Locale.ROOT, "%02x", i)));
            }
        }
    }

    @Test
    void putThrowsIllegalArgumentExceptionWhenKeyOrPayloadIsOutOfRange() {
        try (TrieBytes bytes = new TrieBytes()) {
            final InMemoryTrie trie = bytes.trie();
            final byte[] key = new byte[PointIndex.MAX_KEY_BYTES + 1];
            assertTrue(assertThrows(IllegalArgumentException.class, () -> trie.put(key, 0, key.length, 1))
                .getMessage().contains("65536"));
            assertTrue(assertThrows(IllegalArgumentException.class, () -> trie.put(key, 0, 1, -1))
                .getMessage().contains("-1"));
            assertThrows(IllegalArgumentException.class,
                () -> trie.put(key, 0, 1, PointIndex.MAX_PAYLOAD + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> trie.put(key, key.length, 1, 1));
            assertEquals(0, trie.entryCount());
            assertEquals(PointIndex.NONE, trie.get(key, 0, key.length));
            trie.verify();
        }
    }

    @Test
    void shouldStayWholeWhenSpaceRunsOut() {
        final Random random = Seeds.random("InMemoryTrieTest.shouldStayWholeWhenSpaceRunsOut");
        for (int shape = 0; shape < TrieMaps.SHAPES; shape++) {
            try (InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(96 << 10))) {
                final NavigableMap<byte[], Long> held = TrieMaps.empty();
                int failures = 0;
                for (int i = 0; i < 40_000 && failures < 50; i++) {
                    final byte[] key = i % 3 == 0 ? TrieMaps.key(random, shape) : longKey(random);
                    try {
                        trie.put(key, 0, key.length, i);
                        held.put(key, (long) i);
                    } catch (final SpaceExhaustedException e) {
                        failures++;
                        assertEquals(held.getOrDefault(key, PointIndex.NONE), trie.get(key, 0, key.length));
                    }
                }
                assertTrue(failures > 0);
                trie.verify();
                held.forEach((key, payload) -> assertEquals(payload, trie.remove(key, 0, key.length)));
                trie.verify();
                assertEquals(0, trie.entryCount());
            }
        }
    }

    private static byte[] longKey(final Random random) {
        final byte[] key = new byte[random.nextInt(300)];
        random.nextBytes(key);
        return key;
    }

    @Test
    void everyMethodThrowsIllegalStateExceptionWhenClosed() {
        final TrieBytes trie = new TrieBytes();
        trie.put("61", 1);
        trie.close();
        trie.close();
        assertThrows(IllegalStateException.class, () -> trie.get("61"));
        assertThrows(IllegalStateException.class, () -> trie.put("61", 1));
        assertThrows(IllegalStateException.class, () -> trie.remove("61"));
        assertThrows(IllegalStateException.class, () -> trie.trie().cursor());
        assertThrows(IllegalStateException.class, () -> trie.trie().trie());
        assertThrows(IllegalStateException.class, () -> trie.trie().dump(new StringBuilder()));
        assertThrows(IllegalStateException.class, () -> trie.trie().statistics());
        assertThrows(IllegalStateException.class, () -> trie.trie().verify());
    }

    @Test
    @Tag("long")
    void shouldSurviveManyRandomChanges() {
        final Random random = Seeds.random("InMemoryTrieTest.shouldSurviveManyRandomChanges");
        for (int round = 0; round < 600; round++) {
            final int shape = round % TrieMaps.SHAPES;
            final NavigableMap<byte[], Long> map = TrieMaps.empty();
            try (TrieBytes bytes = new TrieBytes()) {
                final InMemoryTrie trie = bytes.trie();
                for (int i = 0; i < 2_000; i++) {
                    final byte[] key = TrieMaps.near(random, shape, map);
                    if (random.nextInt(20) < (i / 400 % 2 == 0 ? 15 : 3)) {
                        final long payload = TrieMaps.payload(random);
                        final Long before = map.put(key, payload);
                        assertEquals(before == null ? PointIndex.NONE : before,
                            trie.put(key, 0, key.length, payload));
                    } else {
                        final Long before = map.remove(key);
                        assertEquals(before == null ? PointIndex.NONE : before,
                            trie.remove(key, 0, key.length));
                    }
                    if (i % 50 == 0) {
                        trie.verify();
                    }
                }
                TrieCursorTest.checkEntries(trie.trie(), map, io.nestling.index.Direction.FORWARD);
            }
        }
    }
}
