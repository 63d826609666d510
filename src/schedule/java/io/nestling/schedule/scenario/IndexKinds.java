/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.catalog.IndexType;
import io.nestling.offheap.Slab;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.scenario.Workload.Traits;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * The kinds of scenarios: an index by its name, or its name behind {@code memtable-} for a memtable on it without directions, the
 * name of a {@link LifeCycle} for a directed one, {@code life-} for all of these in turn, {@code epochs} or {@code budget}.
 * Behind the name of an index and a colon may stand the shape of all workloads: {@code swap}, {@code seesaw}, {@code handover},
 * {@code reread} or {@code comeback}.
 */
public final class IndexKinds implements Scenario.Source {
    /* Mechanisms that are searched without an index. */
    private static final String EPOCHS = "epochs";
    private static final String BUDGET = "budget";
    private static final Set<IndexType> MANY_WRITERS = EnumSet.of(IndexType.SKIP_LIST, IndexType.COCUCKOO);
    /* Indexes that promise that a cursor's position is that of one moment. */
    private static final Set<IndexType> ONE_MOMENT = EnumSet.of(IndexType.WORMHOLE, IndexType.CUCKOO_TRIE);

    /** So many scenarios have one with large payloads. */
    private static final int LARGE_PAYLOADS_EVERY = 4;
    private static final char SHAPE_MARK = ':';

    private final LongFunction<Scenario> maker;

    /**
     * Finds a kind.
     *
     * @param kind its name
     * @throws IllegalArgumentException if there is no such kind
     */
    public IndexKinds(final String kind) {
        if (kind.equals(EPOCHS) || kind.equals(BUDGET)) {
            maker = kind.equals(EPOCHS) ? ReclamationScenario::new : BudgetScenario::new;
            return;
        }
        final int mark = kind.indexOf(SHAPE_MARK);
        final int shape = mark < 0 ? -1 : shape(kind.substring(mark + 1));
        final String structure = mark < 0 ? kind : kind.substring(0, mark);
        final int end = structure.indexOf('-');
        final IndexType type = Arrays.stream(IndexType.values())
            .filter(each -> each.indexName().equals(structure.substring(end + 1))).findFirst().orElseThrow(() -> unknown(kind));
        final String prefix = end < 0 ? "" : structure.substring(0, end);
        final Traits traits = new Traits(type != IndexType.COCUCKOO, MANY_WRITERS.contains(type));
        if (mark >= 0 && end >= 0) {
            throw unknown(kind);
        }
        maker = switch (prefix) {
            case "" -> seed -> new IndexScenario(
                type, new Workload(seed, traits, shape), ONE_MOMENT.contains(type), seed % LARGE_PAYLOADS_EVERY == 0);
            case "memtable" -> seed -> LifeCycle.plain(type, seed);
            case "life" -> seed -> LifeCycle.inTurn(type, seed);
            default -> {
                final LifeCycle cycle = Arrays.stream(LifeCycle.values()).filter(each -> name(each).equals(prefix)).findFirst()
                    .orElseThrow(() -> unknown(kind));
                yield seed -> cycle.scenario(type, seed);
            }
        };
    }

    private static String name(final LifeCycle cycle) {
        return cycle.name().toLowerCase(Locale.ROOT);
    }

    private static IllegalArgumentException unknown(final String kind) {
        final String indexes = Arrays.stream(IndexType.values()).map(IndexType::indexName).collect(Collectors.joining(", "));
        final String cycles = Arrays.stream(LifeCycle.values()).map(each -> name(each) + '-').collect(Collectors.joining(", "));
        return new IllegalArgumentException("unknown kind of scenarios: expected one of " + indexes
            + ", or one of these behind one of memtable-, life-, " + cycles + ", epochs or budget, but was '" + kind + "'");
    }

    private static int shape(final String name) {
        return switch (name) {
            case "swap" -> Siblings.SWAP;
            case "seesaw" -> Siblings.SEESAW;
            case "handover" -> Handover.SHAPE;
            case "reread" -> Workload.REREAD;
            case "comeback" -> Workload.COMEBACK;
            default -> throw new IllegalArgumentException(
                "expected one of swap, seesaw, handover, reread, comeback behind the colon but was '" + name + "'");
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
