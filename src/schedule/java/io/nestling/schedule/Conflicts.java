/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongHashSet;

/**
 * The shared words of a scenario: words of slabs and of heap objects that one fiber writes and another one accesses, as seen in
 * runs without any concurrency. A switch between two fibers matters only beside an access to one of them. Each access has a site
 * too, the place in the code, see {@link Scheduler#at}.
 */
final class Conflicts {
    private static final int MOST_SITES = 3;

    /** The accesses of a word: a bit for each fiber, and the number of accesses of each at each site. */
    private static final class Word {
        private final Map<Integer, int[]> sites = new TreeMap<>();
        private int writers;
        private int users;

        private boolean isShared() {
            return writers != 0 && Integer.bitCount(users) > 1;
        }
    }

    /**
     * The accesses at which the fibers of a run may be stopped.
     *
     * @param words all shared words, or some of them
     * @param sites only accesses at these; null: at any
     * @param steps accesses of each fiber to the words, at the sites, in one run
     */
    record Focus(LongHashSet words, IntHashSet sites, int[] steps) {
        /** No access at all. */
        static final Focus NONE = new Focus(new LongHashSet(), null, new int[0]);

        boolean has(final long word, final int site) {
            return words.contains(word) && (sites == null || sites.contains(site));
        }
    }

    private final Map<Long, Word> words = new TreeMap<>();

    /** Notes an access of a pilot run. */
    void note(final Fiber fiber, final long number, final int site, final boolean write, final int fibers) {
        final Word word = words.computeIfAbsent(number, key -> new Word());
        word.users |= 1 << fiber.id;
        word.writers |= write ? 1 << fiber.id : 0;
        word.sites.computeIfAbsent(site, key -> new int[fibers])[fiber.id]++;
    }

    private List<Long> shared() {
        final List<Long> shared = new ArrayList<>();
        words.forEach((number, word) -> {
            if (word.isShared()) {
                shared.add(number);
            }
        });
        return shared;
    }

    private Focus focus(final Iterable<Long> chosen, final IntHashSet sites, final int fibers) {
        final int[] steps = new int[fibers];
        final LongHashSet numbers = new LongHashSet();
        for (final long number : chosen) {
            numbers.add(number);
            words.get(number).sites.forEach((site, accesses) -> {
                if (sites == null || sites.contains(site)) {
                    for (int i = 0; i < fibers; i++) {
                        steps[i] += accesses[i];
                    }
                }
            });
        }
        for (int i = 0; i < fibers; i++) {
            steps[i] = (steps[i] + 1) / 2; // two runs were noted
        }
        return new Focus(numbers, sites, steps);
    }

    /** Returns all shared words. */
    Focus all(final int fibers) {
        return focus(shared(), null, fibers);
    }

    /** Returns one to three of the shared words: with few stops to choose from, deep schedules are likely. */
    Focus some(final int fibers, final Random random) {
        final List<Long> shared = shared();
        final TreeSet<Long> chosen = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0 && !shared.isEmpty(); i--) {
            chosen.add(shared.get(random.nextInt(shared.size())));
        }
        return focus(chosen, null, fibers);
    }

    /** Returns the accesses to shared words at one to three places in the code, mostly such as meet at a word. */
    Focus someSites(final int fibers, final Random random) {
        final List<Long> shared = shared();
        final IntHashSet chosen = new IntHashSet();
        List<Integer> sites = List.of();
        for (int i = random.nextInt(MOST_SITES); i >= 0 && !shared.isEmpty(); i--) {
            if (sites.isEmpty() || random.nextInt(3) == 0) {
                sites = new ArrayList<>(words.get(shared.get(random.nextInt(shared.size()))).sites.keySet());
            }
            chosen.add((int) sites.get(random.nextInt(sites.size())));
        }
        return focus(shared, chosen, fibers);
    }
}
