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
 * <p> Longer than 450 lines: half of them document the public methods.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. One request at a time is made, by a thread that writes, which holds no lock; the
 * receiver may write itself, and then neither waits nor makes requests.
 *
 * @param <O> what has a share: a memtable
 */
public final class SharedBudget<O> implements AutoCloseable {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final long RECHECK_NANOS = 100_000_000L;
    private static final int SOFT_EIGHTHS = 7;

    private final long hardBytes;
    private final long softBytes;
    private final long timeoutNanos;
    private final Consumer<? super O> flush;
    private final Comparator<? super Use<O>> order;
    private final AtomicLong used = new AtomicLong();
    /* The rest is guarded by this object's monitor; those that are volatile are read without it, too. */
    private final List<Share<O>> shares = new ArrayList<>();
    private volatile long beingFlushed;
    private volatile long departures;
    private volatile Thread asking;
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
     * What one structure takes.
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
        for (final Share<O> share : shares) {
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
    public synchronized Share<O> join() {
        if (closed) {
            throw new IllegalStateException("the shared budget is closed");
        }
        final Share<O> share = new Share<>(this, arrivals++);
        shares.add(share);
        return share;
    }

    /** Ends all waiting: writes that wait throw {@link IllegalStateException}, and so do later ones that find no memory. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private boolean tryAcquire(final long bytes) {
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

    private boolean isAboveSoftLimit() {
        return used.get() - beingFlushed > softBytes;
    }

    /** Asks for the flush that comes first, unless another thread asks; returns whether it did. */
    private boolean ask() {
        final Share<O> chosen;
        synchronized (this) {
            chosen = asking == null && !closed ? first() : null;
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
        for (final Share<O> share : shares) {
            if (share.isRefused) {
                share.isRefused = false;
                end(share);
            }
        }
    }

    private synchronized boolean isAnyOutstanding() {
        endRefused();
        return asking != null || shares.stream().anyMatch(share -> share.outstanding);
    }

    /** Returns the share that comes first in the order and for which no flush is outstanding, or null. */
    private Share<O> first() {
        endRefused();
        Share<O> best = null;
        for (final Share<O> share : shares) {
            if (share.owner != null && !share.outstanding && share.used > share.leastUsed
                && (best == null || order.compare(share.use(), best.use()) < 0)) {
                best = share;
            }
        }
        return best;
    }

    private void begin(final Share<O> share) {
        if (!share.outstanding) {
            share.outstanding = true;
            share.counted = share.used;
            beingFlushed += share.counted;
        }
    }

    private void end(final Share<O> share) {
        if (share.outstanding) {
            share.outstanding = false;
            beingFlushed -= share.counted;
        }
    }

    private synchronized void beginFlush(final Share<O> share) {
        share.isFrozen = true;
        begin(share);
        notifyAll();
    }

    private synchronized void leave(final Share<O> share) {
        share.release(share.used); // what an error has left charged; first: all can be repeated up to the removal
        end(share);
        if (shares.remove(share)) {
            departures++;
            notifyAll();
        }
    }

    /** Waits until a structure was closed since, until the structure of the share takes no writes, or until a deadline. */
    private synchronized void await(
        final Share<O> share, final long departuresBefore, final long deadline, final SpaceExhaustedException refusal) {
        while (departures == departuresBefore && !share.isFrozen) {
            if (closed) {
                throw new IllegalStateException("the shared budget is closed", refusal);
            }
            if (!isAnyOutstanding()) {
                throw exhausted("no flush is outstanding", refusal);
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
    }

    private SpaceExhaustedException exhausted(final String reason, final SpaceExhaustedException refusal) {
        Share<O> largest = null;
        for (final Share<O> share : shares) {
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
     * The share of one structure in a budget.
     * <h2>Thread safety</h2>
     * All methods may be called by any thread.
     *
     * @param <O> type of the structure
     */
    public static final class Share<O> {
        private final SharedBudget<O> budget;
        private final long number;
        /* Written under the monitor of the structure's MemoryBudget, behind the count of all shares: no call lies between. */
        private volatile long used;
        /* Guarded by the budget's monitor. */
        private volatile O owner;
        /* What the empty structure takes. */
        private long leastUsed;
        private boolean outstanding;
        private boolean isFrozen;
        private long counted;
        /* Whether the receiver of a request for this share has thrown. Written without the monitor. */
        private volatile boolean isRefused;
        private final AtomicLong refusals = new AtomicLong();

        private Share(final SharedBudget<O> budget, final long number) {
            this.budget = budget;
            this.number = number;
        }

        private Use<O> use() {
            return new Use<>(owner, used, number);
        }

        /**
         * Says whose share it is: from now on the budget may ask for its flush.
         *
         * @param structure the owner
         * @param emptyBytes what it takes while it is empty
         */
        public void setOwner(final O structure, final long emptyBytes) {
            leastUsed = emptyBytes;
            owner = Objects.requireNonNull(structure, "structure");
        }

        long limit() {
            return budget.hardBytes;
        }

        long remaining() {
            return budget.hardBytes - budget.used.get();
        }

        /**
         * Charges bytes if they fit below the hard limit.
         *
         * @param bytes number of bytes
         * @param isNeeded whether a write needs them, which then waits for a flush
         * @return whether they were charged
         */
        boolean tryAcquire(final long bytes, final boolean isNeeded) {
            if (!budget.tryAcquire(bytes)) {
                if (isNeeded) {
                    refusals.incrementAndGet();
                }
                return false;
            }
            used += bytes;
            return true;
        }

        boolean hasRoom(final long bytes) {
            final boolean has = bytes <= remaining();
            if (!has) {
                refusals.incrementAndGet();
            }
            return has;
        }

        void release(final long bytes) {
            budget.used.addAndGet(-bytes);
            used -= bytes;
        }

        /** Asks for flushes if the soft limit is exceeded. Called before a write, without any lock. */
        public void beforeWrite() {
            boolean asked = true;
            while (asked && budget.isAboveSoftLimit() && budget.asking == null) {
                asked = budget.ask();
            }
        }

        /**
         * Returns how often the share was refused memory, and how many structures were closed, to be passed to {@link #await}.
         *
         * @return two numbers in one
         */
        public long moment() {
            return refusals.get() << Integer.SIZE | budget.departures & 0xFFFF_FFFFL;
        }

        /**
         * Waits for a flush after a write was refused. Returns if the write should be tried again, else throws.
         *
         * @param moment {@link #moment} before the write
         * @param deadline the result of the call before for the same write, 0 at first
         * @param refusal the exception of the write, thrown again if the budget has not refused memory since
         * @return the moment at which waiting for the write ends
         * @throws SpaceExhaustedException if no flush is outstanding, after the timeout, or if the thread is interrupted
         * @throws IllegalStateException if the budget is closed
         */
        public long await(final long moment, final long deadline, final SpaceExhaustedException refusal) {
            if ((int) (moment >>> Integer.SIZE) == (int) refusals.get() || budget.asking == Thread.currentThread()) {
                throw refusal;
            }
            final long end = deadline == 0 ? System.nanoTime() + budget.timeoutNanos : deadline;
            if (!budget.isAnyOutstanding()) {
                budget.ask();
            }
            final long before = budget.departures & ~0xFFFF_FFFFL | moment & 0xFFFF_FFFFL;
            budget.await(this, before, end, refusal);
            return end;
        }

        /** Says that the structure takes no more writes and is being flushed. */
        public void beginFlush() {
            budget.beginFlush(this);
        }

        /** Ends the share, after all its memory was released. May be called again. */
        public void leave() {
            budget.leave(this);
        }
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
