/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A pool of scratch objects, each used by one operation at a time. The pool keeps twice as many as processors, at most
 * {@value #MOST_SLOTS}, however many threads use it. A thread mostly gets the same object again.
 * <p>
 * An operation within another one of its thread gets another object. An object that was never released is replaced.
 * <h2>Thread safety</h2>
 * Any thread.
 *
 * @param <T> class of the objects
 */
public final class ScratchPool<T extends ScratchPool.Scratch> {
    private static final int FEWEST_SLOTS = 8;
    private static final int MOST_SLOTS = 64;
    private static final int SLOTS = slots(Runtime.getRuntime().availableProcessors());
    private static final int SLOT_MASK = SLOTS - 1;

    private final Supplier<T> maker;
    private final AtomicReferenceArray<T> slots = new AtomicReferenceArray<>(SLOTS);

    /** Creates an empty pool. */
    public ScratchPool(final Supplier<T> maker) {
        this.maker = maker;
    }

    /** An object of a pool. It belongs to one operation at a time, at first to the one that it was created for. */
    public abstract static class Scratch {
        private static final VarHandle TAKEN = handle();

        private volatile boolean taken;

        /** Creates an object that is taken. */
        protected Scratch() {
            TAKEN.set(this, true); // published by the store into a slot
        }

        private static VarHandle handle() {
            try {
                return MethodHandles.lookup().findVarHandle(Scratch.class, "taken", boolean.class).withInvokeExactBehavior();
            } catch (final ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        private boolean tryTake() {
            return TAKEN.compareAndSet(this, false, true);
        }

        /** Releases the object, which the operation that took it no longer uses. */
        public final void release() {
            TAKEN.setRelease(this, false);
        }
    }

    private static int slots(final int processors) {
        return Math.max(FEWEST_SLOTS, Math.min(Integer.highestOneBit(4 * processors - 1), MOST_SLOTS));
    }

    /** Takes an object, which the caller releases by {@link Scratch#release} in a {@code finally} block. */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the slots will do
    public T take() {
        final int preferred = (int) Thread.currentThread().getId() & SLOT_MASK;
        final T scratch = slots.getAcquire(preferred);
        return scratch != null && ((Scratch) scratch).tryTake() ? scratch : takeOther(preferred, scratch == null);
    }

    private T takeOther(final int preferred, final boolean isEmpty) {
        for (int i = 1; i < SLOTS && !isEmpty; i++) {
            final T scratch = slots.getAcquire(preferred + i & SLOT_MASK);
            if (scratch != null && ((Scratch) scratch).tryTake()) {
                return scratch;
            }
        }
        final T made = maker.get();
        slots.setRelease(preferred, made); // an object that was there leaves the pool with its operation
        return made;
    }
}
