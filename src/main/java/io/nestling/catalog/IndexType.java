/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.catalog;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.trie.InMemoryTrie;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The indexes that there are. */
public enum IndexType implements IndexFactory {
    /** Block trie: any key, ordered, spells whole keys itself; see {@link InMemoryTrie}. */
    TRIE(InMemoryTrie::new, true, true, false);

    private final Function<IndexContext, PointIndex> maker;
    private final boolean ordered;
    private final boolean storesKeys;
    private final boolean concurrentWriters;

    IndexType(
        final Function<IndexContext, PointIndex> maker, final boolean ordered, final boolean storesKeys,
        final boolean concurrentWriters) {
        this.maker = maker;
        this.ordered = ordered;
        this.storesKeys = storesKeys;
        this.concurrentWriters = concurrentWriters;
    }

    /**
     * The index with a name.
     *
     * @param name as {@link #indexName()} gives it; case does not matter, hyphens stand for underscores
     * @return the index
     * @throws IllegalArgumentException that lists the names, if there is no such index
     */
    public static IndexType ofName(final String name) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('-', '_');
        for (final IndexType type : values()) {
            if (type.indexName().equals(wanted)) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown index '" + name + "', there is: "
            + Arrays.stream(values()).map(IndexType::indexName).collect(Collectors.joining(", ")));
    }

    @Override
    public PointIndex create(final IndexContext context) {
        return maker.apply(context);
    }

    @Override
    public String indexName() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean ordered() {
        return ordered;
    }

    @Override
    public boolean storesKeys() {
        return storesKeys;
    }

    @Override
    public boolean concurrentWriters() {
        return concurrentWriters;
    }
}
