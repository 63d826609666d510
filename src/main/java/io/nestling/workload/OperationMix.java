/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A named mix of operations: LOAD and the core workloads A to F of YCSB (Cooper et al., SoCC 2010), as in the Cuckoo Trie
 * paper (SOSP 2021, section 6.1, table 2).
 * <table>
 * <caption>The mixes</caption>
 * <tr><th>name</th><th>operations</th><th>requests</th></tr>
 * <tr><td>load</td><td>100 % inserts</td><td>none</td></tr>
 * <tr><td>a</td><td>50 % reads, 50 % updates</td><td>uniform</td></tr>
 * <tr><td>b</td><td>95 % reads, 5 % updates</td><td>uniform</td></tr>
 * <tr><td>c</td><td>100 % reads</td><td>uniform</td></tr>
 * <tr><td>d</td><td>95 % reads, 5 % inserts</td><td>latest</td></tr>
 * <tr><td>e</td><td>95 % scans of 1 to 100 entries, 5 % inserts</td><td>uniform</td></tr>
 * <tr><td>f</td><td>50 % reads, 50 % read-modify-writes</td><td>uniform</td></tr>
 * <tr><td>hot</td><td>100 % updates</td><td>every second one for one key</td></tr>
 * </table>
 * <h2>Thread safety</h2>
 * Immutable.
 */
public final class OperationMix {
    private static final int PERCENT = 100;

    private static final List<OperationMix> ALL = List.of(
        new OperationMix("load", RequestDistribution.UNIFORM, Map.of(Operation.INSERT, 100)),
        new OperationMix("a", RequestDistribution.UNIFORM, Map.of(Operation.READ, 50, Operation.UPDATE, 50)),
        new OperationMix("b", RequestDistribution.UNIFORM, Map.of(Operation.READ, 95, Operation.UPDATE, 5)),
        new OperationMix("c", RequestDistribution.UNIFORM, Map.of(Operation.READ, 100)),
        new OperationMix("d", RequestDistribution.LATEST, Map.of(Operation.READ, 95, Operation.INSERT, 5)),
        new OperationMix("e", RequestDistribution.UNIFORM, Map.of(Operation.SCAN, 95, Operation.INSERT, 5)),
        new OperationMix("f", RequestDistribution.UNIFORM, Map.of(Operation.READ, 50, Operation.READ_MODIFY_WRITE, 50)),
        new OperationMix("hot", RequestDistribution.HOT_KEY, Map.of(Operation.UPDATE, 100)));

    private final String name;
    private final RequestDistribution distribution;
    private final Map<Operation, Integer> percent;

    private OperationMix(final String name, final RequestDistribution distribution, final Map<Operation, Integer> percent) {
        this.name = name;
        this.distribution = distribution;
        this.percent = percent;
    }

    /**
     * Finds the mix {@code load}, {@code hot} or {@code a} to {@code f}, in any case; throws, with the list of names, if there is
     * no such mix.
     */
    public static OperationMix ofName(final String name) {
        for (final OperationMix mix : ALL) {
            if (mix.name.equals(name.toLowerCase(Locale.ROOT))) {
                return mix;
            }
        }
        throw new IllegalArgumentException("unknown mix of operations: " + name + " (known: " + String.join(", ", names()) + ")");
    }

    /** Returns the names of all mixes, {@code load} first. */
    public static List<String> names() {
        return ALL.stream().map(OperationMix::name).collect(Collectors.toUnmodifiableList());
    }

    /** Returns the name of the mix in lower case. */
    public String name() {
        return name;
    }

    /**
     * Returns the default distribution of the requested keys: {@link RequestDistribution#LATEST} for D, {@link
     * RequestDistribution#HOT_KEY} for HOT, {@link RequestDistribution#UNIFORM} for the others. YCSB uses Zipf's law in all mixes
     * but D; the papers and this class do not, since most requests would hit caches.
     */
    public RequestDistribution distribution() {
        return distribution;
    }

    /** Returns the percentage of an operation among all. */
    public int percent(final Operation operation) {
        return percent.getOrDefault(operation, 0);
    }

    /** Returns whether the mix inserts, as LOAD, D and E do, so that a run needs absent keys. */
    public boolean inserts() {
        return percent(Operation.INSERT) > 0;
    }

    /**
     * Returns a stream of the operations of one of several concurrent clients, numbered from 0; the same seed gives the same
     * ones. Their streams differ, and they insert different keys. Throws if there is no such client, or if operations need a
     * loaded key and there is none.
     */
    public OperationStream stream(
        final int loadedKeys, final RequestDistribution requests, final long seed, final int client, final int clients) {
        if (client < 0 || client >= clients) {
            throw new IllegalArgumentException("expected a client below " + clients + " but was " + client);
        }
        if (loadedKeys < 0 || loadedKeys == 0 && percent(Operation.INSERT) < PERCENT) {
            throw new IllegalArgumentException("mix " + name + " needs 1 loaded key or more, not " + loadedKeys);
        }
        final OperationStream.Requests keys = new OperationStream.Requests(loadedKeys, requests, client, clients);
        return new OperationStream(this, keys, seed);
    }

    @Override
    public String toString() {
        return name + Arrays.stream(Operation.values()).filter(operation -> percent(operation) > 0)
            .map(operation -> percent(operation) + " % " + operation).collect(Collectors.joining(", ", " (", ")"));
    }
}
