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
import com.datastax.oss.driver.api.core.servererrors.ProtocolError;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.util.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Executes each statement on both copies of a table, with the same time for both, and compares the results. */
final class TwinSession {
    private static final int MAX_PAGES = 10_000;
    private static final String NULL = "null";
    private static final String REFUSED = "refused: ";

    private final CqlSession session;
    private final Map<String, Integer> refused;
    private final Found found;

    /** The numbers of rows that approximate searches found, in the tested and in the stock copies, and of those present. */
    record Found(LongAdder tested, LongAdder stock, LongAdder all) {
        Found() {
            this(new LongAdder(), new LongAdder(), new LongAdder());
        }
    }

    /**
     * Creates an object for statements.
     *
     * @param session the session
     * @param refused concurrent map that gets the number of statements that the node refused, by its message
     * @param found gets the results of approximate searches
     */
    TwinSession(final CqlSession session, final Map<String, Integer> refused, final Found found) {
        this.session = session;
        this.refused = refused;
        this.found = found;
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
        final List<String> testedRows;
        final List<String> stockRows;
        try {
            testedRows = rows(table, tested);
            stockRows = rows(table, stock);
        } catch (final CompletionException e) {
            throw new AssertionError("table " + table + ", " + statement.text() + ", " + statement.pageSize() + " rows a page: "
                    + e.getCause(), e);
        }
        if (statement.exact() != null) {
            return compareApproximate(table, statement, testedRows, stockRows);
        }
        if (!statement.ordered()) {
            testedRows.sort(null);
            stockRows.sort(null);
        }
        if (!testedRows.equals(stockRows)) {
            throw new AssertionError(difference(table, statement, testedRows, stockRows));
        }
        if (!testedRows.isEmpty() && testedRows.get(0).startsWith(REFUSED)) {
            refused.merge(testedRows.get(0), 1, Integer::sum);
        }
        return testedRows.size();
    }

    /** Fails if one copy has rows that it should not have, and counts those that it lacks. */
    private int compareApproximate(
            final TwinTable table, final TwinStatement statement, final List<String> tested, final List<String> stock) {
        final int now = (int) (System.currentTimeMillis() / 1000);
        final TwinStatement exact = TwinStatement.of(statement.exact());
        final List<String> all = rows(table, send(table, false, exact, now));
        all.removeIf(row -> row.endsWith(NULL));
        if (!all.containsAll(tested) || !all.containsAll(stock)) {
            throw new AssertionError(difference(table, statement, tested, stock) + "\n  all rows: " + all);
        }
        found.all.add(all.size());
        found.tested.add(tested.size());
        found.stock.add(stock.size());
        return tested.size();
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
                rows.add(REFUSED + e.getCause().getMessage().replace(table.tested(), table.name())
                        .replace(table.stock(), table.name()));
                return rows;
            }
            if (e.getCause() instanceof ReadFailureException || e.getCause() instanceof ProtocolError) {
                // not Nestling's, if the stock copy fails, too
                return new ArrayList<>(List.of(REFUSED + e.getCause().getMessage()));
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
            return NULL;
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
