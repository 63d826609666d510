/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.bench.Subjects;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.workload.KeySet;

import java.util.Locale;

import org.openjdk.jmh.annotations.Param;

/** A subject, of this library or a peer, that may run here. */
public abstract class SubjectState extends KeyState {
    /** Name of a subject. */
    @Param({"trie", "cassandra_trie", "jdk_skip_list", "rocksdb_memtable"})
    public String index;

    /** The factory of the subject; throws if something keeps it from running. */
    final SubjectFactory factory() {
        final SubjectFactory factory = Subjects.ofName(index);
        factory.obstacle().ifPresent(obstacle -> {
            throw new IllegalStateException(index + " cannot run: " + obstacle);
        });
        return factory;
    }

    /** The factory of a subject that has cursors. */
    final SubjectFactory orderedFactory() {
        final SubjectFactory factory = factory();
        if (!factory.ordered()) {
            throw new IllegalStateException(index + " has no order: it cannot be walked");
        }
        return factory;
    }

    /** Puts keys {@code from} to {@code to} of a set that is in the order of payloads. */
    static void load(final PointIndex index, final KeySet keys, final int from, final int to) {
        for (int i = from; i < to; i++) {
            index.put(keys.array(i), keys.offset(i), keys.length(i), payload(i));
        }
    }

    /** The index of a subject from {@link #orderedFactory()}. */
    static OrderedIndex ordered(final Subject subject) {
        return (OrderedIndex) subject.index();
    }

    /** Prints what this run is about. */
    final void printHeader(final SubjectFactory factory, final Subject subject) {
        final double entries = Math.max(1, subject.index().entryCount());
        RunHeader.print(String.format(Locale.ROOT, "%s: %s%n%s, %,d keys: %.1f index bytes a key, %.1f with keys and values",
            index, factory.configuration(), dataset, keys, subject.indexBytes() / entries,
            subject.totalBytes() / entries));
    }
}
