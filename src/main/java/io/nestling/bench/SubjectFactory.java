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
    /** Returns the name for users, lower case with underscores, e.g. {@code cassandra_trie}. */
    String subjectName();

    /** Returns whether the subjects' indexes are {@link io.nestling.index.OrderedIndex}es. */
    boolean ordered();

    /** Returns whether several threads may write at the same time; otherwise writers must take turns. */
    boolean concurrentWriters();

    /** Returns whether the off-heap memory consists of direct buffers, which {@code -XX:MaxDirectMemorySize} limits. */
    default boolean usesDirectBuffers() {
        return false;
    }

    /**
     * Returns whether garbage collections move the memory, so that its order depends on them. Such a subject is measured as
     * filled and after a full collection, and its better state counts.
     */
    default boolean movedByCollector() {
        return false;
    }

    /**
     * Returns a factory of memtables, which hold values of one length, {@link Values#MIN_BYTES} to {@link Values#MAX_BYTES};
     * others may share the objects of their values. Returns this factory if its subjects hold no values.
     */
    default SubjectFactory withValues(final int valueBytes) {
        return this;
    }

    /** Returns the configuration, with its reasons, in a line for people. */
    String configuration();

    /**
     * Returns the reason why subjects cannot run in this process, such as a missing flag, and the remedy; empty if they can run.
     */
    default Optional<String> obstacle() {
        return Optional.empty();
    }

    /**
     * Returns the greatest memory need of a subject for a number of keys and the sum of their lengths, with a margin, for a check
     * before the load.
     */
    MemoryNeed memoryNeed(long keys, long keyBytes);

    /** Creates an empty subject for a greatest number of keys and the sum of their lengths. */
    Subject create(long keys, long keyBytes);

    /** Creates an empty subject for keys of one length (negative if they differ), which may have another configuration. */
    default Subject create(final long keys, final long keyBytes, final int keyLength) {
        return create(keys, keyBytes);
    }

    /** The memory need of one subject, on and off the Java heap. */
    record MemoryNeed(long heapBytes, long directBytes) {
    }
}
