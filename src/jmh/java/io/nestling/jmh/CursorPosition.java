/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.EntryCursor;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The cursor of a thread, used again and again. */
@State(Scope.Thread)
public class CursorPosition extends QueryPosition {
    EntryCursor cursor;

    /**
     * Makes the cursor.
     *
     * @param state the subject
     */
    @Setup(Level.Trial)
    public void open(final OrderedState state) {
        cursor = SubjectState.ordered(state.subject).cursor();
    }

    /** Gives it back. */
    @TearDown(Level.Trial)
    public void close() {
        cursor.close();
    }
}
