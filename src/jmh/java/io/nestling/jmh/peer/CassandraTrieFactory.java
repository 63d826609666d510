/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.jmh.peer.cassandra.CassandraTrieIndex;

import java.util.List;
import java.util.Optional;

/** The trie that is Cassandra's memtable, version 5.0. */
public final class CassandraTrieFactory implements SubjectFactory {
    private static final long SHARED_VALUES_BYTES = 24L << 20;
    /** A reference in an array that grows by doubling. */
    private static final long HEAP_BYTES_PER_KEY = 16;
    /** Header and padding of an array. */
    private static final long ARRAY_BYTES = 24;
    /** Blocks above the bytes of the key, and the buffers, of which the last is as large as all others. */
    private static final long BLOCK_BYTES_PER_KEY = 64;
    private static final long BUFFER_ROOM = 2;
    private static final long MAX_BYTES = 2L << 30;

    private final int valueBytes;

    /** Made by the service loader. */
    public CassandraTrieFactory() {
        this(0);
    }

    private CassandraTrieFactory(final int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    public String subjectName() {
        return "cassandra_trie";
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
        return new CassandraTrieFactory(bytes);
    }

    @Override
    public String configuration() {
        return "Cassandra 5.0.9 InMemoryTrie, blocks off heap, " + values(valueBytes) + ", recursive puts up to 128 bytes, walks"
            + " without objects; spells keys itself";
    }

    static String values(final int valueBytes) {
        return valueBytes == 0 ? "shared value objects" : "values of " + valueBytes + " bytes on it";
    }

    @Override
    public Optional<String> obstacle() {
        return obstacleOfFlags();
    }

    static Optional<String> obstacleOfFlags() {
        final List<String> missing = CassandraFlags.missing();
        return missing.isEmpty() ? Optional.empty()
            : Optional.of("Cassandra's classes need the java options " + String.join(" ", missing));
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return needOfTrie(keys, keyBytes, valueBytes);
    }

    static MemoryNeed needOfTrie(final long keys, final long keyBytes, final int valueBytes) {
        final long blocks = BUFFER_ROOM * (keys * BLOCK_BYTES_PER_KEY + keyBytes + keyBytes / 4);
        final long value = HEAP_BYTES_PER_KEY + (valueBytes == 0 ? 0 : ARRAY_BYTES + valueBytes);
        return new MemoryNeed(SHARED_VALUES_BYTES + keys * value, Math.min(blocks, MAX_BYTES));
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        return new PeerSubject(new CassandraTrieIndex(valueBytes));
    }
}
