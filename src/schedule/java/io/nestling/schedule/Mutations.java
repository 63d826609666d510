/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * The fences and ordered accesses of the product, numbered by the rewriter as it meets them. One of them can be taken away: a
 * search that finds nothing then has either met harmless code or is blind.
 */
public final class Mutations {
    /**
     * A place in the product.
     *
     * @param name class, method, what it is, and the how manieth of its kind in the method
     * @param line line of the source
     */
    record Site(String name, int line) { }

    private static final List<Site> SITES = new ArrayList<>();
    private static final int NO_SITE = -1;
    private static long[] hits = new long[64];
    private static int removed = NO_SITE;
    private static int next = NO_SITE;

    private Mutations() {
    }

    /** Numbers a place in the product. */
    static int add(final String name, final int line) {
        SITES.add(new Site(name, line));
        if (SITES.size() > hits.length) {
            hits = java.util.Arrays.copyOf(hits, hits.length * 2);
        }
        return SITES.size() - 1;
    }

    static List<Site> sites() {
        return List.copyOf(SITES);
    }

    /** Takes one site's order away; -1 none. */
    static void remove(final int site) {
        removed = site;
        if (site >= 0) {
            hits[site] = 0;
        }
    }

    static long hits(final int site) {
        return hits[site];
    }

    /** Returns whether a fence still works. */
    static boolean keeps(final int site) {
        hits[site]++;
        return site != removed;
    }

    /**
     * The next ordered access of a slab is this site.
     *
     * @param site its number
     */
    public static void at(final int site) {
        next = site;
    }

    /**
     * Returns whether the access that {@link #at} announced is ordered.
     *
     * @return false if its order was taken away
     */
    public static boolean keepsNext() {
        final int site = next;
        next = NO_SITE;
        return site == NO_SITE || keeps(site);
    }
}
