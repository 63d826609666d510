/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** The directory finds the right entry, comes and goes as the list changes, and is never needed for a right answer. */
class DirectoryTest {
    private static final int KEYS = 40_000;

    private final ListFixture fixture = new ListFixture(64L << 20);

    @AfterEach
    void close() {
        fixture.close();
    }

    private Directory directory() {
        return fixture.list().nodes().directories().current();
    }

    private void putAll(final int from, final int to) {
        for (int i = from; i < to; i++) {
            assertEquals(PointIndex.NONE, fixture.put(i, 1));
        }
    }

    @Test
    void shouldHaveNoneWhileTheListIsSmall() {
        putAll(0, 200);
        assertNull(directory());
        assertEquals(0, fixture.list().nodes().directories().bytes());
    }

    @Test
    void shouldFindTheEntryBeforeAnyKey() {
        putAll(0, KEYS);
        final Directory directory = directory();
        assertNotNull(directory);
        assertTrue(directory.size() > KEYS / 40, () -> directory.size() + " entries");
        final Nodes nodes = fixture.list().nodes();
        final byte[][] keys = new byte[directory.size()][];
        for (int i = 0; i < directory.size(); i++) {
            keys[i] = ListFixture.key(ListFixture.numberOf(nodes.payload(directory.node(i))));
            assertTrue(i == 0 || Arrays.compareUnsigned(keys[i - 1], keys[i]) < 0, "order of the directory");
            if (i > 0) {
                assertEquals(Arrays.mismatch(keys[i - 1], keys[i]), directory.shared(i - 1));
            }
        }
        for (int number = 0; number < 2 * KEYS; number += 3) {
            final byte[] key = ListFixture.key(number);
            final int at = Arrays.binarySearch(keys, key, Arrays::compareUnsigned);
            final int found = directory.floor(nodes, key, 0, key.length);
            assertEquals(at >= 0 ? at : -1, directory.own(found));
            assertEquals(at >= 0 ? ~(directory.size() + at) : -at - 2, found);
        }
    }

    @Test
    void shouldEndWithARemovedEntryAndComeAgain() {
        putAll(0, KEYS);
        final int entry = ListFixture.numberOf(fixture.list().nodes().payload(directory().node(7)));
        fixture.remove(entry);
        assertNull(directory());
        assertEquals(0, fixture.list().nodes().directories().bytes());
        assertEquals(PointIndex.NONE, fixture.get(entry));
        putAll(KEYS, 2 * KEYS);
        assertNotNull(directory());
        fixture.list().verify();
        for (int i = 0; i < 2 * KEYS; i++) {
            assertEquals(i == entry ? PointIndex.NONE : ListFixture.payload(i, 1), fixture.get(i));
        }
    }

    /** A stretch of the list grows much faster than the directory is renewed. */
    @Test
    void shouldNotNeedItsHelpWhereManyKeysWereAdded() {
        putAll(0, KEYS);
        final Directory before = directory();
        // Numbers whose keys, which spell reversed bits, lie side by side.
        final int dense = 3_000;
        for (int i = 0; i < dense; i++) {
            final int number = Integer.reverse(1 << 15 | i) >>> Integer.SIZE - ListFixture.NUMBER_BITS;
            if (number >= KEYS) {
                fixture.put(number, 1);
            }
        }
        assertEquals(before, directory(), "not renewed yet");
        fixture.list().verify();
        final KeyBatch batch = new KeyBatch();
        final long[] payloads = new long[dense];
        try (EntryCursor cursor = fixture.list().cursor()) {
            for (int i = 0; i < dense; i++) {
                final int number = Integer.reverse(1 << 15 | i) >>> Integer.SIZE - ListFixture.NUMBER_BITS;
                final byte[] key = ListFixture.key(number);
                batch.add(key, 0, key.length);
                assertEquals(ListFixture.payload(number, 1), fixture.get(number));
                assertTrue(cursor.seek(key));
                assertEquals(ListFixture.payload(number, 1), cursor.payload());
            }
        }
        fixture.list().getAll(batch, payloads);
        for (int i = 0; i < dense; i++) {
            final int number = Integer.reverse(1 << 15 | i) >>> Integer.SIZE - ListFixture.NUMBER_BITS;
            assertEquals(ListFixture.payload(number, 1), payloads[i]);
        }
    }
}
