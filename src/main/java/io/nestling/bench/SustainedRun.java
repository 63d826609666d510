/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;
import io.nestling.workload.KeySet;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;

/**
 * Puts and gets at a fixed rate, as a store has them: one thread puts, a second one gets keys that are in memory, and a third one
 * flushes each subject to a table file, which is then deleted. A subject is full at a quarter of the keys; the thread that puts
 * replaces it, and waits if two are not flushed yet. An operation's time begins when it is due: one that is held up by its
 * predecessor has that time too.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class SustainedRun {
    private static final String NAME = "sustained";
    private static final double NANOS = 1e9;
    private static final int PARTS = 4;
    private static final int MAX_FROZEN = 2;
    private static final int MANY_CORES = 4;
    private static final long SHORT_NANOS = 100_000;
    private static final long SEED = 0x73_7573_74L;
    /* Threads that spin would keep a flush from its core. */
    private static final boolean SPINS = Runtime.getRuntime().availableProcessors() >= MANY_CORES;

    private final SubjectFactory factory;
    private final KeySet keys;
    private final int[] payloads;
    private final int rate;
    private final int partKeys;
    private final Measurement puts;
    private final Measurement gets;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Semaphore room = new Semaphore(MAX_FROZEN);
    private final List<Future<?>> flushes = new ArrayList<>();
    /** From new to old. */
    private volatile List<Part> parts = List.of();
    private volatile long written;
    private volatile boolean failed;

    /** A subject, and the number of its first put. */
    private record Part(Target target, long first) {
    }

    /** Prepares a run on subjects of a kind, with a number of puts, and as many gets, a second. */
    SustainedRun(final SubjectFactory factory, final KeyMaterial material, final int rate) {
        this.factory = factory;
        this.keys = material.keys();
        this.payloads = material.payloads();
        this.rate = rate;
        this.partKeys = Math.max(1, keys.size() / PARTS);
        this.puts = new Measurement(subject());
        this.gets = new Measurement(subject());
    }

    /** Runs for a time, once. */
    void run(final long nanos) {
        final ExecutorService flusher = Executors.newSingleThreadExecutor();
        try (WorkerThreads workers = new WorkerThreads(2, false)) {
            put(0, flusher);
            workers.run(thread -> {
                try {
                    paced(nanos, thread == 0 ? puts : gets, thread == 0 ? i -> put(i + 1, flusher) : i -> get());
                    return thread;
                } catch (final RuntimeException | Error e) {
                    failed = true;
                    throw e;
                }
            });
            for (final Future<?> flush : flushes) {
                flush.get();
            }
            if (flushes.isEmpty()) {
                bytes(parts.get(0), (int) written);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchmarkException("interrupted", e);
        } catch (final ExecutionException e) {
            throw failure(e.getCause());
        } catch (final RuntimeException e) {
            throw failure(e);
        } finally {
            close(flusher);
        }
    }

    private BenchmarkException failure(final Throwable cause) {
        return cause instanceof BenchmarkException failure ? failure
            : new BenchmarkException(subject() + " failed in workload " + NAME + ": " + cause, cause);
    }

    private void close(final ExecutorService flusher) {
        flusher.shutdownNow();
        try {
            if (flusher.awaitTermination(1, TimeUnit.HOURS)) { // else a flush may still read the subjects
                parts.forEach(part -> part.target.subject().close());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs operations when they are due, as many as the rate asks for unless they take too long. */
    private void paced(final long nanos, final Measurement measurement, final LongConsumer operation) {
        final Histogram latencies = LatencyPercentiles.newHistogram();
        final double interval = NANOS / rate;
        final long start = System.nanoTime();
        long now = start;
        long count = 0;
        while (now - start < nanos && !failed) {
            final long due = start + (long) (count * interval);
            awaitTime(due);
            operation.accept(count++);
            now = System.nanoTime();
            latencies.recordValue(Math.max(0, now - due));
        }
        measurement.add(count * NANOS / Math.max(1, now - start));
        measurement.latency(LatencyPercentiles.of(latencies));
    }

    private static void awaitTime(final long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (SPINS && left < SHORT_NANOS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(left);
            }
        }
    }

    private void put(final long number, final ExecutorService flusher) {
        if (number % partKeys == 0) {
            rotate(number, flusher);
        }
        final Part active = parts.get(0);
        final int key = key(number);
        if (active.target.write(keys.array(key), keys.offset(key), keys.length(key), payloads[key]) != PointIndex.NONE) {
            throw wrong();
        }
        written = number + 1;
    }

    private int key(final long number) {
        return (int) (number % ((long) partKeys * PARTS) % keys.size());
    }

    private void rotate(final long number, final ExecutorService flusher) {
        final Part full = parts.isEmpty() ? null : parts.get(0);
        if (full != null) {
            room.acquireUninterruptibly();
        }
        final Subject subject = factory.create(partKeys, keysOf(number).keyBytes(), keys.commonLength());
        change(new Part(new Target(factory, subject, 2), number), null);
        if (full != null) {
            flushes.add(flusher.submit(() -> flush(full))); // when there is another one: it takes the full one away
        }
    }

    private KeySet keysOf(final long first) {
        return keys.slice(key(first), key(first) + partKeys);
    }

    private synchronized void change(final Part added, final Part removed) {
        final List<Part> changed = new ArrayList<>(parts);
        if (added != null) {
            changed.add(0, added);
        }
        changed.remove(removed);
        lock.writeLock().lock(); // no get is at work in what is removed
        try {
            parts = List.copyOf(changed);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void flush(final Part full) {
        try {
            final FlushWorkload flush = new FlushWorkload(WorkloadType.SUSTAINED_PUT, keysOf(full.first));
            bytes(full, partKeys);
            try (ChunkRunner runner = flush.open(full.target, 0)) {
                if (runner.run(0) != flush.expected(0, 0)) {
                    throw wrong();
                }
            }
            change(null, full);
            full.target.subject().close();
        } catch (final RuntimeException | Error e) {
            failed = true;
            throw e;
        } finally {
            room.release();
        }
    }

    private void bytes(final Part part, final int count) {
        puts.bytes(part.target.subject(), count);
        gets.bytes(part.target.subject(), count);
    }

    /** Gets a random key of those in memory: from the newest subject that has it. */
    private void get() {
        lock.readLock().lock();
        try {
            final List<Part> all = parts;
            final long oldest = all.get(all.size() - 1).first;
            if (written == oldest) {
                return; // all others were flushed before the first put of the newest
            }
            final int key = key(oldest + random.nextLong(written - oldest));
            long found = PointIndex.NONE;
            for (int i = 0; i < all.size() && found == PointIndex.NONE; i++) {
                found = all.get(i).target.read(keys.array(key), keys.offset(key), keys.length(key));
            }
            if (found != payloads[key]) {
                throw wrong();
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    private BenchmarkException wrong() {
        return new BenchmarkException(subject() + " gave wrong answers in workload " + NAME, null);
    }

    String subject() {
        return factory.subjectName();
    }

    Measurement puts() {
        return puts;
    }

    Measurement gets() {
        return gets;
    }

    /** Returns the number of subjects flushed. */
    int flushed() {
        return flushes.size();
    }
}
