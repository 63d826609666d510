/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Optional;

/**
 * Creates subjects of one kind. {@link java.util.ServiceLoader} finds peers as providers of this interface.
 * <h2>Thread safety</h2>
 * Immutable.
 */
public interface SubjectFactory {
    /**
     * Returns the name for users.
     *
     * @return lower case with underscores, e.g. {@code cassandra_trie}
     */
    String subjectName();

    /**
     * Returns whether the subjects' indexes are {@link io.nestling.index.OrderedIndex}es.
     *
     * @return true if they have cursors
     */
    boolean ordered();

    /**
     * Returns whether several threads may write at the same time.
     *
     * @return false if writers must take turns
     */
    boolean concurrentWriters();

    /**
     * Returns whether the off-heap memory consists of direct buffers, which {@code -XX:MaxDirectMemorySize} limits.
     *
     * @return true if that limit matters
     */
    default boolean usesDirectBuffers() {
        return false;
    }

    /**
     * Returns whether garbage collections move the memory, so that its order depends on them. Such a subject is measured as
     * filled and after a full collection, and its better state counts.
     *
     * @return true if both states are to be measured
     */
    default boolean movedByCollector() {
        return false;
    }

    /**
     * Returns a factory of memtables, which hold values of one length; others may share the objects of their values.
     *
     * @param valueBytes length of each value, {@link Values#MIN_BYTES} to {@link Values#MAX_BYTES}
     * @return this factory if its subjects hold no values
     */
    default SubjectFactory withValues(final int valueBytes) {
        return this;
    }

    /**
     * Returns the configuration, with its reasons.
     *
     * @return a line for people
     */
    String configuration();

    /**
     * Returns the reason why subjects cannot run in this process, such as a missing flag.
     *
     * @return the reason and the remedy; empty if they can run
     */
    default Optional<String> obstacle() {
        return Optional.empty();
    }

    /**
     * Returns the greatest memory need of a subject, for a check before the load.
     *
     * @param keys number of keys
     * @param keyBytes sum of their lengths
     * @return bytes on and off the heap, with a margin
     */
    MemoryNeed memoryNeed(long keys, long keyBytes);

    /**
     * Creates an empty subject.
     *
     * @param keys greatest number of keys
     * @param keyBytes sum of their lengths
     * @return a new subject
     */
    Subject create(long keys, long keyBytes);

    /**
     * Creates an empty subject for keys of one length, which may have another configuration.
     *
     * @param keys greatest number of keys
     * @param keyBytes sum of their lengths
     * @param keyLength length of every key, or a negative number if they differ
     * @return a new subject
     */
    default Subject create(final long keys, final long keyBytes, final int keyLength) {
        return create(keys, keyBytes);
    }

    /**
     * The memory need of one subject.
     *
     * @param heapBytes on the Java heap
     * @param directBytes off the heap
     */
    record MemoryNeed(long heapBytes, long directBytes) {
    }
}
