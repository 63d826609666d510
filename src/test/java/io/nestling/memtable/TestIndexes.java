/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.catalog.IndexType;
import io.nestling.index.IndexFactory;
import io.nestling.testing.ReferenceIndex;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The indexes that memtables are tested with. All let readers run beside the writer. */
final class TestIndexes {
    private TestIndexes() {
    }

    /** The reference index, the one that watches its user, and every ordered index of the catalog. */
    static Stream<IndexFactory> all() {
        final List<IndexFactory> factories = new ArrayList<>();
        factories.add(ReferenceIndex.concurrentFactory());
        factories.add(StrictIndex.factory());
        factories.addAll(ofCatalog());
        return factories.stream();
    }

    /** Every ordered index of the catalog. */
    static Stream<IndexFactory> real() {
        return ofCatalog().stream();
    }

    private static List<IndexFactory> ofCatalog() {
        final List<IndexFactory> factories = new ArrayList<>();
        for (final IndexType type : IndexType.values()) {
            if (type.ordered()) {
                factories.add(type);
            }
        }
        return factories;
    }
}
