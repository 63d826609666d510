/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/** A part of the page with a heading of its own; left out where a run has nothing for it. */
interface Section {
    /** Identifier for links within the page. */
    String id();

    /** Heading. */
    String title();

    /** Tells whether there is anything to show. */
    boolean isPresent();

    /** Writes everything below the heading. */
    void write(Markup out);
}
