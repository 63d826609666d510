/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Objects that operations work with and leave behind for the next ones. Threads keep none of them: there are at most
 * {@value #MOST_SLOTS}, and twice as many as processors, however many threads there are. A thread mostly gets the same one again.
 * <p>
 * An operation within another one of its thread gets an object of its own. One that was never given back is replaced.
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

    /**
     * Makes an empty pool.
     *
     * @param maker makes an object
     */
    public ScratchPool(final Supplier<T> maker) {
        this.maker = maker;
    }

    /** An object of a pool. It is made for the operation that asked for one, and belongs to one operation at a time. */
    public abstract static class Scratch {
        private static final VarHandle TAKEN = handle();

        private volatile boolean taken;

        /** Makes an object that is taken. */
        protected Scratch() {
            TAKEN.set(this, true); // published by whoever puts it into a slot
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

        /** Gives the object back: the operation that took it does not use it any more. */
        public final void release() {
            TAKEN.setRelease(this, false);
        }
    }

    private static int slots(final int processors) {
        return Math.max(FEWEST_SLOTS, Math.min(Integer.highestOneBit(4 * processors - 1), MOST_SLOTS));
    }

    /**
     * Takes an object, which the caller gives back by {@link Scratch#release} in a {@code finally} block.
     *
     * @return an object that no other operation has
     */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the slots will do
    public T take() {
        final int home = (int) Thread.currentThread().getId() & SLOT_MASK;
        final T scratch = slots.getAcquire(home);
        return scratch != null && ((Scratch) scratch).tryTake() ? scratch : takeOther(home, scratch == null);
    }

    private T takeOther(final int home, final boolean isEmpty) {
        for (int i = 1; i < SLOTS && !isEmpty; i++) {
            final T scratch = slots.getAcquire(home + i & SLOT_MASK);
            if (scratch != null && ((Scratch) scratch).tryTake()) {
                return scratch;
            }
        }
        final T made = maker.get();
        slots.setRelease(home, made); // an object that was there belongs to its operation, and to nobody afterwards
        return made;
    }
}
