/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;

import java.util.Optional;

/** The trie of Cassandra 6.0-alpha2, in a class loader of its own beside version 5.0. */
public final class Cassandra6TrieFactory implements SubjectFactory {
    private static final String INDEX_CLASS = "io.nestling.jmh.peer.cassandra.CassandraTrieIndex";

    private final int valueBytes;

    /** Made by the service loader. */
    public Cassandra6TrieFactory() {
        this(0);
    }

    private Cassandra6TrieFactory(final int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    public String subjectName() {
        return "cassandra6_trie";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean concurrentWriters() {
        return false;
    }

    @Override
    public boolean usesDirectBuffers() {
        return true;
    }

    @Override
    public SubjectFactory withValues(final int bytes) {
        return new Cassandra6TrieFactory(bytes);
    }

    @Override
    public String configuration() {
        return "Cassandra 6.0-alpha2 InMemoryTrie, set up as cassandra_trie, in a class loader of its own, "
            + CassandraTrieFactory.values(valueBytes);
    }

    @Override
    public Optional<String> obstacle() {
        if (!IsolatedClassLoader.isPresent()) {
            return Optional.of("the classes of Cassandra 6.0-alpha2 are not packed");
        }
        return CassandraTrieFactory.obstacleOfFlags();
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return CassandraTrieFactory.needOfTrie(keys, keyBytes, valueBytes);
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        try {
            return new PeerSubject((PeerIndex) IsolatedClassLoader.get().loadClass(INDEX_CLASS)
                .getConstructor(int.class).newInstance(valueBytes));
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("Cassandra 6.0-alpha2 cannot be loaded: " + e, e);
        }
    }
}
