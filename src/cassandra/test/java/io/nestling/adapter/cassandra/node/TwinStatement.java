/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

/**
 * A statement for both copies of a table.
 *
 * @param text text with {@value TwinTable#TABLE} in place of the table's name
 * @param ordered whether the rows of the result have an order
 * @param pageSize rows per page; 0 for the driver's default
 * @param serial whether it reads with serial consistency
 * @param exact for a query that may lack rows, a query that has all of them, and others, which end with null; else null
 */
record TwinStatement(String text, boolean ordered, int pageSize, boolean serial, String exact) {
    static TwinStatement of(final String text) {
        return new TwinStatement(text, true, 0, false, null);
    }

    /** Returns a query whose result may lack rows of another query, and has no others. */
    static TwinStatement approximate(final String text, final String exact) {
        return new TwinStatement(text, false, 0, false, exact);
    }

    TwinStatement unordered() {
        return new TwinStatement(text, false, pageSize, serial, exact);
    }

    TwinStatement paged(final int rows) {
        return new TwinStatement(text, ordered, rows, serial, exact);
    }

    TwinStatement atSerial() {
        return new TwinStatement(text, ordered, pageSize, true, exact);
    }
}
