/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Stands for {@link ThreadLocal} in rewritten classes: one value for each fiber, forgotten after the run.
 *
 * @param <T> type of the values
 */
public final class FiberLocal<T> extends ThreadLocal<T> {
    private final Supplier<? extends T> initial;

    private FiberLocal(final Supplier<? extends T> initial) {
        this.initial = initial;
    }

    /**
     * Returns a new local, in place of {@link ThreadLocal#withInitial}.
     *
     * @param initial makes the first value of a fiber
     * @param <S> type of the values
     * @return the local
     */
    public static <S> ThreadLocal<S> withInitial(final Supplier<? extends S> initial) {
        return new FiberLocal<>(initial);
    }

    @Override
    @SuppressWarnings("unchecked")
    public T get() {
        final Map<Object, Object> values = Scheduler.locals();
        T value = (T) values.get(this);
        if (value == null) {
            value = initial.get();
            values.put(this, value);
        }
        return value;
    }

    @Override
    public void set(final T value) {
        Scheduler.locals().put(this, value);
    }

    @Override
    public void remove() {
        Scheduler.locals().remove(this);
    }
}
