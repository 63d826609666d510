/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.bench.Values;

/** The skip list of the JDK, the memtable of most LSM stores in Java. */
public final class SkipListFactory implements SubjectFactory {
    /** Room that the collector needs beside what is alive. */
    private static final double COLLECTOR_ROOM = 1.4;
    /** Node, half an index node, references and headers of the two arrays, all padded. */
    private static final long ENTRY_BYTES = 88;

    private final int valueBytes;

    /** Made by the service loader. */
    public SkipListFactory() {
        this(Values.MIN_BYTES);
    }

    private SkipListFactory(final int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    public String subjectName() {
        return "jdk_skip_list";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean concurrentWriters() {
        return true;
    }

    @Override
    public boolean movedByCollector() {
        return true;
    }

    @Override
    public SubjectFactory withValues(final int bytes) {
        return new SkipListFactory(bytes);
    }

    @Override
    public String configuration() {
        return "ConcurrentSkipListMap<byte[], byte[]> on the heap, Arrays::compareUnsigned, values of " + valueBytes
            + " bytes; bytes from the object layouts";
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return new MemoryNeed((long) (COLLECTOR_ROOM * (keys * (ENTRY_BYTES + valueBytes) + keyBytes)), 0);
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        return new PeerSubject(new SkipListIndex(valueBytes));
    }
}
