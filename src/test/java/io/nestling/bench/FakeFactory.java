/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.testing.ReferenceIndex;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Subjects on a map of the JDK, which a test can make wrong, and which tell what was done to them. */
final class FakeFactory implements SubjectFactory {
    private static final long BYTES = 1L << 30;

    private final String name;
    private final UnaryOperator<OrderedIndex> fault;
    private final List<String> made;
    private boolean ordered = true;
    private MemoryNeed need = new MemoryNeed(0, 0);
    private boolean directBuffers;
    private boolean moved;
    private int open;

    FakeFactory(final String name) {
        this(name, index -> index);
    }

    FakeFactory(final String name, final UnaryOperator<OrderedIndex> fault) {
        this(name, fault, new CopyOnWriteArrayList<>());
    }

    FakeFactory(final String name, final UnaryOperator<OrderedIndex> fault, final List<String> made) {
        this.name = name;
        this.fault = fault;
        this.made = made;
    }

    FakeFactory unordered() {
        ordered = false;
        return this;
    }

    FakeFactory needing(final long heapBytes, final long directBytes) {
        need = new MemoryNeed(heapBytes, directBytes);
        return this;
    }

    FakeFactory onTheHeap() {
        moved = true;
        return this;
    }

    @Override
    public boolean movedByCollector() {
        return moved;
    }

    FakeFactory withDirectBuffers() {
        directBuffers = true;
        return this;
    }

    @Override
    public boolean usesDirectBuffers() {
        return directBuffers;
    }

    /** Number of subjects that were made and not closed. */
    int open() {
        return open;
    }

    @Override
    public String subjectName() {
        return name;
    }

    @Override
    public boolean ordered() {
        return ordered;
    }

    @Override
    public boolean concurrentWriters() {
        return false;
    }

    @Override
    public String configuration() {
        return "a map";
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return need;
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        made.add(name);
        open++;
        final OrderedIndex index = fault.apply(
            (OrderedIndex) ReferenceIndex.concurrentFactory().create(IndexContext.standalone(BYTES)));
        final PointIndex shown = ordered ? index : new PointsOnly(index);
        return new Subject() {
            @Override
            public PointIndex index() {
                return shown;
            }

            @Override
            public long indexBytes() {
                return 10 * index.entryCount();
            }

            @Override
            public long totalBytes() {
                return 25 * index.entryCount();
            }

            @Override
            public void close() {
                open--;
                shown.close();
            }
        };
    }

    /** An index without cursors. */
    static class PointsOnly implements PointIndex {
        private final OrderedIndex index;

        PointsOnly(final OrderedIndex index) {
            this.index = index;
        }

        @Override
        public long get(final byte[] key, final int offset, final int length) {
            return index.get(key, offset, length);
        }

        @Override
        public void getAll(final KeyBatch keys, final long[] payloads) {
            index.getAll(keys, payloads);
        }

        @Override
        public long put(final byte[] key, final int offset, final int length, final long payload) {
            return index.put(key, offset, length, payload);
        }

        @Override
        public long remove(final byte[] key, final int offset, final int length) {
            return index.remove(key, offset, length);
        }

        @Override
        public void reserve(final int entries, final long keyBytes) {
            index.reserve(entries, keyBytes);
        }

        @Override
        public long entryCount() {
            return index.entryCount();
        }

        @Override
        public long bytesUsed() {
            return index.bytesUsed();
        }

        @Override
        public void verify() {
            index.verify();
        }

        @Override
        public void close() {
            index.close();
        }
    }

    /** An index that passes everything on; tests make one thing wrong. */
    static class Passing extends PointsOnly implements OrderedIndex {
        private final OrderedIndex index;

        Passing(final OrderedIndex index) {
            super(index);
            this.index = index;
        }

        @Override
        public EntryCursor cursor() {
            return index.cursor();
        }
    }
}
