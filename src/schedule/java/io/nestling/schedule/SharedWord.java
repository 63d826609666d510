/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/**
 * The words of one slab under the weak memory model: histories by word, made at the first store of a run. The one door through
 * which the twin of {@code Slab} reaches the model.
 */
public final class SharedWord {
    private static final int PAGE_SHIFT = 9;
    private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;
    private final WeakMemory.History[][] pages;

    /**
     * Makes the histories of a slab.
     *
     * @param words words of the slab
     */
    public SharedWord(final long words) {
        pages = new WeakMemory.History[(int) (words + PAGE_MASK >>> PAGE_SHIFT)][];
    }

    private WeakMemory.History find(final long word) {
        final WeakMemory.History[] page = pages[(int) (word >>> PAGE_SHIFT)];
        return page == null ? null : page[(int) word & PAGE_MASK];
    }

    /**
     * Returns what the fiber that runs reads.
     *
     * @param word number of the word
     * @param newest its newest value
     * @param mask bytes that are read
     * @param acquire whether the load has acquire mode
     * @return a value that the model allows
     */
    public long load(final long word, final long newest, final int mask, final boolean acquire) {
        final WeakMemory.History history = find(word);
        return history == null ? newest : Scheduler.load(history, mask, acquire);
    }

    /**
     * Notes a store of the fiber that runs.
     *
     * @param word number of the word
     * @param before its value before
     * @param after its value after
     * @param mask bytes that are written
     * @param release whether the store has release mode
     * @param cas whether it is the store of a compare-and-set
     */
    public void store(
        final long word, final long before, final long after, final int mask, final boolean release, final boolean cas) {
        final int page = (int) (word >>> PAGE_SHIFT);
        if (pages[page] == null) {
            pages[page] = new WeakMemory.History[PAGE_MASK + 1];
        }
        final int at = (int) word & PAGE_MASK;
        if (pages[page][at] == null) {
            pages[page][at] = new WeakMemory.History(before, Scheduler.fibers().length);
        }
        Scheduler.store(pages[page][at], mask, after, release, cas);
    }

    /**
     * Before a compare-and-set of the fiber that runs.
     *
     * @param word number of the word
     */
    public void beforeCompareAndSet(final long word) {
        Scheduler.beforeCompareAndSet(find(word));
    }
}
