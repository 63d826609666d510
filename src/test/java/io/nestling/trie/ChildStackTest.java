/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.offheap.PrefetchVector;
import io.nestling.testing.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class ChildStackTest {
    private static String key(final int transition) {
        return String.format(Locale.ROOT, "%02x", transition);
    }

    private static List<String> added(final ChildStack children, final int from) {
        final List<String> found = new ArrayList<>();
        for (int i = from; i < children.size(); i++) {
            found.add(key(children.transition(i)) + " " + children.child(i));
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({"5,SPARSE,false", "20,BROAD,false", "40,SPLIT,false", "250,FLAT_SPLIT,false", "40,PREFIX_SPLIT,true"})
    void shouldHaveTheChildrenOfEachTypeOfNodeInOrder(final int count, final TrieNodeType type, final boolean prefixed) {
        final Random random = Seeds.random("ChildStackTest");
        try (TrieBytes trie = new TrieBytes()) {
            final boolean dense = count == 40; // else it is a flat node
            final int factor = dense ? 1 : 1 + 2 * random.nextInt(128);
            for (int i = 0; i < count; i++) {
                trie.put(key(i * factor & 0xFF), i);
            }
            trie.remove(key(factor));
            if (prefixed) {
                trie.put("", 1_000);
            }
            final TrieNodes nodes = trie.nodes();
            final PrefetchVector lines = new PrefetchVector();
            final int node = nodes.root();
            assertEquals(type, TrieNodeType.of(nodes, node));
            final ChildStack children = new ChildStack(nodes, 1);
            for (int round = 0; round < 200; round++) {
                final int from = random.nextInt(256);
                final int to = from + random.nextInt(256 - from);
                final List<String> expected = new ArrayList<>();
                for (int transition = from; transition <= to; transition++) {
                    if (nodes.child(node, transition) != NONE) {
                        expected.add(key(transition) + " " + nodes.child(node, transition));
                    }
                }
                final int before = children.size();
                children.add(node, from, to);
                assertEquals(expected, added(children, before), from + " to " + to);
                children.prefetch(lines, before, children.size());
                if (random.nextInt(3) == 0) {
                    children.cut(before);
                }
            }
            children.set(node);
            assertEquals(count - 1, children.size());
        }
    }
}
