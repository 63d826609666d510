/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.ReferenceIndex;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;

/** A merge of the parts of an index is a cursor over the index. */
class MergingCursorContractTest extends EntryCursorContract {
    private static final int PARTS = 5;

    @Override
    protected EntryCursor open(final NavigableMap<byte[], Long> content) {
        final Random random = new Random(21);
        final OrderedIndex[] parts = new OrderedIndex[PARTS];
        for (int i = 0; i < PARTS; i++) {
            parts[i] = (OrderedIndex) owns(
                ReferenceIndex.factory().create(IndexContext.standalone(64 << 20)));
        }
        for (final Map.Entry<byte[], Long> entry : content.entrySet()) {
            // The last part stays empty, some parts get runs of keys.
            parts[random.nextInt(random.nextInt(PARTS - 1) + 1)].put(
                entry.getKey(), 0, entry.getKey().length, entry.getValue());
        }
        final EntryCursor[] cursors = new EntryCursor[PARTS];
        for (int i = 0; i < PARTS; i++) {
            cursors[i] = parts[i].cursor();
        }
        return MergingCursor.of(cursors);
    }
}
