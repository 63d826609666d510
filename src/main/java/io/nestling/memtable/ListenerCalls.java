/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls the listener of a memtable, and keeps what it throws away from it. The caller holds no lock of the memtable.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class ListenerCalls {
    private final Memtable memtable;
    /* Null for none. */
    private final MemtableListener listener;
    private final AtomicBoolean toldFull = new AtomicBoolean();

    /** Makes the calls of a memtable; without a listener, which is null then, they do nothing. */
    ListenerCalls(final Memtable memtable, final MemtableListener listener) {
        this.memtable = memtable;
        this.listener = listener;
    }

    /** Called after each write, whether it was refused or not. */
    void afterWrite() {
        if (listener != null && !toldFull.get() && memtable.hasNoRoom() && toldFull.compareAndSet(false, true)) {
            try {
                listener.full(memtable);
            } catch (final Throwable e) {
                log("full", e);
            }
        }
    }

    void frozen() {
        try {
            if (listener != null) {
                listener.frozen(memtable);
            }
        } catch (final Throwable e) {
            log("frozen", e);
        }
    }

    void flushed(final FlushResult result) {
        try {
            if (listener != null) {
                listener.flushed(memtable, result);
            }
        } catch (final Throwable e) {
            log("flushed", e);
        }
    }

    private void log(final String event, final Throwable thrown) {
        System.getLogger(ListenerCalls.class.getPackageName()).log(System.Logger.Level.WARNING,
            "listener " + listener.getClass().getName() + " threw at event " + event + " of " + memtable, thrown);
    }
}
