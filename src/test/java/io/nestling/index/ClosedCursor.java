/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/** What a cursor does after its own close. */
public final class ClosedCursor {
    private static final byte[] KEY = {5, 5};
    private static final byte[] ROOM = new byte[1 << 10];

    private ClosedCursor() {
    }

    /** Closes a cursor with values of at most 1 KiB twice, and checks that it stays on no entry, whatever is called. */
    public static void closeAndCheck(final EntryCursor cursor) {
        final List<Executable> accessors = accessorsOf(cursor);
        cursor.close();
        assertClosed(cursor, accessors);
        final List<BooleanSupplier> positioning = List.of(cursor::first, cursor::last, () -> cursor.seek(KEY),
            () -> cursor.seek(new byte[0]), () -> cursor.seek(ByteBuffer.wrap(KEY)), () -> cursor.seekLowerThan(KEY),
            () -> cursor.seekLowerThan(new byte[] {-1, -1, -1, -1}), () -> cursor.seekLowerThan(ByteBuffer.wrap(KEY)));
        for (final BooleanSupplier move : positioning) {
            assertThrows(IllegalStateException.class, move::getAsBoolean);
            assertClosed(cursor, accessors);
        }
        cursor.close();
        assertClosed(cursor, accessors);
    }

    /** Returns the accessors that the cursor has; others throw {@link UnsupportedOperationException}. */
    private static List<Executable> accessorsOf(final EntryCursor cursor) {
        final List<Executable> accessors = new ArrayList<>();
        for (final Executable accessor : List.<Executable>of(cursor::keyBuffer, cursor::keyLength, cursor::key,
            cursor::commonPrefix, cursor::payload, cursor::value, cursor::valueLength, () -> cursor.copyValue(ROOM, 0),
            cursor::sequence, cursor::kind, cursor::expiry)) {
            try {
                accessor.execute();
                accessors.add(accessor);
            } catch (final UnsupportedOperationException e) {
                continue;
            } catch (final IllegalStateException e) {
                accessors.add(accessor); // the cursor is on no entry
            } catch (final Throwable e) {
                throw new AssertionError(e);
            }
        }
        return accessors;
    }

    private static void assertClosed(final EntryCursor cursor, final List<Executable> accessors) {
        assertOnNoEntry(cursor, accessors); // before a step, which may leave the entry
        for (final BooleanSupplier step : List.<BooleanSupplier>of(cursor::next, cursor::previous)) {
            try {
                assertFalse(step.getAsBoolean());
            } catch (final IllegalStateException e) {
                continue;
            }
        }
        assertOnNoEntry(cursor, accessors);
    }

    private static void assertOnNoEntry(final EntryCursor cursor, final List<Executable> accessors) {
        assertFalse(cursor.valid());
        assertFalse(cursor.isIncomplete());
        assertThrows(IllegalStateException.class, cursor::continuationKey);
        for (final Executable accessor : accessors) {
            assertThrows(IllegalStateException.class, accessor);
        }
    }
}
