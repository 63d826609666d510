/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds a short list that fails, given a long one, by leaving out halves, quarters and so on. */
public final class Shrinker {
    private static final int MAX_RUNS = 2_000;
    private static final long MAX_NANOS = 20_000_000_000L;

    private Shrinker() {
    }

    /**
     * Shortens a list as far as it still fails, within some seconds.
     *
     * @param list a list that fails
     * @param fails tells whether a part of it fails
     * @param <T> type of the elements
     * @return the shortest list found
     */
    public static <T> List<T> shrink(final List<T> list, final Predicate<List<T>> fails) {
        final long deadline = System.nanoTime() + MAX_NANOS;
        List<T> shortest = list;
        int runs = 0;
        int part = Math.max(1, list.size() / 2);
        while (true) {
            boolean shorter = false;
            int from = 0;
            while (from < shortest.size()) {
                if (++runs > MAX_RUNS || System.nanoTime() > deadline) {
                    return shortest;
                }
                final List<T> candidate = without(shortest, from, part);
                if (fails.test(candidate)) {
                    shortest = candidate;
                    shorter = true;
                } else {
                    from += part;
                }
            }
            if (part == 1 && !shorter) {
                return shortest;
            }
            part = Math.max(1, part / 2);
        }
    }

    private static <T> List<T> without(final List<T> list, final int from, final int count) {
        final List<T> rest = new ArrayList<>(list.subList(0, from));
        rest.addAll(list.subList(Math.min(list.size(), from + count), list.size()));
        return rest;
    }
}
