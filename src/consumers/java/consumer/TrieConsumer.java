/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package consumer;

import io.nestling.catalog.OffHeapTrie;
import io.nestling.index.Direction;
import io.nestling.trie.view.MergeResolver;
import io.nestling.trie.view.Trie;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Walks a slice of the merge of two tries. */
public final class TrieConsumer {
    private TrieConsumer() {
    }

    public static void main(final String[] args) {
        final List<Long> payloads = new ArrayList<>();
        try (OffHeapTrie older = OffHeapTrie.open(16 << 20); OffHeapTrie newer = OffHeapTrie.open(16 << 20)) {
            older.put(bytes("mole"), 1);
            older.put(bytes("mouse"), 2);
            newer.put(bytes("mouse"), 3);
            newer.put(bytes("newt"), 4);
            try (OffHeapTrie.Reader first = newer.reader(); OffHeapTrie.Reader second = older.reader()) {
                final Trie both = Trie.merge(List.of(first, second), MergeResolver.FIRST);
                both.subtrie(bytes("m"), bytes("n")).forEachPayload(Direction.FORWARD, payloads::add);
            }
        }
        if (!payloads.equals(List.of(1L, 3L))) {
            throw new AssertionError("the views show " + payloads);
        }
        System.out.println("trie module=" + Trie.class.getModule().getName());
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
