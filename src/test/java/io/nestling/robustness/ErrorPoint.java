/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

/**
 * Classes of {@link ErrorInjector} come by here before they make an object or call a method: throws an error at one point of
 * one thread.
 * <h2>Thread safety</h2>
 * One thread at a time is armed; others pass.
 */
public final class ErrorPoint {
    private static final int NEVER = Integer.MAX_VALUE;
    /* Looking for the depth of a stack takes time: calls after so many others go as deep as they like. */
    private static final int MOST_DEPTHS = 5_000;

    private static volatile Thread armed;
    private static long left;
    private static long passed;
    private static int depthLimit = NEVER;

    private ErrorPoint() {
    }

    /** Arms the calling thread: the Nth point from now on throws, once. */
    public static void armAt(final long number) {
        passed = 0;
        left = number;
        depthLimit = NEVER;
        armed = Thread.currentThread();
    }

    /** Arms the calling thread: each call more than so many frames above the caller throws, as on a stack that ends there. */
    public static void armBelow(final int frames) {
        passed = 0;
        left = NEVER;
        depthLimit = depth() + frames;
        armed = Thread.currentThread();
    }

    /** Disarms and returns how many points the thread came by. */
    public static long disarm() {
        armed = null;
        return passed;
    }

    private static int depth() {
        return StackWalker.getInstance().walk(frames -> (int) frames.count());
    }

    /** An object or an array is about to be made. */
    public static void allocate() {
        if (armed == Thread.currentThread()) {
            passed++;
            if (--left == 0) {
                throw new OutOfMemoryError("planned at " + passed);
            }
        }
    }

    /** A method is about to be called. */
    public static void call() {
        if (armed == Thread.currentThread()) {
            passed++;
            if (--left == 0 || depthLimit != NEVER && passed < MOST_DEPTHS && depth() > depthLimit) {
                throw new StackOverflowError("planned at " + passed);
            }
        }
    }
}
