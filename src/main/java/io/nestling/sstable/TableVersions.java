/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryCursor;
import io.nestling.index.RangeTombstoneSet;
import io.nestling.index.Versions;

import java.io.UncheckedIOException;

/**
 * All versions in one table.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class TableVersions implements Versions {
    private final SstableReader reader;
    private final EntryCursor cursor;

    TableVersions(final SstableReader reader) {
        this.reader = reader;
        this.cursor = reader.cursor();
    }

    @Override
    public EntryCursor cursor() {
        return cursor;
    }

    @Override
    public RangeTombstoneSet rangeTombstones() {
        return reader.rangeTombstoneIndex();
    }

    @Override
    public long asOf() {
        return EVERY_VERSION;
    }

    @Override
    public RuntimeException outOfOrder(final String message) {
        final CorruptTableException corrupt = CorruptTableException.ofFile(reader.path(), message);
        return new UncheckedIOException(corrupt.getMessage(), corrupt);
    }

    @Override
    public void close() {
        cursor.close();
    }
}
