/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A limit for the memory of many structures together, such as all memtables of a process. Above the soft limit it asks for a
 * flush of the structure that its order puts first; at the hard limit writes wait for a flush that was asked for.
 * <p> A write that finds no memory waits only while a flush is outstanding: from the request, or from the freezing of a memtable,
 * until that memtable is closed. It ends with a {@link SpaceExhaustedException} if there is none, after the timeout, or when its
 * thread is interrupted, which stays interrupted.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. One request at a time is made, by a thread that writes, which holds no lock; the
 * receiver may write itself, and then neither waits nor makes requests. It must not wait for what its thread holds, such as an
 * open reservation of sequence numbers.
 *
 * @param <O> what has a share: a memtable
 */
public final class SharedBudget<O> implements AutoCloseable {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final long RECHECK_NANOS = 100_000_000L;
    private static final int SOFT_EIGHTHS = 7;

    final long hardBytes;
    private final long softBytes;
    final long timeoutNanos;
    private final Consumer<? super O> flush;
    private final Comparator<? super Use<O>> order;
    final AtomicLong used = new AtomicLong();
    /* The rest is guarded by this object's monitor; those that are volatile are read without it, too. */
    private final List<BudgetShare<O>> shares = new ArrayList<>();
    private volatile long beingFlushed;
    volatile long departures;
    volatile Thread asking;
    private long arrivals;
    private boolean closed;

    private SharedBudget(final Builder<O> builder) {
        this.hardBytes = builder.hardBytes;
        this.softBytes = builder.softBytes > 0 ? builder.softBytes : Math.max(1, hardBytes / 8 * SOFT_EIGHTHS);
        this.timeoutNanos = builder.timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : builder.timeout.toNanos();
        this.flush = builder.flush;
        this.order = builder.order;
    }

    /**
     * Returns a builder of a budget.
     *
     * @param limitBytes the hard limit: bytes that all structures may take together
     * @param flush asks for a flush of a structure, which its owner freezes, flushes and closes, at once or later, in any thread
     * @param <O> what has a share
     * @return a new builder
     * @throws IllegalArgumentException if the limit is not positive
     */
    public static <O> Builder<O> builder(final long limitBytes, final Consumer<? super O> flush) {
        return new Builder<>(limitBytes, flush);
    }

    /**
     * The memory that one structure takes.
     *
     * @param owner the structure
     * @param usedBytes bytes that it takes
     * @param number its number, in the order in which structures were opened
     * @param <O> type of the structure
     */
    public record Use<O>(O owner, long usedBytes, long number) {
    }

    /**
     * Returns the hard limit.
     *
     * @return bytes
     */
    public long limit() {
        return hardBytes;
    }

    /**
     * Returns the soft limit.
     *
     * @return bytes
     */
    public long softLimit() {
        return softBytes;
    }

    /**
     * Returns the memory in use.
     *
     * @return bytes, at most {@link #limit}
     */
    public long used() {
        return used.get();
    }

    /**
     * Returns what each open structure takes.
     *
     * @return a new list, in the order in which they were opened
     */
    public synchronized List<Use<O>> uses() {
        final List<Use<O>> uses = new ArrayList<>();
        for (final BudgetShare<O> share : shares) {
            if (share.owner != null) {
                uses.add(share.use());
            }
        }
        return uses;
    }

    /**
     * Opens a share, for a structure that sets itself as its owner before it is used.
     *
     * @return a new share
     * @throws IllegalStateException if the budget is closed
     */
    public synchronized BudgetShare<O> join() {
        if (closed) {
            throw new IllegalStateException("the shared budget is closed");
        }
        final BudgetShare<O> share = new BudgetShare<>(this, arrivals++);
        shares.add(share);
        return share;
    }

