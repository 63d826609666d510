/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Memory that no new reader can find, freed once the last reader that had found it has left. If it is still read after a
 * while, or belongs to an iterator that was never closed, another attempt follows whenever other memory is freed: a leak
 * is better than a read of freed memory.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class UnreadMemory {
    private static final Logger LOGGER = LoggerFactory.getLogger(UnreadMemory.class);
    private static final long MAX_WAIT_NANOS = 1_000_000_000L;
    private static final long PAUSE_NANOS = 100_000L;
    /* After two steps of the epoch, no reader is left that entered before the first one. */
    private static final int STEPS = 2;
    private static final ConcurrentLinkedQueue<UnreadMemory> STILL_READ = new ConcurrentLinkedQueue<>();

    private final ShardMemory memory;
    private int steps;

    private UnreadMemory(final ShardMemory memory) {
        this.memory = memory;
    }

    /** Frees memory, now or later. */
    static void closeOnceUnread(final ShardMemory memory) {
        for (final Iterator<UnreadMemory> others = STILL_READ.iterator(); others.hasNext();) {
            if (others.next().tryClose()) {
                others.remove();
            }
        }
        final UnreadMemory unread = new UnreadMemory(memory);
        final long start = System.nanoTime();
        while (!unread.tryClose()) {
            if (System.nanoTime() - start > MAX_WAIT_NANOS) {
                STILL_READ.add(unread);
                LOGGER.warn("A discarded memtable is still read: {} bytes are kept until it is not", memory.bytes());
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private synchronized boolean tryClose() {
        while (steps < STEPS) {
            if (!memory.epochs.tryAdvance()) {
                return false;
            }
            steps++;
        }
        if (steps == STEPS) {
            steps++;
            memory.close();
        }
        return true;
    }
}
