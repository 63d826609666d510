/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A flag that one thread holds at a time and frees by a single store: {@code claim.held = Claim.FREE}.
 * <p>
 * The word is a field, so that a {@code finally} block frees the claim without a call: a call may overflow the
 * stack once more, and the claim would stay held for ever.
 * <h2>Thread safety</h2>
 * Any thread may try to hold a claim; its holder may change the word. Freeing is a release, holding an acquire.
 */
@SuppressWarnings("unused")
public final class Claim {
    /** The word of a free claim. */
    public static final int FREE = 0;
    /** The word of a held claim, unless its user defines others. */
    public static final int HELD = 1;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Claim.class, "held", int.class).withInvokeExactBehavior();
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@link #FREE}, or the holder's word. */
    public volatile int held;

    /* Padding: an object takes more than 128 bytes, so that no two claims share a pair of cache lines. */
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

    /** Creates a free claim. */
    public Claim() {
    }

    /** Holds the claim if it is free; its word is not {@link #FREE} from then on. Returns whether the caller holds it. */
    public boolean tryHold(final int word) {
        return WORD.compareAndSet(this, FREE, word);
    }

    /** Returns a number of free claims. */
    public static Claim[] array(final int count) {
        final Claim[] claims = new Claim[count];
        for (int i = 0; i < count; i++) {
            claims[i] = new Claim();
        }
        return claims;
    }
}
