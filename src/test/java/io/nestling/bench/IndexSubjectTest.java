/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordLayout;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

class IndexSubjectTest {
    private static final int KEYS = 1_000;
    private static final int KEY_BYTES = 9;

    private KeySource source;

    /** The trie, as if it did not store keys. */
    private final class Keyless implements IndexFactory {
        private final boolean ordered;

        Keyless(final boolean ordered) {
            this.ordered = ordered;
        }

        @Override
        public PointIndex create(final IndexContext context) {
            source = context.keys();
            final OrderedIndex trie = (OrderedIndex) IndexType.TRIE.create(context);
            return ordered ? trie : new FakeFactory.PointsOnly(trie);
        }

        @Override
        public String indexName() {
            return "keyless";
        }

        @Override
        public boolean ordered() {
            return ordered;
        }

        @Override
        public boolean storesKeys() {
            return false;
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }

    private static byte[] key(final int i) {
        return String.format(Locale.ROOT, "key-%05d", i).getBytes(StandardCharsets.US_ASCII);
    }

    private static void fill(final PointIndex index) {
        for (int i = 0; i < KEYS; i++) {
            assertEquals(PointIndex.NONE, index.put(key(i), 0, KEY_BYTES, i * 7L));
        }
        assertEquals(KEYS, index.entryCount());
    }

    @Test
    void shouldUseAnIndexThatStoresKeysAsItIs() {
        try (Subject subject = Subjects.ofName("trie").create(KEYS, KEYS * KEY_BYTES)) {
            fill(subject.index());
            assertEquals("InMemoryTrie", subject.index().getClass().getSimpleName());
            assertEquals(subject.index().bytesUsed(), subject.indexBytes());
            assertEquals(subject.indexBytes(), subject.totalBytes());
        }
    }

    @Test
    void shouldLeaveRecordsOutWhereKeysOfTheLengthAreInside() {
        final SubjectFactory factory = Subjects.ofName("mlp_index");
        try (Subject selfContained = factory.create(KEYS, KEYS * 8L, 8); Subject other = factory.create(KEYS, KEYS * 9L, 9);
            Subject various = factory.create(KEYS, KEYS * 8L)) {
            assertEquals("MlpIndex", selfContained.index().getClass().getSimpleName());
            assertInstanceOf(RecordIndex.Ordered.class, other.index());
            assertInstanceOf(RecordIndex.Ordered.class, various.index());
        }
    }

    @Test
    void shouldKeepKeysAndValuesForAnIndexThatDoesNot() {
        try (Subject subject = new IndexSubjectFactory(new Keyless(true)).create(KEYS, KEYS * KEY_BYTES)) {
            final OrderedIndex index = assertInstanceOf(OrderedIndex.class, subject.index());
            fill(index);
            assertEquals(21, index.get(key(3), 0, KEY_BYTES));
            assertEquals(PointIndex.NONE, index.get(key(KEYS), 0, KEY_BYTES));
            final long[] payloads = new long[3];
            index.getAll(KeyBatch.of(key(5), key(KEYS + 1), key(7)), payloads);
            assertEquals(35, payloads[0]);
            assertEquals(PointIndex.NONE, payloads[1]);
            assertEquals(49, payloads[2]);
            assertEquals(21, index.put(key(3), 0, KEY_BYTES, 22));
            assertEquals(22, index.get(key(3), 0, KEY_BYTES));
            try (EntryCursor cursor = index.cursor()) {
                assertTrue(cursor.seek(key(3)));
                assertEquals(22, cursor.payload());
                assertTrue(cursor.next());
                assertEquals(28, cursor.payload());
                assertEquals(8, cursor.commonPrefix());
                assertEquals("key-00004", new String(cursor.key(), StandardCharsets.US_ASCII));
                assertTrue(cursor.last() && cursor.previous() && cursor.first() && cursor.valid());
                assertFalse(cursor.seekLowerThan(key(0)));
            }
            assertEquals(49, index.remove(key(7), 0, KEY_BYTES));
            index.verify();
        }
    }

    @Test
    void shouldCountRecordsWithKeysAndValues() {
        try (Subject subject = new IndexSubjectFactory(new Keyless(true)).create(KEYS, KEYS * KEY_BYTES)) {
            fill(subject.index());
            // Version word 8, two lengths, key 9, value 8: 27 bytes take 32.
            assertEquals(subject.indexBytes() + 32L * KEYS, subject.totalBytes());
            assertEquals(subject.index().bytesUsed(), subject.indexBytes());
            // The first record lies behind 32 bytes that are never one.
            assertEquals(KEY_BYTES, source.keyLength(32 / RecordLayout.ALIGNMENT));
        }
    }

    @Test
    void shouldShowAnUnorderedIndexWithoutCursors() {
        try (Subject subject = new IndexSubjectFactory(new Keyless(false)).create(KEYS, KEYS * KEY_BYTES)) {
            fill(subject.index());
            assertFalse(subject.index() instanceof OrderedIndex);
            assertEquals(70, subject.index().get(key(10), 0, KEY_BYTES));
        }
    }

    @Test
    void shouldGuardReaders() {
        try (Subject subject = Subjects.ofName("trie").create(KEYS, KEYS * KEY_BYTES)) {
            fill(subject.index());
            final int guard = subject.enterGuard();
            assertEquals(7, subject.index().get(key(1), 0, KEY_BYTES));
            subject.exitGuard(guard);
        }
    }

    @Test
    void closedSubjectThrowsIllegalState() {
        final Subject subject = new IndexSubjectFactory(new Keyless(true)).create(KEYS, KEYS * KEY_BYTES);
        subject.close();
        assertThrows(IllegalStateException.class, () -> subject.index().get(key(0), 0, KEY_BYTES));
    }

    @Test
    void shouldNeedMoreMemoryForMoreKeys() {
        for (final SubjectFactory factory : Subjects.indexes()) {
            assertTrue(factory.memoryNeed(2_000, 16_000).directBytes() > factory.memoryNeed(1_000, 8_000).directBytes());
            assertTrue(factory.obstacle().isEmpty());
            assertFalse(factory.configuration().isBlank());
        }
    }
}
