/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.index.EntryCursor;
import io.nestling.index.VisibleCursor;
import io.nestling.memtable.ReadView;
import io.nestling.memtable.Snapshot;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What the engine held at one moment: a sequence number. Flushes and merges keep the versions that it sees, in whatever memtable
 * or table they come to be. Any thread may read; a cursor belongs to one thread.
 */
public final class EngineSnapshot implements AutoCloseable {
    private final ExampleEngine engine;
    private final Generation generation;
    /* Has the flush of its memtable keep what it sees. */
    private final Snapshot newest;
    private final Queue<EngineView> retained = new ConcurrentLinkedQueue<>();

    EngineSnapshot(final ExampleEngine engine, final Generation generation) {
        this.engine = engine;
        this.generation = generation;
        this.newest = generation.memtable().snapshot();
    }

    long sequence() {
        return newest.sequence();
    }

    /** Returns how to read a memtable at this snapshot; null if its writes are newer. */
    ReadView reads(final Generation read) {
        return read == generation ? newest : read.firstSequence() > sequence() ? null : read.memtable();
    }

    /** Returns a copy of the value of a key; null if there is none. */
    public byte[] get(final byte[] key) throws IOException {
        final EngineView view = engine.retainView();
        try {
            return view.get(key, this);
        } finally {
            view.release();
        }
    }

    /** Returns an unpositioned cursor over all keys with values. What it reads is kept until the snapshot is closed. */
    public EntryCursor scan() {
        final EngineView view = engine.retainView();
        retained.add(view);
        return VisibleCursor.of(view.versions(this), sequence());
    }

    @Override
    public void close() {
        newest.close();
        engine.forget(this);
        for (EngineView view = retained.poll(); view != null; view = retained.poll()) {
            view.release();
        }
    }
}
