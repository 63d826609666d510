/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.catalog.IndexType;
import io.nestling.memory.Slab;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.scenario.Workload.Traits;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * The kinds of scenarios: an index by its name, {@code memtable-} and the name, or {@code epochs}. Behind a colon may stand the
 * shape of all workloads: {@code swap}, {@code seesaw} or {@code handover}.
 */
public final class IndexKinds implements Scenario.Source {
    private static final String MEMTABLE = "memtable-";
    /** The one mechanism that is searched without an index. */
    private static final String EPOCHS = "epochs";
    private static final Set<IndexType> MANY_WRITERS = EnumSet.of(IndexType.SKIP_LIST, IndexType.COCUCKOO);
    /* Indexes that promise that a cursor's position is that of one moment. */
    private static final Set<IndexType> ONE_MOMENT = EnumSet.of(IndexType.WORMHOLE, IndexType.CUCKOO_TRIE);

    private static final char SHAPE_MARK = ':';

    private final LongFunction<Scenario> maker;

    /**
     * Finds a kind.
     *
     * @param kind name of an index, or {@code memtable-} and that name
     * @throws IllegalArgumentException if there is no such index
     */
    public IndexKinds(final String kind) {
        if (kind.equals(EPOCHS)) {
            maker = ReclamationScenario::new;
            return;
        }
        final int end = kind.indexOf(SHAPE_MARK);
        final int shape = end < 0 ? -1 : shape(kind.substring(end + 1));
        final String structure = end < 0 ? kind : kind.substring(0, end);
        final boolean memtable = kind.startsWith(MEMTABLE);
        final IndexType type = IndexType.valueOf(structure.substring(memtable ? MEMTABLE.length() : 0).toUpperCase(Locale.ROOT));
        if (memtable) {
            maker = seed -> new MemtableScenario(type, seed, new Workload(seed, new Traits(true, true), shape));
        } else {
            final Traits traits = new Traits(type != IndexType.COCUCKOO, MANY_WRITERS.contains(type));
            maker = seed -> new IndexScenario(type, new Workload(seed, traits, shape), ONE_MOMENT.contains(type));
        }
    }

    private static int shape(final String name) {
        return switch (name) {
            case "swap" -> Siblings.SWAP;
            case "seesaw" -> Siblings.SEESAW;
            case "handover" -> Handover.SHAPE;
            default -> throw new IllegalArgumentException("expected swap, seesaw or handover behind the colon but was " + name);
        };
    }

    @Override
    public Scenario scenario(final long seed) {
        return maker.apply(seed);
    }

    @Override
    public void reset() {
        Slab.reset();
    }
}
