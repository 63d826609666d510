/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;
import io.nestling.offheap.WriteFailure;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of a subgraph go on moving after it was unlocked: who locks it meanwhile changes nothing before they stand still. */
class CoCuckooMovingSubgraphTest {
    private static final long MOVING_MILLIS = 60;

    private final List<byte[]> keys = CoCuckooTest.keysOfOneHash(3);

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldRemoveNoKeyBeforeOthersHaveMoved(final int slotsPerBucket) throws InterruptedException {
        try (CoCuckooFixture fixture = new CoCuckooFixture(slotsPerBucket)) {
            fixture.put(keys.get(0), 0);
            fixture.put(keys.get(1), 1);
            assertEquals(1, whileKeysMove(fixture, () -> fixture.remove(keys.get(1))));
            fixture.index().verify();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldAddNoKeyBeforeOthersHaveMoved(final int slotsPerBucket) throws InterruptedException {
        try (CoCuckooFixture fixture = new CoCuckooFixture(slotsPerBucket)) {
            fixture.put(keys.get(0), 0);
            fixture.put(keys.get(1), 1);
            assertEquals(PointIndex.NONE, whileKeysMove(fixture, () -> fixture.put(keys.get(2), 2)));
            fixture.index().verify();
        }
    }

    /** Begins a write while keys of its subgraph are said to move, and lets it end when they do no more. */
    private long whileKeysMove(final CoCuckooFixture fixture, final LongSupplier write) throws InterruptedException {
        final CoCuckoo index = fixture.index();
        final SubgraphLocks locks = new SubgraphLocks(index.reader().slab(), index.forest(), new WriteFailure());
        final long hash = CoCuckooFixture.hash(keys.get(0));
        final long region = index.directory().region(hash);
        final int bucket = RegionLayout.primary(hash, RegionLayout.bucketsOf(region));
        final AtomicReference<Object> result = new AtomicReference<>();
        final Thread thread = new Thread(() -> {
            try {
                result.set(write.getAsLong());
            } catch (final RuntimeException | Error e) {
                result.set(e);
            }
        });
        thread.setDaemon(true);
        locks.beginMoving(RegionLayout.base(region), bucket);
        thread.start();
        thread.join(MOVING_MILLIS);
        assertNull(result.get(), "it did not wait");
        locks.endMoving(RegionLayout.base(region), bucket);
        thread.join(TimeUnit.MINUTES.toMillis(1));
        assertTrue(result.get() instanceof Long, () -> String.valueOf(result.get()));
        return (Long) result.get();
    }
}
