/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

/**
 * A statement for both copies of a table.
 *
 * @param text with {@value TwinTable#TABLE} in place of the name of the table
 * @param ordered whether the rows of an answer have an order
 * @param pageSize rows a page; 0 for as many as the driver wants
 * @param serial whether it is read at serial consistency
 */
record TwinStatement(String text, boolean ordered, int pageSize, boolean serial) {
    static TwinStatement of(final String text) {
        return new TwinStatement(text, true, 0, false);
    }

    TwinStatement unordered() {
        return new TwinStatement(text, false, pageSize, serial);
    }

    TwinStatement paged(final int rows) {
        return new TwinStatement(text, ordered, rows, serial);
    }

    TwinStatement atSerial() {
        return new TwinStatement(text, ordered, pageSize, true);
    }
}
