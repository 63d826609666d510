/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.offheap.Slab;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A reader that loads a cell while the writer is at work on it: for some time the cell stands as such a reader may see it, with
 * the version from before. The reader may neither fail nor stay there for ever.
 */
@Tag("jdk")
class TornReadTest {
    private static final long TORN_MILLIS = 50;
    private static final Duration ENOUGH = Duration.ofSeconds(30);

    @Test
    void shouldLookAgainIfARootHasNoChildren() throws Exception {
        try (TestTrie test = new TestTrie(8L << 20)) {
            final int low = test.put(new byte[] {0x10});
            final int high = test.put(new byte[] {(byte) 0xF0});
            final NodeTable table = test.trie().tableOpen();
            final EntryProbe root = new EntryProbe();
            root.root(table);
            final Cell cell = new Cell(table, root.line(), root.head());
            assertEquals(CuckooTrieEntryLayout.BITMAP, CuckooTrieEntryLayout.type(cell.head));
            cell.put(cell.head, 0);
            try (EntryCursor cursor = test.trie().cursor()) {
                assertEquals(high, whileTorn(cell, () -> cursor.last() ? cursor.payload() : -1));
                assertTrue(cursor.previous());
                assertEquals(low, cursor.payload());
                assertFalse(cursor.previous());
            }
        }
    }

    @Test
    void shouldNotGoBelowABitmapNodeWhereTheKeyEnded() throws Exception {
        try (TestTrie test = new TestTrie(8L << 20)) {
            final byte[] key = {7, 7, 7};
            final int number = test.put(key);
            test.put(new byte[] {7, 7, 7, 9});
            final NodeTable table = test.trie().tableOpen();
            final Descent walk = new Descent();
            walk.begin(table, key, 0, key.length, Descent.FROM_ROOT);
            int stop = walk.advance(table);
            while (stop == Descent.SUSPENDED) {
                stop = walk.advance(table);
            }
            assertEquals(Descent.AT_LEAF, stop);
            assertEquals(CuckooTrieEntryLayout.END_CODE,
                CuckooTrieEntryLayout.code(walk.end().head()), "the leaf of the end of a key");
            final Cell cell = new Cell(table, walk.end().line(), walk.end().head());
            cell.put(CuckooTrieEntryLayout.withBodyOf(cell.head, CuckooTrieEntryLayout.bitmapHead(0)),
                CuckooTrieEntryLayout.bitmapTail(CuckooTrieEntryLayout.childBit(CuckooTrieEntryLayout.END_CODE), 0));
            assertEquals(PointIndex.NONE, answer(start(() -> test.get(key))));
            cell.restore();
            assertEquals(number, test.get(key));
        }
    }

    /** What a reader answers that begins while a cell is torn. */
    private static long whileTorn(final Cell cell, final Supplier<Number> reader) throws Exception {
        final CompletableFuture<Number> answer = start(reader);
        Thread.sleep(TORN_MILLIS);
        assertFalse(answer.isDone(), "the reader has relied on what it saw");
        cell.restore();
        return answer(answer);
    }

    private static CompletableFuture<Number> start(final Supplier<Number> reader) {
        final CompletableFuture<Number> answer = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                answer.complete(reader.get());
            } catch (final RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        thread.setDaemon(true); // it would never end
        thread.start();
        return answer;
    }

    private static long answer(final CompletableFuture<Number> answer) throws Exception {
        return answer.get(ENOUGH.toMillis(), TimeUnit.MILLISECONDS).longValue();
    }

    /** A cell that is changed without its version, and then written as it was. */
    private static final class Cell {
        private final Slab slab;
        private final long line;
        private final long at;
        private final long head;
        private final long tail;

        Cell(final NodeTable table, final long line, final long head) {
            this.slab = table.slab();
            this.line = line;
            this.head = head;
            int cell = 0;
            while (slab.getLong(BucketLayout.cellOffset(line, cell)) != head) {
                cell++;
            }
            at = BucketLayout.cellOffset(line, cell);
            tail = slab.getLong(at + Long.BYTES - 1) >>> Byte.SIZE;
        }

        void put(final long newHead, final long newTail) {
            slab.putLong(at + Long.BYTES - 1, newTail << Byte.SIZE);
            slab.putLong(at, newHead);
        }

        void restore() {
            final int version = slab.getInt(line + BucketLayout.VERSION_OFFSET);
            slab.putInt(line + BucketLayout.VERSION_OFFSET, version + 1);
            put(head, tail);
            slab.putIntRelease(line + BucketLayout.VERSION_OFFSET, version + 2);
        }
    }
}
