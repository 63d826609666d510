/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndexContract;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SmallIndexContractTest extends OrderedIndexContract {
    @Override
    protected IndexFactory factory() {
        return SmallIndexFactory.INSTANCE;
    }

    /** Less than all keys of two bytes: a put takes time in proportion to the number of keys. */
    @Override
    protected boolean accepts(final byte[] key) {
        return key.length != 2 || (key[1] & 15) == 0;
    }

    /** An empty one takes nothing. */
    @Test
    @Override
    public void createThrowsSpaceExhaustedExceptionWhenNothingFits() {
        final IndexContext context = IndexContext.standalone(1);
        try (PointIndex index = factory().create(context)) {
            assertEquals(0, context.budget().used());
            assertThrows(SpaceExhaustedException.class, () -> index.put(new byte[] {1}, 0, 1, 1));
            assertEquals(PointIndex.NONE, index.get(new byte[] {1}, 0, 1));
        }
    }
}
