/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

/** The states of the two buckets of a new key (the paper's sections 3.1 and 3.2, its table 2). */
enum InsertionCase {
    /** Both buckets were EMPTY: a new subgraph. */
    TWO_EMPTY("twoEmpty"),
    /** One bucket was EMPTY and joined the subgraph of the other one. */
    ONE_EMPTY("oneEmpty"),
    /** Both buckets were in one subgraph that had a vacancy. */
    SAME_NON("sameNon"),
    /** The buckets were in two subgraphs, each with a vacancy. */
    DIFF_NON_NON("diffNonNon"),
    /** The buckets were in two subgraphs, one of them without a vacancy. */
    DIFF_NON_MAX("diffNonMax"),
    /** Neither subgraph had a vacancy, as known before any search: the region grew. */
    MAX("max"),
    /** A vacancy, but no short path to it: the region grew. */
    NO_PATH("noPath"),
    /** The key went to the stash of its region. */
    STASHED("stashed");

    private final String figureName;

    InsertionCase(final String figureName) {
        this.figureName = figureName;
    }

    String figureName() {
        return figureName;
    }

    /** Returns whether the case adds a key: each key counts once among these. */
    boolean addsKey() {
        return this != MAX && this != NO_PATH;
    }
}
