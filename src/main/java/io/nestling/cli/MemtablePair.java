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
 * Two memtables at work: one is filled while the other one is written to a table. When the one being filled
 * is full before the other one is written, filling waits.
 * <p>
 * Used by one thread, {@link #abandon} by any.
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

    /** Takes memtables that are full, one at a time. */
    interface FullMemtables {
        /**
         * Writes what a memtable holds, so that it is kept.
         *
         * @param full a frozen memtable, which the caller closes
         */
        void write(Memtable full) throws IOException;
    }

    /**
     * Begins with an empty memtable.
     *
     * @param options of a memtable with a given first sequence number
     * @param firstSequence sequence number for the first write
     * @param receiver writes full memtables, in a thread of its own; null if one memtable has to do
     * @param totals counts memtables
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

    /** The memtable to write to. */
    Memtable filling() {
        return filling;
    }

    /** Whether nothing was written to {@link #filling()}. */
    boolean isEmpty() {
        return filling.lastSequence() < firstSequence;
    }

    /** Whether full memtables become tables. */
    boolean flushes() {
        return receiver != null;
    }

    /**
     * Hands the full memtable over to be written, when the one before is, and begins a new one.
     *
     * @throws IOException if the one before could not be written
     */
    void rotate() throws IOException {
        final Memtable full = finishFilling();
        firstSequence = full.lastSequence() + 1;
        flushing = flusher.submit(() -> flush(full));
        filling = null;
        filling = Memtable.open(options.apply(firstSequence));
    }

    /**
     * Writes what there is and waits until it is on the disk.
     *
     * @throws IOException if it could not be written
     */
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

    /**
     * Reports a failure of the flush under way at once, if it has one.
     *
     * @throws IOException if it failed
     */
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

    /** Ends a flush under way without a table, when the process is about to end. */
    void abandon() {
        abandoned = true;
        flusher.shutdownNow();
        try {
            flusher.awaitTermination(ABANDON_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether {@link #abandon} was called. */
    boolean abandoned() {
        return abandoned;
    }

    /**
     * Waits for a flush under way, drops what was not handed over, and gives all memory back.
     */
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
