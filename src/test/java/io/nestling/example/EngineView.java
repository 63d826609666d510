/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.index.LookupResult;
import io.nestling.index.Versions;
import io.nestling.memtable.ReadView;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the engine consists of at one moment: memtables, the one that takes writes first, then from new to old, and tables. It
 * stays readable while a reader retains it, whatever is flushed and merged meanwhile. Any thread may use it.
 */
final class EngineView {
    final List<Generation> memtables;
    private final TableSet tables;
    /* One for being the current view, and one for each reader. */
    private final AtomicInteger references = new AtomicInteger(1);

    EngineView(final List<Generation> memtables, final TableSet tables) {
        this.memtables = List.copyOf(memtables);
        this.tables = tables;
        memtables.forEach(Generation::retain);
    }

    Generation active() {
        return memtables.get(0);
    }

    /** Returns whether the view is still in use: then the caller has to release it. */
    boolean tryRetain() {
        int count = references.get();
        while (count > 0 && !references.compareAndSet(count, count + 1)) {
            count = references.get();
        }
        return count > 0;
    }

    void release() {
        if (references.decrementAndGet() == 0) {
            memtables.forEach(Generation::release);
            try {
                tables.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the value of a key at a snapshot, or the newest one without: the first memtable or table that knows it tells. */
    byte[] get(final byte[] key, final EngineSnapshot snapshot) throws IOException {
        for (final Generation generation : memtables) {
            final ReadView reads = snapshot == null ? generation.memtable() : snapshot.reads(generation);
            final LookupResult found = reads == null ? LookupResult.ABSENT : reads.lookup(key);
            if (found.kind() != LookupResult.Kind.ABSENT) {
                return found.value();
            }
        }
        return snapshot == null ? tables.get(key) : tables.lookup(key, snapshot.sequence()).value();
    }

    /** Returns all versions at a snapshot, from new to old. The caller closes them. */
    List<Versions> versions(final EngineSnapshot snapshot) {
        final List<Versions> versions = new ArrayList<>();
        for (final Generation generation : memtables) {
            final ReadView reads = snapshot.reads(generation);
            if (reads != null) {
                versions.add(reads.versions());
            }
        }
        versions.addAll(tables.versions());
        return versions;
    }
}
