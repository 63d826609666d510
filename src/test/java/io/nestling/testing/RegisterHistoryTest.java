/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import org.junit.jupiter.api.Test;

class RegisterHistoryTest {
    private final RegisterHistory history = new RegisterHistory();

    private void add(final Kind kind, final long argument, final long result, final long from, final long to) {
        history.add(new Operation(kind, argument, result, from, to));
    }

    @Test
    void shouldAcceptOperationsInSequence() {
        add(Kind.GET, 0, RegisterHistory.ABSENT, 1, 2);
        add(Kind.PUT, 5, RegisterHistory.ABSENT, 3, 4);
        add(Kind.PUT, 6, 5, 5, 6);
        add(Kind.GET, 0, 6, 7, 8);
        add(Kind.REMOVE, 0, 6, 9, 10);
        add(Kind.GET, 0, RegisterHistory.ABSENT, 11, 12);
        assertTrue(history.isLinearizable(RegisterHistory.ABSENT));
    }

    @Test
    void shouldAcceptEitherOrderOfOperationsThatOverlap() {
        add(Kind.PUT, 5, 6, 1, 10);
        add(Kind.PUT, 6, RegisterHistory.ABSENT, 2, 9);
        add(Kind.GET, 0, 6, 3, 4);
        add(Kind.GET, 0, 5, 5, 12);
        assertTrue(history.isLinearizable(RegisterHistory.ABSENT));
    }

    @Test
    void shouldRefuseAStaleRead() {
        add(Kind.PUT, 5, RegisterHistory.ABSENT, 1, 2);
        add(Kind.GET, 0, RegisterHistory.ABSENT, 3, 4);
        assertFalse(history.isLinearizable(RegisterHistory.ABSENT));
    }

    @Test
    void shouldRefuseTwoPutsThatReplaceTheSamePayload() {
        add(Kind.PUT, 5, RegisterHistory.ABSENT, 1, 10);
        add(Kind.PUT, 6, RegisterHistory.ABSENT, 2, 9);
        assertFalse(history.isLinearizable(RegisterHistory.ABSENT));
    }

    @Test
    void shouldRefuseReadsThatGoBackInTime() {
        add(Kind.PUT, 5, RegisterHistory.ABSENT, 1, 20);
        add(Kind.GET, 0, 5, 2, 3);
        add(Kind.GET, 0, RegisterHistory.ABSENT, 4, 5);
        assertFalse(history.isLinearizable(RegisterHistory.ABSENT));
    }

    @Test
    void isLinearizableThrowsIllegalStateExceptionWhenTheHistoryIsTooLong() {
        for (int i = 0; i <= RegisterHistory.MAX_OPERATIONS; i++) {
            add(Kind.GET, 0, RegisterHistory.ABSENT, i, i);
        }
        assertThrows(IllegalStateException.class, () -> history.isLinearizable(RegisterHistory.ABSENT));
    }
}
