/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * The shared words of a scenario: words of slabs and of heap objects that one fiber writes and another one accesses, as seen in
 * runs without any concurrency. A switch between two fibers matters only beside an access to one of them.
 */
final class Conflicts {
    /** How the fibers access a word: a bit for each fiber, and the number of accesses of each. */
    private static final class Word {
        private final int[] accesses;
        private int writers;
        private int users;

        private Word(final int fibers) {
            accesses = new int[fibers];
        }

        private boolean isShared() {
            return writers != 0 && Integer.bitCount(users) > 1;
        }
    }

    /**
     * The words at which the fibers of a run may be stopped.
     *
     * @param words all shared words, or some of them
     * @param steps accesses of each fiber to them
     */
    record Focus(Set<Long> words, int[] steps) { }

    private final Map<Long, Word> words = new TreeMap<>();

    /** Notes an access of a pilot run. */
    void note(final Fiber fiber, final long number, final boolean write, final int fibers) {
        final Word word = words.computeIfAbsent(number, key -> new Word(fibers));
        word.users |= 1 << fiber.id;
        word.writers |= write ? 1 << fiber.id : 0;
        word.accesses[fiber.id]++;
    }

    private Focus focus(final Set<Long> chosen, final int fibers) {
        final int[] steps = new int[fibers];
        for (final long number : chosen) {
            for (int i = 0; i < fibers; i++) {
                steps[i] += words.get(number).accesses[i];
            }
        }
        return new Focus(chosen, steps);
    }

    /** Returns all shared words. */
    Focus all(final int fibers) {
        final Set<Long> shared = new HashSet<>();
        words.forEach((number, word) -> {
            if (word.isShared()) {
                shared.add(number);
            }
        });
        return focus(shared, fibers);
    }

    /** Returns one to three of the shared words: with few stops to choose from, deep schedules are likely. */
    Focus some(final int fibers, final Random random) {
        final List<Long> shared = new ArrayList<>();
        words.forEach((number, word) -> {
            if (word.isShared()) {
                shared.add(number);
            }
        });
        final Set<Long> chosen = new HashSet<>();
        for (int i = random.nextInt(3); i >= 0 && !shared.isEmpty(); i--) {
            chosen.add(shared.get(random.nextInt(shared.size())));
        }
        return focus(chosen, fibers);
    }
}
