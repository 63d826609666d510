/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

/**
 * Layout of a row in a record. Little endian; lengths and numbers are unsigned LEB128 unless stated otherwise.
 * <pre>
 *  clustering   a value for each clustering column; none in a static row
 *    length + 1 0 for null
 *    bytes
 *  flags        1 byte: LIVENESS | LIVENESS_EXPIRES | DELETION | SHADOWABLE
 *  timestamp    8 bytes, if LIVENESS
 *  ttl          4 bytes, if LIVENESS_EXPIRES
 *  expiration   4 bytes, same; seconds, unsigned
 *  deletion     8 bytes timestamp, 4 bytes local deletion time, if DELETION
 *  columns      number of columns
 *    column     its number
 *    simple: a cell
 *    complex: number of cells * 2 + 1 if there is a deletion; the deletion; the cells
 *
 *  cell
 *    flags      1 byte: CELL_TIMESTAMP | CELL_EXPIRES | CELL_EXPIRES_WITH_ROW | CELL_DELETED | CELL_VALUE
 *    timestamp  8 bytes, if CELL_TIMESTAMP; else that of the row's liveness, or, without one, of the row's first cell
 *    ttl        4 bytes, if CELL_EXPIRES
 *    deletion   4 bytes local deletion time, if CELL_EXPIRES or CELL_DELETED
 *    path       length, bytes, in a complex column
 *    value      length, bytes, if CELL_VALUE
 * </pre>
 */
final class RowLayout {
    static final int LIVENESS = 1;
    static final int LIVENESS_EXPIRES = 1 << 1;
    static final int DELETION = 1 << 2;
    static final int SHADOWABLE = 1 << 3;

    static final int CELL_TIMESTAMP = 1;
    static final int CELL_EXPIRES = 1 << 1;
    static final int CELL_EXPIRES_WITH_ROW = 1 << 2;
    static final int CELL_DELETED = 1 << 3;
    static final int CELL_VALUE = 1 << 4;

    /** Local deletion times are seconds in 32 unsigned bits. */
    static final long SECONDS_MASK = 0xFFFF_FFFFL;

    private RowLayout() {
    }
}
