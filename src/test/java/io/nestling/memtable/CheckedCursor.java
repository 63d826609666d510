/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.testing.KeyCorpus;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Moves a cursor and checks after each move that it shows what a sorted list says. Where a limit of hidden entries stops a move,
 * it goes on from the continuation key.
 */
public final class CheckedCursor implements AutoCloseable {
    private static final int NOWHERE = -1;
    /** Moves after which calls are made that throw. */
    private static final int THOROUGH_INTERVAL = 8;

    private final EntryCursor cursor;
    private final List<MemtableModel.Version> expected;
    private int at = NOWHERE;
    private int moves;

    /** Takes a cursor that has not moved, and what it should show. */
    public CheckedCursor(final EntryCursor cursor, final List<MemtableModel.Version> expected) {
        this.cursor = cursor;
        this.expected = expected;
        assertEquals(false, cursor.valid());
    }

    /** Makes a random move; some of them go to a key. */
    public void move(final Random random, final byte[] key) {
        final int before = at;
        switch (random.nextInt(12)) {
            case 0:
                check(cursor.first(), 0, NOWHERE, "first");
                break;
            case 1:
                check(cursor.last(), expected.size() - 1, NOWHERE, "last");
                break;
            case 2:
                check(cursor.seek(key), firstAtOrAbove(key), NOWHERE, "seek");
                break;
            case 3:
                check(cursor.seekLowerThan(key), firstAtOrAbove(key) - 1, NOWHERE, "seekLowerThan");
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
    public void walk() {
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

    private void check(final boolean found, final int target, final int left, final String move) {
        final boolean moved = found || goOn(move.equals("first") || move.equals("seek") || move.equals("next"));
        final int before = found ? left : NOWHERE;
        at = target >= expected.size() || target < 0 ? NOWHERE : target;
        assertEquals(at != NOWHERE, moved, move);
        assertEquals(moved, cursor.valid(), move);
        final boolean thorough = moves++ % THOROUGH_INTERVAL == 0;
        if (moved) {
            checkEntry(before, move, thorough);
        } else if (thorough) {
            assertThrows(IllegalStateException.class, cursor::key);
            assertThrows(IllegalStateException.class, cursor::value);
            assertThrows(IllegalStateException.class, cursor::sequence);
        }
    }

    /** Goes on after an incomplete move until it is complete. */
    private boolean goOn(final boolean forward) {
        boolean found = false;
        byte[] last = null;
        while (!found && cursor.isIncomplete()) {
            assertEquals(false, cursor.valid());
            final byte[] key = cursor.continuationKey();
            assertTrue(last == null || Arrays.compareUnsigned(last, key) < 0 == forward && !Arrays.equals(last, key),
                () -> "no progress at " + KeyCorpus.text(key));
            last = key;
            found = forward ? cursor.seek(key) : cursor.seekLowerThan(key);
        }
        return found;
    }

    private void checkEntry(final int before, final String move, final boolean thorough) {
        final MemtableModel.Version version = expected.get(at);
        final byte[] key = version.key();
        if (version.sequence() != cursor.sequence() || version.kind() != cursor.kind()
            || !Arrays.equals(key, 0, key.length, cursor.keyBuffer(), 0, cursor.keyLength())
            || !Arrays.equals(version.value(), cursor.value())) {
            assertEquals(version.line(),
                CollectingSink.line(cursor.key(), cursor.sequence(), cursor.kind(), cursor.value()), move);
        }
        if (version.kind() == EntryKind.EXPIRING) {
            assertEquals(version.expiry(), cursor.expiry(), move);
        }
        assertEquals(version.value() == null ? 0 : version.value().length, cursor.valueLength(), move);
        final byte[] left = before == NOWHERE ? new byte[0] : expected.get(before).key();
        assertEquals(ByteComparison.commonPrefix(left, 0, left.length, key, 0, key.length), cursor.commonPrefix(),
            () -> move + " to " + KeyCorpus.text(key));
        assertEquals(false, cursor.isIncomplete(), move);
        if (thorough) {
            assertThrows(UnsupportedOperationException.class, cursor::payload);
            assertThrows(IllegalStateException.class, cursor::continuationKey);
        }
        if (thorough && version.value() != null) {
            final byte[] copy = new byte[version.value().length + 2];
            assertEquals(version.value().length, cursor.copyValue(copy, 1));
            assertArrayEquals(version.value(), Arrays.copyOfRange(copy, 1, copy.length - 1));
            assertThrows(IndexOutOfBoundsException.class, () -> cursor.copyValue(copy, 3));
        }
    }

    @Override
    public void close() {
        cursor.close();
        cursor.close();
    }
}
