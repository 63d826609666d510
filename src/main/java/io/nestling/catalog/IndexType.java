/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.catalog;

import io.nestling.cocuckoo.CoCuckoo;
import io.nestling.cuckootrie.CuckooTrie;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.mlpindex.MlpIndex;
import io.nestling.skiplist.SkipList;
import io.nestling.trie.InMemoryTrie;
import io.nestling.wormhole.Wormhole;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The built-in indexes. */
public enum IndexType implements IndexFactory {
    /** Block trie: any key, ordered, stores whole keys; see {@link InMemoryTrie}. */
    TRIE(InMemoryTrie::new, 7_880, true, true, false),
    /** Cuckoo Trie: any key, ordered, reads keys from records; see {@link CuckooTrie}. */
    CUCKOO_TRIE(CuckooTrie::new, 38_300, true, false, false),
    /** Wormhole: any key, ordered, reads keys from records, the fastest scans; see {@link Wormhole}. */
    WORMHOLE(Wormhole::new, 6_200, true, false, false),
    /**
     * MlpIndex: ordered, reads keys from records unless they have 8 bytes, the fastest for keys that differ in their first 8
     * bytes; see {@link MlpIndex}.
     */
    MLP_INDEX(MlpIndex::new, 30_620, true, false, false) {
        @Override
        public boolean storesKeys(final int keyLength) {
            return keyLength == Long.BYTES;
        }
    },
    /** Skip list: any key, ordered, many writers, reads keys from records; see {@link SkipList}. */
    SKIP_LIST(SkipList::new, 9_050, true, false, true),
    /**
     * Cuckoo hash table: any key, unordered, many writers, reads keys from records, point reads in two round trips;
     * see {@link CoCuckoo}.
     */
    COCUCKOO(CoCuckoo::new, 34_000, false, false, true);

    private final Function<IndexContext, PointIndex> maker;
    private final int heapBytes;
    private final boolean ordered;
    private final boolean storesKeys;
    private final boolean concurrentWriters;

    IndexType(
        final Function<IndexContext, PointIndex> maker, final int heapBytes, final boolean ordered, final boolean storesKeys,
        final boolean concurrentWriters) {
        this.maker = maker;
        this.heapBytes = heapBytes;
        this.ordered = ordered;
        this.storesKeys = storesKeys;
        this.concurrentWriters = concurrentWriters;
    }

    /**
     * Returns the index with a name.
     *
     * @param name an {@link #indexName()}; case is ignored, and hyphens are read as underscores
     * @return the index
     * @throws IllegalArgumentException that lists the names if no index has this name
     */
    public static IndexType ofName(final String name) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('-', '_');
        for (final IndexType type : values()) {
            if (type.indexName().equals(wanted)) {
                return type;
            }
        }
        throw new IllegalArgumentException("expected one of "
            + Arrays.stream(values()).map(IndexType::indexName).collect(Collectors.joining(", ")) + " but was '" + name + "'");
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
    public int heapBytes() {
        return heapBytes;
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
