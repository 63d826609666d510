/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.testing.KeyCorpus;

import java.util.List;
import java.util.Random;

/** Moves a cursor and checks after each move that it shows what a sorted list says. */
final class CheckedCursor implements AutoCloseable {
    private static final int NOWHERE = -1;

    private final EntryCursor cursor;
    private final List<MemtableModel.Version> expected;
    private int at = NOWHERE;

    CheckedCursor(final EntryCursor cursor, final List<MemtableModel.Version> expected) {
        this.cursor = cursor;
        this.expected = expected;
        assertEquals(false, cursor.valid());
    }

    /** Makes a random move; some of them go to a key. */
    void move(final Random random, final byte[] key) {
        final int before = at;
        switch (random.nextInt(12)) {
            case 0:
                check(cursor.first(), 0, NOWHERE, "first");
                break;
            case 1:
                check(cursor.last(), expected.size() - 1, NOWHERE, "last");
                break;
            case 2:
                check(cursor.seek(key), firstAtOrAbove(key), NOWHERE, "seek " + KeyCorpus.text(key));
                break;
            case 3:
                check(cursor.seekLowerThan(key), firstAtOrAbove(key) - 1, NOWHERE,
                    "below " + KeyCorpus.text(key));
                break;
            case 4:
            case 5:
            case 6:
            case 7:
                check(cursor.next(), before == NOWHERE ? NOWHERE : before + 1, before, "next");
                break;
            default:
                check(cursor.previous(), before == NOWHERE ? NOWHERE : before - 1, before, "previous");
                break;
        }
    }

    /** Walks through everything, forward and back. */
    void walk() {
        check(cursor.first(), 0, NOWHERE, "first");
        while (at != NOWHERE) {
            final int before = at;
            check(cursor.next(), at + 1, before, "next");
        }
        check(cursor.last(), expected.size() - 1, NOWHERE, "last");
        while (at != NOWHERE) {
            final int before = at;
            check(cursor.previous(), at - 1, before, "previous");
        }
    }

    private int firstAtOrAbove(final byte[] key) {
        int i = 0;
        while (i < expected.size() && ByteComparison.compare(expected.get(i).key(), key) < 0) {
            i++;
        }
        return i;
    }

    private void check(final boolean moved, final int target, final int before, final String move) {
        at = target >= expected.size() || target < 0 ? NOWHERE : target;
        assertEquals(at != NOWHERE, moved, move);
        assertEquals(moved, cursor.valid(), move);
        if (!moved) {
            assertThrows(IllegalStateException.class, cursor::key);
            assertThrows(IllegalStateException.class, cursor::value);
            assertThrows(IllegalStateException.class, cursor::sequence);
            return;
        }
        final MemtableModel.Version version = expected.get(at);
        assertEquals(version.line(),
            CollectingSink.line(cursor.key(), cursor.sequence(), cursor.kind(), cursor.value()), move);
        assertEquals(version.value().length, cursor.valueLength());
        final byte[] left = before == NOWHERE ? new byte[0] : expected.get(before).key();
        assertEquals(
            ByteComparison.commonPrefix(left, 0, left.length, version.key(), 0, version.key().length),
            cursor.commonPrefix(), move + " to " + KeyCorpus.text(version.key()));
        assertThrows(UnsupportedOperationException.class, cursor::payload);
        final byte[] copy = new byte[version.value().length + 2];
        assertEquals(version.value().length, cursor.copyValue(copy, 1));
        assertArrayEquals(version.value(), java.util.Arrays.copyOfRange(copy, 1, copy.length - 1));
    }

    @Override
    public void close() {
        cursor.close();
        cursor.close();
    }
}
