/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;
import io.nestling.workload.OperationMix;
import io.nestling.workload.OperationStream;
import io.nestling.workload.RequestDistribution;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Creates workloads for the keys of a run: draws the requested keys and copies them into queries. Some workloads have their own
 * distribution of requests. A workload that adds keys needs operations in each round.
 */
record WorkloadFactory(KeyMaterial material, RequestDistribution distribution, int threads, int rounds) {
    private static final long SEED = 0x71_7565_7279L;
    private static final int SCAN_LENGTH = 50;
    private static final int SCANS_IN_CHUNK = 64;
    private static final int SEEKS_IN_CHUNK = 512;
    private static final int ITERATED_CHUNK = 1 << 15;
    private static final int MAX_SCANS = 1 << 17;
    /* Two, each for both states of a subject that the collector moves. */
    private static final int MIXES_THAT_ADD = 4;
    /* On average one in twenty, with a margin. */
    private static final int INSERTS_ONE_IN = 8;

    /** Returns the greatest number of keys that workloads add, besides those that {@link KeyMaterial#queries()} allows for. */
    static int keysToAdd(final int threads, final int rounds) {
        return MIXES_THAT_ADD * MixedWorkload.CHUNK / INSERTS_ONE_IN * threads * rounds;
    }

    /** Creates a workload that is not a load. */
    Workload create(final WorkloadType type) throws DatasetException {
        return switch (type) {
            case C -> new GetWorkload(queries(), GetWorkload.Kind.HIT, threads);
            case GET_DEPENDENT -> new GetWorkload(queries(), GetWorkload.Kind.DEPENDENT, threads);
            case GET_MISS -> new GetWorkload(
                QueryStream.of(material.absent().slice(0, material.queries())), GetWorkload.Kind.MISS, threads);
            case GETALL -> new BatchWorkload(queries(), threads);
            case SEEK -> scans(1, SEEKS_IN_CHUNK);
            case SCAN -> scans(SCAN_LENGTH, SCANS_IN_CHUNK);
            case ITERATE -> iteration();
            case FLUSH -> new FlushWorkload(type, material.keys());
            default -> mixed(type);
        };
    }

    private QueryStream queries() {
        return new QueryStream(material.keys(), material.keys(), order(material.queries()));
    }

    private int[] order(final int count) {
        final OperationStream stream = OperationMix.ofName("c").stream(material.count(), distribution, SEED, 0, 1);
        final int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            stream.next();
            order[i] = stream.key();
        }
        return order;
    }

    private Workload scans(final int length, final int scansInChunk) {
        final KeySet keys = material.keys();
        final SortedKeys sorted = material.sorted();
        final int[] order = order(Math.min(MAX_SCANS, material.queries()));
        final int[] ranks = Arrays.stream(order).map(i -> sorted.rank(keys, i)).toArray();
        return new ScanWorkload(new QueryStream(keys, keys, order), sorted, ranks, length, scansInChunk, threads);
    }

    /** Reads all entries in order, chunk by chunk; each chunk begins with a seek to its first key. */
    private Workload iteration() {
        final SortedKeys sorted = material.sorted();
        final int size = sorted.keys().size();
        final int[] ranks = IntStream.iterate(0, rank -> rank < size, rank -> rank + ITERATED_CHUNK).toArray();
        final QueryStream starts = new QueryStream(sorted.keys(), sorted.keys(), ranks);
        return new ScanWorkload(starts, sorted, ranks, ITERATED_CHUNK, 1, threads);
    }

    private Workload mixed(final WorkloadType type) throws DatasetException {
        final OperationMix mix = OperationMix.ofName(type.workloadName());
        final boolean scans = type == WorkloadType.E;
        final int all = scans ? Math.min(MAX_SCANS, material.queries()) : material.queries();
        final int chunks = Math.max(mix.inserts() ? rounds : 1, all / threads / MixedWorkload.CHUNK);
        final int count = chunks * MixedWorkload.CHUNK;
        final RequestDistribution requests =
            mix.distribution() == RequestDistribution.UNIFORM ? distribution : mix.distribution();
        return new MixedWorkload(OperationTrace.draw(mix, requests, material, count, threads), mix.inserts(), scans);
    }
}
