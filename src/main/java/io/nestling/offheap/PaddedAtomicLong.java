/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A contended number, padded against false sharing.
 * <h2>Thread safety</h2>
 * Any thread, with the access modes of {@link java.util.concurrent.atomic.AtomicLong}.
 */
public final class PaddedAtomicLong {
    /* 128 bytes on either side, since processors fetch lines in pairs. */
    private static final int AT = 16;
    private static final int WORDS = 33;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final long[] words = new long[WORDS];

    /** Creates a number with an initial value. */
    public PaddedAtomicLong(final long value) {
        words[AT] = value;
    }

    /** Returns the number, read with volatile semantics. */
    public long get() {
        return (long) WORD.getVolatile(words, AT);
    }

    /** Sets the number with volatile semantics. */
    public void set(final long value) {
        WORD.setVolatile(words, AT, value);
    }

    /** Sets the number with release semantics. */
    public void setRelease(final long value) {
        WORD.setRelease(words, AT, value);
    }

    /** Replaces the number if it is as expected, with volatile semantics; returns whether it did. */
    public boolean compareAndSet(final long expected, final long value) {
        return WORD.compareAndSet(words, AT, expected, value);
    }
}
