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

    /** The reference index, the one that watches its user, one without order, and every index of the catalog. */
    static Stream<IndexFactory> all() {
        final List<IndexFactory> factories = new ArrayList<>();
        factories.add(ReferenceIndex.concurrentFactory());
        factories.add(StrictIndex.factory());
        factories.add(HashIndex.factory());
        factories.addAll(List.of(IndexType.values()));
        return factories.stream();
    }

    /** Every index of the catalog. */
    static Stream<IndexFactory> real() {
        return Stream.of(IndexType.values());
    }

    /** Every index that takes many writers. */
    static Stream<IndexFactory> manyWriters() {
        return all().filter(IndexFactory::concurrentWriters);
    }
}
