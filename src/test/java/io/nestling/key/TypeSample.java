/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * A type, values at its edges, random values, and its order as the test understands it, independently of the
 * code under test.
 *
 * @param <T> Java type of the values
 */
record TypeSample<T>(KeyType<T> type, Comparator<T> order, List<T> edges, Function<Random, T> random) {
    private static final int EDGE_CHANCE = 3;

    T next(final Random source) {
        return source.nextInt(EDGE_CHANCE) == 0
            ? edges.get(source.nextInt(edges.size())) : random.apply(source);
    }

    TypeSample<T> descending() {
        return new TypeSample<>(type.descending(), order.reversed(), edges, random);
    }

    TypeSample<T> nullsFirst() {
        return new TypeSample<>(type.nullsFirst(), Comparator.nullsFirst(order), withNull(), random);
    }

    TypeSample<T> nullsLast() {
        return new TypeSample<>(type.nullsLast(), Comparator.nullsLast(order), withNull(), random);
    }

    /** The type itself and every combination of nulls and direction over it. */
    List<TypeSample<T>> variants() {
        return List.of(
            this, descending(), nullsFirst(), nullsLast(),
            nullsFirst().descending(), nullsLast().descending(),
            descending().nullsFirst(), descending().nullsLast());
    }

    private List<T> withNull() {
        final List<T> all = new ArrayList<>(edges);
        all.add(null);
        return Collections.unmodifiableList(all);
    }

    @Override
    public String toString() {
        return type.toString();
    }
}