    /** Ends all waiting: writes that wait throw {@link IllegalStateException}, and so do later ones that find no memory. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    boolean tryAcquire(final long bytes) {
        long before = used.get();
        while (bytes <= hardBytes - before) {
            final long witness = used.compareAndExchange(before, before + bytes);
            if (witness == before) {
                return true;
            }
            before = witness;
        }
        return false;
    }

    boolean isAboveSoftLimit() {
        return used.get() - beingFlushed > softBytes;
    }

    /** Asks for the flush that comes first, unless another thread asks; returns false if none can be asked for. */
    boolean ask() {
        final BudgetShare<O> chosen;
        synchronized (this) {
            if (asking != null) {
                return true;
            }
            chosen = closed ? null : first();
            if (chosen == null) {
                return false;
            }
            begin(chosen);
            asking = Thread.currentThread();
        }
        boolean asked = false;
        try {
            flush.accept(chosen.owner);
            asked = true;
        } finally {
            chosen.isRefused = !asked; // by stores: a call might fail where the receiver has failed
            asking = null;
            wake();
        }
        return true;
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** Ends the flushes that their receiver has refused by an exception. */
    private void endRefused() {
        for (final BudgetShare<O> share : shares) {
            if (share.isRefused) {
                share.isRefused = false;
                end(share);
            }
        }
    }

    private boolean isAnyOutstanding() {
        endRefused();
        return asking != null || shares.stream().anyMatch(share -> share.outstanding);
    }

    /** Returns the share that comes first in the order and for which no flush is outstanding, or null. */
    private BudgetShare<O> first() {
        endRefused();
        BudgetShare<O> best = null;
        for (final BudgetShare<O> share : shares) {
            if (share.owner != null && !share.outstanding && share.used > share.leastUsed
                && (best == null || order.compare(share.use(), best.use()) < 0)) {
                best = share;
            }
        }
        return best;
    }

    private void begin(final BudgetShare<O> share) {
        if (!share.outstanding) {
            share.outstanding = true;
            share.counted = share.used;
            beingFlushed += share.counted;
        }
    }

    private void end(final BudgetShare<O> share) {
        if (share.outstanding) {
            share.outstanding = false;
            beingFlushed -= share.counted;
        }
    }

    synchronized void beginFlush(final BudgetShare<O> share) {
        share.isFrozen = true;
        begin(share);
        notifyAll();
    }

    synchronized void leave(final BudgetShare<O> share) {
        share.release(share.used); // what an error has left charged; first: all can be repeated up to the removal
        end(share);
        if (shares.remove(share)) {
            departures++;
            notifyAll();
        }
    }

    /**
     * Waits until a structure was closed since, until the structure of the share takes no writes, or until a deadline. Returns
     * false if no flush is outstanding.
     */
    synchronized boolean await(
        final BudgetShare<O> share, final long departuresBefore, final long deadline, final SpaceExhaustedException refusal) {
        while (departures == departuresBefore && !share.isFrozen) {
            if (closed) {
                throw new IllegalStateException("the shared budget is closed", refusal);
            }
            if (!isAnyOutstanding()) {
                return false;
            }
            final long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw exhausted("no flush has ended within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms", refusal);
            }
            try {
                // An error may have kept a thread from waking others.
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, RECHECK_NANOS));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw exhausted("the thread was interrupted", refusal);
            }
        }
        return true;
    }

    synchronized SpaceExhaustedException exhausted(final String reason, final SpaceExhaustedException refusal) {
        BudgetShare<O> largest = null;
        for (final BudgetShare<O> share : shares) {
            largest = largest == null || share.used > largest.used ? share : largest;
        }
        final SpaceExhaustedException e = new SpaceExhaustedException("expected at most " + hardBytes + " bytes in "
            + shares.size() + " memtables together but was more: " + used + " are in use, "
            + (largest == null ? 0 : largest.used) + " of them by the largest, " + (largest == null ? "" : largest.owner)
            + "; " + reason);
        e.initCause(refusal);
        return e;
    }

    /**
     * Builds budgets.
     *
     * @param <O> what has a share
     */
    public static final class Builder<O> {
        private final long hardBytes;
        private final Consumer<? super O> flush;
        private long softBytes;
        private Duration timeout = DEFAULT_TIMEOUT;
        private Comparator<? super Use<O>> order =
            Comparator.<Use<O>>comparingLong(Use::usedBytes).reversed().thenComparingLong(Use::number);

        private Builder(final long limitBytes, final Consumer<? super O> flush) {
            if (limitBytes <= 0) {
                throw new IllegalArgumentException("expected a limit of at least 1 byte but was " + limitBytes);
            }
            this.hardBytes = limitBytes;
            this.flush = Objects.requireNonNull(flush, "flush");
        }

        /**
         * Sets the soft limit, above which flushes are asked for; seven eighths of the hard one by default.
         *
         * @param bytes 1 to the hard limit
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder<O> softLimitBytes(final long bytes) {
            if (bytes < 1 || bytes > hardBytes) {
                throw new IllegalArgumentException("expected a soft limit of 1 to " + hardBytes + " bytes but was " + bytes);
            }
            this.softBytes = bytes;
            return this;
        }

        /**
         * Sets how long a write waits for a flush; 30 seconds by default.
         *
         * @param longest the time, not negative
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder<O> timeout(final Duration longest) {
            if (longest.isNegative()) {
                throw new IllegalArgumentException("expected a timeout of at least 0 but was " + longest);
            }
            this.timeout = longest;
            return this;
        }

        /**
         * Sets which structure is flushed first; by default the largest, and the oldest among equals.
         *
         * @param first orders those first that are to be flushed first
         * @return this
         */
        public Builder<O> order(final Comparator<? super Use<O>> first) {
            this.order = Objects.requireNonNull(first, "first");
            return this;
        }

        /**
         * Returns the budget.
         *
         * @return a new budget
         */
        public SharedBudget<O> build() {
            return new SharedBudget<>(this);
        }
    }
}
