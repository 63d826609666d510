/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Optional;

/**
 * Makes subjects of one kind. Peers are found by {@link java.util.ServiceLoader} as providers of this
 * interface.
 * <h2>Thread safety</h2>
 * Immutable.
 */
public interface SubjectFactory {
    /**
     * Name for users.
     *
     * @return lower case with underscores, e.g. {@code cassandra_trie}
     */
    String subjectName();

    /**
     * Tells whether the subjects' indexes are {@link io.nestling.index.OrderedIndex}es.
     *
     * @return true if they have cursors
     */
    boolean ordered();

    /**
     * Tells whether several threads may write at the same time.
     *
     * @return false if writers must take turns
     */
    boolean concurrentWriters();

    /**
     * Tells whether its off-heap memory is direct buffers of the JDK, which {@code -XX:MaxDirectMemorySize}
     * limits.
     *
     * @return true if that limit matters
     */
    default boolean usesDirectBuffers() {
        return false;
    }

    /**
     * How it is set up, and why so.
     *
     * @return a line for people
     */
    String configuration();

    /**
     * What keeps it from running in this process, such as a missing flag.
     *
     * @return the obstacle and what to do about it; empty if it can run
     */
    Optional<String> obstacle();

    /**
     * Memory that a subject will need at most, for a check before it is loaded.
     *
     * @param keys number of keys
     * @param keyBytes sum of their lengths
     * @return bytes on and off the heap, with some room
     */
    MemoryNeed memoryNeed(long keys, long keyBytes);

    /**
     * Makes an empty subject.
     *
     * @param keys number of keys that it will take at most
     * @param keyBytes sum of their lengths
     * @return a new subject
     */
    Subject create(long keys, long keyBytes);

    /**
     * Makes an empty subject for keys of one length, which may be set up differently.
     *
     * @param keys number of keys that it will take at most
     * @param keyBytes sum of their lengths
     * @param keyLength length of every key, or a negative number if they differ
     * @return a new subject
     */
    default Subject create(final long keys, final long keyBytes, final int keyLength) {
        return create(keys, keyBytes);
    }

    /**
     * Memory for one subject.
     *
     * @param heapBytes on the Java heap
     * @param directBytes off the heap
     */
    record MemoryNeed(long heapBytes, long directBytes) {
    }
}
