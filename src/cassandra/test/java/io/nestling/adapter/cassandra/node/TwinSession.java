/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Executes each statement on both copies of a table, with the same time for both, and compares the results. */
final class TwinSession {
    private static final int MAX_PAGES = 10_000;

    private final CqlSession session;

    TwinSession(final CqlSession session) {
        this.session = session;
    }

    /**
     * Executes a statement on both copies.
     *
     * @return number of rows of the result
     * @throws AssertionError if the results differ
     */
    int execute(final TwinTable table, final TwinStatement statement) {
        final int now = (int) (System.currentTimeMillis() / 1000);
        final CompletionStage<AsyncResultSet> tested = send(table, true, statement, now);
        final CompletionStage<AsyncResultSet> stock = send(table, false, statement, now);
        final List<String> testedRows = rows(table, tested);
        final List<String> stockRows = rows(table, stock);
        if (!statement.ordered()) {
            testedRows.sort(null);
            stockRows.sort(null);
        }
        if (!testedRows.equals(stockRows)) {
            throw new AssertionError(difference(table, statement, testedRows, stockRows));
        }
        return testedRows.size();
    }

    private CompletionStage<AsyncResultSet> send(
            final TwinTable table, final boolean tested, final TwinStatement statement, final int now) {
        SimpleStatement simple = SimpleStatement.newInstance(table.of(tested, statement.text())).setNowInSeconds(now);
        if (statement.pageSize() > 0) {
            simple = simple.setPageSize(statement.pageSize());
        }
        if (statement.serial()) {
            simple = simple.setConsistencyLevel(ConsistencyLevel.SERIAL);
        }
        return session.executeAsync(simple);
    }

    /** Returns the rows of all pages, one per line, or one line for an invalid query. */
    private static List<String> rows(final TwinTable table, final CompletionStage<AsyncResultSet> answer) {
        final List<String> rows = new ArrayList<>();
        try {
            AsyncResultSet page = answer.toCompletableFuture().join();
            for (int pages = 0; ; pages++) {
                if (pages > MAX_PAGES) {
                    throw new AssertionError("more than " + MAX_PAGES + " pages, the last rows: "
                            + rows.subList(Math.max(0, rows.size() - 2), rows.size()));
                }
                for (final Row row : page.currentPage()) {
                    rows.add(line(row));
                }
                if (!page.hasMorePages()) {
                    return rows;
                }
                page = page.fetchNextPage().toCompletableFuture().join();
            }
        } catch (final CompletionException e) {
            if (e.getCause() instanceof InvalidQueryException && !(e.getCause() instanceof SyntaxError)) {
                rows.add("error: " + e.getCause().getMessage().replace(table.tested(), table.name())
                        .replace(table.stock(), table.name()));
                return rows;
            }
            throw e;
        }
    }

    private static String line(final Row row) {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            line.append(i == 0 ? "" : " | ");
            line.append(text(row, i));
        }
        return line.toString();
    }

    /**
     * Returns the bytes of a value, or the normalized value of a decimal number: 0 and 0.0 are the same row, and which of them it
     * shows depends, with any memtable, on whether both are in one memtable or table file.
     */
    private static String text(final Row row, final int column) {
        if (row.isNull(column)) {
            return "null";
        }
        return row.getType(column).equals(DataTypes.DECIMAL)
                ? row.getBigDecimal(column).stripTrailingZeros().toString() : Bytes.toHexString(row.getBytesUnsafe(column));
    }

    private static String difference(
            final TwinTable table, final TwinStatement statement, final List<String> tested, final List<String> stock) {
        int first = 0;
        while (first < tested.size() && first < stock.size() && tested.get(first).equals(stock.get(first))) {
            first++;
        }
        return "table " + table + ", " + statement.text() + "\n  tested memtable: " + tested.size() + " rows, stock memtable: "
                + stock.size() + " rows, first difference in row " + first
                + "\n  tested: " + (first < tested.size() ? tested.get(first) : "(end)")
                + "\n  stock:  " + (first < stock.size() ? stock.get(first) : "(end)");
    }
}
