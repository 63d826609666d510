/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Main class of a process: many virtual threads read and write once and stay; each keeps at most 8 KiB of heap. */
final class LeakingVirtualThreads {
    private static final long MOST_BYTES = 8 << 10;
    private static final int KEYS = 1000;

    private LeakingVirtualThreads() {
    }

    /**
     * Runs the threads.
     *
     * @param args number of threads
     */
    public static void main(final String[] args) throws Exception {
        final int threads = Integer.parseInt(args[0]);
        final Method start = Thread.class.getMethod("startVirtualThread", Runnable.class); // of JDK 21
        for (final IndexType index : IndexType.values()) {
            final long bytes = heapOfEach(start, index, threads);
            System.out.println(index + ": " + bytes + " bytes a thread");
            MemtableLife.check(bytes <= MOST_BYTES, "at most " + MOST_BYTES + " bytes a thread but " + bytes);
        }
    }

    private static long heapOfEach(final Method start, final IndexType index, final int threads) throws Exception {
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(index).shards(2).capacityBytes(64 << 20).build())) {
            for (int i = 0; i < KEYS; i++) {
                memtable.put(key(i), new byte[8]);
            }
            use(memtable, 0);
            final CountDownLatch done = new CountDownLatch(threads);
            final CountDownLatch end = new CountDownLatch(1);
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final long before = used();
            for (int i = 0; i < threads; i++) {
                final int number = i;
                start.invoke(null, (Runnable) () -> {
                    try {
                        use(memtable, number);
                        done.countDown();
                        end.await();
                    } catch (final Throwable e) {
                        failure.set(e);
                        done.countDown();
                    }
                });
            }
            final boolean all = done.await(1, TimeUnit.MINUTES);
            final long bytes = (used() - before) / threads;
            end.countDown();
            MemtableLife.check(all && failure.get() == null, "all threads do their work: " + failure.get());
            return bytes;
        }
    }

    private static byte[] key(final int i) {
        return ("key" + i % KEYS).getBytes(StandardCharsets.US_ASCII);
    }

    private static void use(final Memtable memtable, final int number) {
        final byte[] key = key(number);
        memtable.put(key, new byte[8]);
        MemtableLife.check(memtable.get(key) != null, "a get finds its key");
        final byte[][] keys = new byte[64][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = key(number + i);
        }
        MemtableLife.check(memtable.getAll(keys, new byte[64][]) == 64, "a batch finds its keys");
        try (EntryCursor cursor = memtable.cursor()) {
            MemtableLife.check(cursor.seek(key), "a cursor finds its key");
        }
    }

    private static long used() throws InterruptedException {
        final Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(20);
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
