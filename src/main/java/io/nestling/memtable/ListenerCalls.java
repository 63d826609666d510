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
    /** Calls nobody. */
    static final ListenerCalls NONE = new ListenerCalls(null, new MemtableListener() { });

    private final Memtable memtable;
    private final MemtableListener listener;
    private final AtomicBoolean toldFull = new AtomicBoolean();

    private ListenerCalls(final Memtable memtable, final MemtableListener listener) {
        this.memtable = memtable;
        this.listener = listener;
    }

    /** Returns the events of a memtable, whose listener may be null. */
    static ListenerCalls of(final Memtable memtable, final MemtableListener listener) {
        return listener == null ? NONE : new ListenerCalls(memtable, listener);
    }

    /** Called after each write, whether it was refused or not. */
    void afterWrite() {
        if (!toldFull.get() && memtable.hasNoRoom() && toldFull.compareAndSet(false, true)) {
            try {
                listener.full(memtable);
            } catch (final Throwable e) {
                log("full", e);
            }
        }
    }

    void frozen() {
        try {
            listener.frozen(memtable);
        } catch (final Throwable e) {
            log("frozen", e);
        }
    }

    void flushed(final FlushResult result) {
        try {
            listener.flushed(memtable, result);
        } catch (final Throwable e) {
            log("flushed", e);
        }
    }

    private void log(final String event, final Throwable thrown) {
        System.getLogger(ListenerCalls.class.getPackageName()).log(System.Logger.Level.WARNING,
            "listener " + listener.getClass().getName() + " threw at event " + event + " of " + memtable, thrown);
    }
}
