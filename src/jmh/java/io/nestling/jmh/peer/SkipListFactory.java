/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;


/** The skip list of the JDK, the memtable of most LSM stores in Java. */
public final class SkipListFactory implements SubjectFactory {
    /** Room that the collector needs beside what is alive. */
    private static final double COLLECTOR_ROOM = 1.4;
    private static final long SHARED_VALUES_BYTES = 24L << 20;
    /** Node, half an index node, reference and header of the key's array, all padded. */
    private static final long ENTRY_BYTES = 64;

    /** Made by the service loader. */
    public SkipListFactory() {
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
    public String configuration() {
        return "ConcurrentSkipListMap<byte[], Integer> on the heap, Arrays::compareUnsigned, shared value objects;"
            + " bytes from the object layouts";
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return new MemoryNeed(SHARED_VALUES_BYTES + (long) (COLLECTOR_ROOM * (keys * ENTRY_BYTES + keyBytes)), 0);
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        return new PeerSubject(new SkipListIndex());
    }
}
