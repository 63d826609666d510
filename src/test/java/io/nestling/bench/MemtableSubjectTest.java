/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class MemtableSubjectTest {
    private static final int VALUE_BYTES = 100;

    /** Keeps what a flush emits. */
    private static final class Kept implements EntrySink {
        private final List<String> steps = new ArrayList<>();

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
            steps.add(entryCount + " entries, " + byteCount + " bytes");
        }

        @Override
        public void entry(final EntryView entry) {
            steps.add(entry.key()[0] + " = " + Values.payload(entry.value()) + " by write " + entry.sequence());
        }

        @Override
        public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) {
            throw new AssertionError("no range was deleted");
        }

        @Override
        public void end() {
            steps.add("end");
        }
    }

    @Test
    void shouldFlushByTheMemtable() throws IOException {
        final Kept kept = new Kept();
        try (Subject subject = Subjects.memtable(IndexType.TRIE, 2, VALUE_BYTES).create(2, 2)) {
            subject.index().put(new byte[] {8}, 0, 1, 70_000);
            subject.index().put(new byte[] {3}, 0, 1, 5);
            final long before = subject.totalBytes();
            // Version word 8, two lengths, key 1, value 100: 111 bytes take 112.
            assertEquals(2 * 112, before - subject.indexBytes());
            assertEquals(2, subject.flush(kept, 2));
        }
        assertEquals(List.of("2 entries, 202 bytes", "3 = 5 by write 2", "8 = 70000 by write 1", "end"), kept.steps);
    }

    @Test
    void shouldFlushAnIndexWithItsPayloadsAsValues() throws IOException {
        final Kept kept = new Kept();
        try (Subject subject = Subjects.ofName("trie").create(2, 2)) {
            subject.index().put(new byte[] {8}, 0, 1, 70_000);
            assertEquals(1, subject.flush(kept, 1));
        }
        assertEquals(List.of("1 entries, 9 bytes", "8 = 70000 by write 1", "end"), kept.steps);
    }

    @Test
    void shouldReadThePayloadOfALongValue() {
        try (Subject subject = Subjects.memtable(IndexType.SKIP_LIST, 1, VALUE_BYTES).create(2, 2)) {
            final OrderedIndex index = (OrderedIndex) subject.index();
            assertEquals(2 * OrderedIndex.NONE,
                ((BatchedPuts) index).putAll(KeyBatch.of(new byte[] {1}, new byte[] {2}), new int[] {0, 11, 12}, 1));
            assertEquals(11, index.get(new byte[] {1}, 0, 1));
            final long[] payloads = new long[2];
            index.getAll(KeyBatch.of(new byte[] {2}, new byte[] {3}), payloads);
            assertEquals("[12, " + OrderedIndex.NONE + "]", Arrays.toString(payloads));
            try (var cursor = index.cursor()) {
                assertTrue(cursor.last());
                assertEquals(12, cursor.payload());
            }
        }
    }

    @Test
    void lengthOfValuesOutOfRangeThrowsIllegalArgument() {
        for (final int bytes : new int[] {Values.MIN_BYTES - 1, Values.MAX_BYTES + 1}) {
            final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> new Values(bytes));
            assertEquals("values of " + bytes + " bytes: expected 8 to 1048576", e.getMessage());
        }
        final Values values = new Values(VALUE_BYTES);
        assertEquals(VALUE_BYTES, values.of(-2).length);
        assertEquals(-2, Values.payload(values.of(-2)));
        assertTrue(Arrays.mismatch(values.of(1), Long.BYTES, VALUE_BYTES, values.of(2), Long.BYTES, VALUE_BYTES) >= 0, "alike");
    }
}
