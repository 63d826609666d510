/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.catalog.IndexType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * The known subjects: the indexes of the catalog, and the peers from providers of {@link SubjectFactory} on the class path.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class Subjects {
    private static final List<SubjectFactory> INDEXES = Arrays.stream(IndexType.values())
        .map(type -> (SubjectFactory) new IndexSubjectFactory(type)).toList();

    private Subjects() {
    }

    /** Returns the indexes of this library in the order of the catalog. */
    public static List<SubjectFactory> indexes() {
        return INDEXES;
    }

    /**
     * Returns a memtable with an index in each shard, named as the index with {@code _memtable} behind; 0 shards stand for the
     * default, values have {@link Values#MIN_BYTES} to {@link Values#MAX_BYTES}.
     */
    public static SubjectFactory memtable(final IndexType index, final int shards, final int valueBytes) {
        return new MemtableSubjectFactory(index, shards, new Values(valueBytes));
    }

    /**
     * Returns the peers on the class path in the order of their providers; throws a {@link BenchmarkException} if a provider
     * cannot be loaded.
     */
    public static List<SubjectFactory> peers() {
        final List<SubjectFactory> peers = new ArrayList<>();
        try {
            ServiceLoader.load(SubjectFactory.class, Subjects.class.getClassLoader()).forEach(peers::add);
        } catch (final ServiceConfigurationError | LinkageError e) {
            throw new BenchmarkException("a peer cannot be loaded: " + e.getMessage(), e);
        }
        return List.copyOf(peers);
    }

    /** Returns the indexes, and behind them the peers. */
    public static List<SubjectFactory> all() {
        final List<SubjectFactory> all = new ArrayList<>(INDEXES);
        all.addAll(peers());
        return List.copyOf(all);
    }

    /**
     * Returns the subject with a name in any case, with hyphens or underscores; throws, with the list of names, if there is no
     * such subject.
     */
    public static SubjectFactory ofName(final String name) {
        // The name of an index does not load the peers.
        return find(name, INDEXES).or(() -> find(name, peers())).orElseThrow(() ->
            new IllegalArgumentException("expected one of " + namesOf(all()) + " but was '" + name + "'"));
    }

    private static Optional<SubjectFactory> find(final String name, final List<SubjectFactory> factories) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('-', '_');
        return factories.stream().filter(factory -> factory.subjectName().equals(wanted)).findFirst();
    }

    /** Lists names for a message, separated by commas. */
    public static String namesOf(final List<SubjectFactory> factories) {
        return factories.stream().map(SubjectFactory::subjectName).collect(Collectors.joining(", "));
    }
}
