/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bridge.MemoryAdvice;
import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Prefaults the huge pages behind the part of a slab that is in use: a thread of its own has the system populate them. A writer
 * that populates a page waits a third of a millisecond to several, and cannot be stopped for a safepoint meanwhile.
 * <p>
 * It requests at most a sixteenth of the part in use, at most {@value #MOST_BYTES} bytes, at a time. The {@link GrowingSlab}
 * has charged the pages by then; they stay until the slab is closed. If the system refuses one, what was charged ahead is
 * used up as the slab grows. One daemon thread serves all slabs of the process and ends
 * when it has no work. If the system or the bridge cannot prefault, or the system property {@value #PREFAULT_PROP_NAME} is false,
 * memory is taken as it is touched.
 * <h2>Thread safety</h2>
 * One thread at a time changes the part in use or closes.
 */
final class PagePrefaulter implements Runnable, AutoCloseable {
    /** System property that switches it off. */
    static final String PREFAULT_PROP_NAME = "io.nestling.prefault";
    /** Maximum number of bytes that are populated ahead of one slab's part in use. */
    static final long MOST_BYTES = 4 * MemoryBudget.SLAB_BYTES;
    private static final int SHARE = 16;
    private static final int MOST_SLABS = 1 << 10;
    /* Short, since an idle thread keeps the class loader of this class alive. */
    private static final long IDLE_SECONDS = 1;
    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean ENABLED = Boolean.parseBoolean(System.getProperty(PREFAULT_PROP_NAME, "true"));
    private static final ThreadPoolExecutor POPULATING = new ThreadPoolExecutor(
        1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_SLABS), PagePrefaulter::newThread,
        (refused, executor) -> ((PagePrefaulter) refused).forget());

    static {
        POPULATING.allowCoreThreadTimeOut(true);
    }

    private Slab slab;
    private volatile boolean queued;
    /* False once the slab is closed or the system has refused. */
    private volatile boolean possible;
    private volatile long used;
    private volatile long wanted;
    /* End of the pages that are populated, or being so; 0 before the first. Changed by the thread that populates, under this
       object's monitor. */
    private volatile long next;

    /** Sets the slab to serve; called once. */
    void serve(final Slab served) {
        slab = served;
        possible = ENABLED && BRIDGE.isNative() && served.zeroed() && served.address(0) != 0;
    }

    boolean isPossible() {
        return possible;
    }

    private static Thread newThread(final Runnable work) {
        final Thread thread = new Thread(null, work, "nestling-prefault", 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(null);
        return thread;
    }

    /**
     * Returns the end of the pages that should be populated, now that the part in use has grown step by step, within {@code room}
     * bytes behind its end; 0 for none, also if the part grew by much at once.
     */
    long endFor(final long before, final long end, final long room) {
        final long bytes = Math.min(Math.min(end / SHARE, MOST_BYTES), Math.min(room, slab.size() - end));
        final long to = end + bytes & -MemoryBudget.SLAB_BYTES;
        return !possible || end - before > end / SHARE || to <= pageEnd(end) ? 0 : to;
    }

    /**
     * Requests the pages from the end of the part in use up to another one. Returns immediately, and false if no thread will
     * populate them: the writer takes the memory as it touches it.
     */
    boolean populate(final long end, final long to) {
        used = pageEnd(end);
        wanted = to;
        if (!queued) {
            queued = true; // by one thread: that which grows the part in use
            try {
                POPULATING.execute(this);
            } catch (final Error e) { // no heap, no thread or no stack
                wanted = 0;
                queued = false;
            }
        }
        return wanted != 0;
    }

    private static long pageEnd(final long end) {
        return end + MemoryBudget.SLAB_BYTES - 1 & -MemoryBudget.SLAB_BYTES;
    }

    /**
     * Cancels the request, since the part in use became smaller; returns the end of the pages that are populated, 0 if none is.
     */
    long shrunk() {
        // Here wanted is written before next is read, in populatePage next before wanted is read. So a page of which this thread
        // does not know is one that the other thread leaves alone.
        wanted = 0;
        return next;
    }

    private void forget() {
        wanted = 0;
        queued = false;
    }

    /** Populates the requested pages one by one, so that closing the slab waits for one page at most. */
    @Override
    public void run() {
        queued = false; // a request from here on puts this object into the queue again
        try {
            boolean more;
            do {
                more = populatePage();
            } while (more);
        } catch (final RuntimeException | Error e) {
            possible = false; // writers lose nothing but time
        }
    }

    private synchronized boolean populatePage() {
        // Read in the opposite order of the writes: an end beside the start of an earlier request would cover pages in use.
        final long end = wanted;
        final long before = next;
        final long page = Math.max(before, used);
        if (!possible || page >= end) {
            return false;
        }
        next = page + MemoryBudget.SLAB_BYTES;
        if (next > wanted) { // read anew, see shrunk
            next = before;
            return false;
        }
        if (BRIDGE.advise(slab.address(page), MemoryBudget.SLAB_BYTES, MemoryAdvice.POPULATE) != 0) {
            possible = false;
            return false;
        }
        return true;
    }

    /** Ends prefaulting; no page is populated afterwards. */
    @Override
    public void close() {
        possible = false; // before the monitor, which a thread with more pages to populate could take again at once
        synchronized (this) {
            wanted = 0;
        }
    }
}
