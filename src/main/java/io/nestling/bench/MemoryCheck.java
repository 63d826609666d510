/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bench.SubjectFactory.MemoryNeed;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;

import java.util.Locale;
import java.util.OptionalLong;

/** Checks before anything is loaded whether the memory suffices. */
record MemoryCheck(BenchmarkPlan plan, SystemMemory memory) {
    private static final int SAMPLE = 2_000;
    private static final long RUNTIME_BYTES = 64L << 20;
    /* Keys in two or three orders; offsets, payloads, and sums for the sorted keys. */
    private static final int COPIES = 3;
    private static final int BYTES_BESIDE_KEY = 24;
    private static final int UNIT = 1024;

    /** Checks all numbers of keys of a dataset; throws a {@link BenchmarkException} with the memory needed and available. */
    void check(final Dataset dataset) throws DatasetException {
        final int most = plan.keyCounts().stream().mapToInt(Integer::intValue).max().orElse(0);
        final KeySet sample = dataset.keys(Math.min(most, SAMPLE));
        for (final int keys : plan.keyCounts()) {
            check(dataset, keys, (long) ((double) sample.keyBytes() / sample.size() * keys));
        }
    }

    private void check(final Dataset dataset, final int keys, final long keyBytes) {
        final MemoryNeed need = need(keys, keyBytes);
        final String what = String.format(Locale.ROOT, "%,d keys of %s need about ", keys, dataset.name());
        if (need.heapBytes() > memory.heapBytes()) {
            throw new BenchmarkException(what + size(need.heapBytes()) + " of Java heap, there is "
                + size(memory.heapBytes()) + "; NESTLING_JAVA_OPTS=-Xmx" + gibibytes(need.heapBytes()) + "g gives more", null);
        }
        final long heapToCome = Math.max(0, need.heapBytes() - memory.usedHeapBytes());
        final OptionalLong available = memory.availableBytes();
        if (available.isPresent() && need.directBytes() + heapToCome > available.getAsLong()) {
            throw new BenchmarkException(what + size(need.directBytes()) + " off the heap and " + size(need.heapBytes())
                + " on it, the system has " + size(available.getAsLong()) + " left; --keys takes fewer", null);
        }
        final long direct = plan.subjects().stream().filter(SubjectFactory::usesDirectBuffers)
            .mapToLong(subject -> subject.memoryNeed(keys, keyBytes).directBytes()).sum();
        if (direct > memory.directBufferBytes()) {
            throw new BenchmarkException(what + size(direct) + " of direct buffers, the limit is "
                + size(memory.directBufferBytes()) + "; -XX:MaxDirectMemorySize=" + gibibytes(direct)
                + "g in NESTLING_JAVA_OPTS sets another one", null);
        }
    }

    /** Returns the memory for all subjects at the same time, and for the keys. */
    private MemoryNeed need(final long keys, final long keyBytes) {
        long heap = RUNTIME_BYTES + COPIES * (keyBytes + keys * BYTES_BESIDE_KEY) + queryBytes(keys, keyBytes);
        long direct = 0;
        for (final SubjectFactory subject : plan.subjects()) {
            final MemoryNeed need = subject.memoryNeed(keys, keyBytes);
            heap += need.heapBytes();
            direct += need.directBytes();
        }
        return new MemoryNeed(heap, direct);
    }

    private static long queryBytes(final long keys, final long keyBytes) {
        final long average = keyBytes / keys;
        return 2 * (average + BYTES_BESIDE_KEY) * KeyMaterial.queries(keys, average);
    }

    private static long gibibytes(final long bytes) {
        return (bytes >> 30) + 1;
    }

    static String size(final long bytes) {
        final double mebibytes = (double) bytes / UNIT / UNIT;
        return mebibytes < UNIT ? String.format(Locale.ROOT, "%.0f MiB", mebibytes)
            : String.format(Locale.ROOT, "%.1f GiB", mebibytes / UNIT);
    }
}
