/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/**
 * How a subject looks in every chart.
 *
 * @param name its name
 * @param index its place in the run, which gives colour, shape and dashes
 * @param peer true if it is not of this library; drawn pale with an outline instead of full
 * @param baseline true if ratios refer to it
 * @param configuration how it is set up; empty if nothing is known
 */
record SubjectStyle(String name, int index, boolean peer, boolean baseline, String configuration) {
    /** Number of different colours. */
    static final int COLOURS = 10;

    private static final String[] DASHES = {null, "6 3", "2 2", "8 2 2 2"};
    private static final int COLOURS_FOR_A_DASH = 3;

    /** Style classes for a mark: its colour, and pale if it is a peer's. */
    String classes() {
        return "s" + index % COLOURS + (peer ? " peer" : "");
    }

    /** Shape that tells the subject without its colour. */
    Shape shape() {
        final Shape[] shapes = Shape.values();
        return shapes[(index + index / COLOURS) % shapes.length];
    }

    /** Dashes of its line, null for none. */
    String dashes() {
        return DASHES[index / COLOURS_FOR_A_DASH % DASHES.length];
    }
}
