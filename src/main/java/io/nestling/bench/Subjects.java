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
 * All subjects that there are: the indexes of the catalog, and the peers that providers of {@link
 * SubjectFactory} on the class path bring along.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class Subjects {
    private static final List<SubjectFactory> INDEXES = Arrays.stream(IndexType.values())
        .map(type -> (SubjectFactory) new IndexSubjectFactory(type)).toList();

    private Subjects() {
    }

    /**
     * The indexes of this library.
     *
     * @return factories in the order of the catalog
     */
    public static List<SubjectFactory> indexes() {
        return INDEXES;
    }

    /**
     * A memtable with an index.
     *
     * @param index index of each shard
     * @param shards number of shards, 0 for the default
     * @return a factory whose name is that of the index with {@code _memtable} behind it
     */
    public static SubjectFactory memtable(final IndexType index, final int shards) {
        return new MemtableSubjectFactory(index, shards);
    }

    /**
     * The peers on the class path.
     *
     * @return factories in the order of their providers
     * @throws BenchmarkException if a provider cannot be loaded
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

    /**
     * Indexes and peers.
     *
     * @return factories, the indexes first
     */
    public static List<SubjectFactory> all() {
        final List<SubjectFactory> all = new ArrayList<>(INDEXES);
        all.addAll(peers());
        return List.copyOf(all);
    }

    /**
     * The subject with a name.
     *
     * @param name as {@link SubjectFactory#subjectName()} gives it; case does not matter, hyphens stand for
     *     underscores
     * @return the subject's factory
     * @throws IllegalArgumentException that lists the names, if there is no such subject
     */
    public static SubjectFactory ofName(final String name) {
        // The peers are not loaded for the name of an index.
        return find(name, INDEXES).or(() -> find(name, peers())).orElseThrow(() ->
            new IllegalArgumentException("expected one of " + namesOf(all()) + " but was '" + name + "'"));
    }

    private static Optional<SubjectFactory> find(final String name, final List<SubjectFactory> factories) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('-', '_');
        return factories.stream().filter(factory -> factory.subjectName().equals(wanted)).findFirst();
    }

    /**
     * Names for a message.
     *
     * @param factories whose names
     * @return the names, with commas between them
     */
    public static String namesOf(final List<SubjectFactory> factories) {
        return factories.stream().map(SubjectFactory::subjectName).collect(Collectors.joining(", "));
    }
}
