/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that one thread holds at a time and gives back by a single store: {@code claim.held = Claim.FREE}.
 * <p>
 * The word is a field, not a method, so that whoever leaves in a {@code finally} block calls nothing: a call may overflow the
 * stack once more, and what is held then would stay so for ever.
 * <h2>Thread safety</h2>
 * Any thread may try to hold a claim; who holds it may change the word. Giving back is a release, taking an acquire.
 */
@SuppressWarnings("unused")
public final class Claim {
    /** The word of a claim that nobody holds. */
    public static final int FREE = 0;
    /** The word of a claim that is held, where no other meaning is given to it. */
    public static final int HELD = 1;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Claim.class, "held", int.class).withInvokeExactBehavior();
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@link #FREE}, or what its holder says. */
    public volatile int held;

    /* With these an object takes more than 128 bytes, so that no two claims share a pair of cache lines. */
    private long p01;
    private long p02;
    private long p03;
    private long p04;
    private long p05;
    private long p06;
    private long p07;
    private long p08;
    private long p09;
    private long p10;
    private long p11;
    private long p12;
    private long p13;
    private long p14;
    private long p15;

    /** Makes a claim that nobody holds. */
    public Claim() {
    }

    /**
     * Takes the claim if nobody holds it.
     *
     * @param word what it says from then on, not {@link #FREE}
     * @return whether the caller holds it
     */
    public boolean tryHold(final int word) {
        return WORD.compareAndSet(this, FREE, word);
    }

    /**
     * Makes claims that nobody holds.
     *
     * @param count how many
     * @return a new array
     */
    public static Claim[] array(final int count) {
        final Claim[] claims = new Claim[count];
        for (int i = 0; i < count; i++) {
            claims[i] = new Claim();
        }
        return claims;
    }
}
