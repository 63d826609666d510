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
