/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;
import io.nestling.testing.ReferenceIndex;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** A range of an index is a cursor over what lies in the range, whatever lies outside. */
class BoundedCursorContractTest extends EntryCursorContract {
    @Override
    protected EntryCursor open(final NavigableMap<byte[], Long> content) {
        final OrderedIndex index =
            (OrderedIndex) owns(ReferenceIndex.factory().create(IndexContext.standalone(64 << 20)));
        if (content.isEmpty()) {
            put(index, Map.entry(new byte[] {3}, 3L));
            return BoundedCursor.of(index.cursor(), new byte[] {2}, new byte[] {3});
        }
        content.entrySet().forEach(entry -> put(index, entry));
        final byte[] from = content.firstKey();
        final byte[] to =
            Arrays.copyOf(content.lastKey(), Math.min(KeyCorpus.MAX_KEY_BYTES, content.lastKey().length + 1));
        final boolean bounded = to.length > content.lastKey().length;
        for (final byte[] outside : List.of(
            new byte[0], Arrays.copyOf(from, Math.max(0, from.length - 1)), to, KeyCorpus.neighbour(to, 4),
            new byte[] {-1, -1, -1})) {
            if (Arrays.compareUnsigned(outside, from) < 0
                || bounded && Arrays.compareUnsigned(outside, to) >= 0) {
                put(index, Map.entry(outside, 1L));
            }
        }
        return BoundedCursor.of(index.cursor(), from, bounded ? to : null);
    }

    private static void put(final OrderedIndex index, final Map.Entry<byte[], Long> entry) {
        index.put(entry.getKey(), 0, entry.getKey().length, entry.getValue());
    }
}
