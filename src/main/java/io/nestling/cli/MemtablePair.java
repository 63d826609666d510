/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Two memtables: one is filled while the other one is flushed to a table. If the one being filled is full before the
 * flush has ended, filling waits.
 * <p>
 * Not thread-safe, except for {@link #abandon}.
 */
final class MemtablePair implements AutoCloseable {
    private static final long ABANDON_SECONDS = 10;

    private final LongFunction<MemtableOptions> options;
    private final FullMemtables receiver;
    private final LoadTotals totals;
    private final ExecutorService flusher = Executors.newSingleThreadExecutor(task -> {
        final Thread thread = new Thread(task, "nestling-flush");
        thread.setDaemon(true);
        return thread;
    });
    private Memtable filling;
    private long firstSequence;
    private Future<Void> flushing;
    private volatile boolean abandoned;

    /** Receives full memtables, one at a time. */
    interface FullMemtables {
        /** Stores the content of a frozen memtable, which the caller closes. */
        void write(Memtable full) throws IOException;
    }

    /**
     * Creates a pair with an empty memtable. Options are those for a given first sequence number. The receiver stores full
     * memtables in another thread; null if there is only one memtable.
     */
    MemtablePair(
        final LongFunction<MemtableOptions> options, final long firstSequence,
        final FullMemtables receiver, final LoadTotals totals) {
        this.options = options;
        this.receiver = receiver;
        this.totals = totals;
        this.firstSequence = firstSequence;
        filling = Memtable.open(options.apply(firstSequence));
    }

    /** Returns the memtable to write to. */
    Memtable filling() {
        return filling;
    }

    /** Returns whether nothing was written to {@link #filling()}. */
    boolean isEmpty() {
        return filling.lastSequence() < firstSequence;
    }

    /** Returns whether full memtables become tables. */
    boolean flushes() {
        return receiver != null;
    }

    /**
     * Waits for the previous flush, starts that of the current memtable, and opens a new one; throws if the previous flush
     * failed.
     */
    void rotate() throws IOException {
        final Memtable full = finishFilling();
        firstSequence = full.lastSequence() + 1;
        flushing = flusher.submit(() -> flush(full));
        filling = null;
        filling = Memtable.open(options.apply(firstSequence));
    }

    /** Flushes the current memtable and waits until it is on the disk; throws if a flush failed. */
    void finish() throws IOException {
        final boolean empty = isEmpty();
        final Memtable last = finishFilling();
        if (flushes() && !empty) {
            flushing = flusher.submit(() -> flush(last));
            filling = null;
            awaitFlush();
        }
    }

    private Memtable finishFilling() throws IOException {
        filling.freeze();
        totals.addMemtable(filling.stats());
        awaitFlush();
        return filling;
    }

    private Void flush(final Memtable full) throws IOException {
        try (full) {
            receiver.write(full);
        }
        return null;
    }

    /** Throws the failure of the current flush, if it has failed. */
    void checkFlush() throws IOException {
        if (flushing != null && flushing.isDone()) {
            awaitFlush();
        }
    }

    private void awaitFlush() throws IOException {
        if (flushing == null) {
            return;
        }
        final Future<Void> flush = flushing;
        try {
            flush.get();
            flushing = null;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a table was being written");
        } catch (final ExecutionException e) {
            flushing = null;
            throw new CommandException(Messages.of(e.getCause()), e.getCause());
        }
    }

    /** Aborts the current flush without a table, since the process ends. */
    void abandon() {
        abandoned = true;
        flusher.shutdownNow();
        try {
            flusher.awaitTermination(ABANDON_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether {@link #abandon} was called. */
    boolean abandoned() {
        return abandoned;
    }

    /** Waits for the current flush, discards the memtable being filled, and frees all memory. */
    @Override
    public void close() {
        flusher.shutdown();
        try {
            flusher.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            flusher.shutdownNow();
            Thread.currentThread().interrupt();
        }
        if (filling != null) {
            filling.close();
            filling = null;
        }
    }
}
