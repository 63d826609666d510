/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import java.time.LocalTime;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A load on a cluster: one thread writes rows at a given rate, reads back partitions of those that were acknowledged, and prints
 * a line every few seconds.
 */
final class ClusterLoad implements AutoCloseable {
    private static final int BURSTS_PER_SECOND = 10;
    private static final int WRITES_PER_READ = 5;
    private static final long REPORT_NANOS = 3_000_000_000L;

    private final CqlSession session;
    private final Ledger ledger;
    private final Random random = new Random(1);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Thread thread = new Thread(this::run, "load");
    private volatile int rate;
    private volatile String wrong;
    private int reads;
    private int failedReads;

    ClusterLoad(final CqlSession session, final Ledger ledger) {
        this.session = session;
        this.ledger = ledger;
        thread.setDaemon(true);
        thread.start();
    }

    /** Sets the number of writes a second; 0 for none. */
    void setRate(final int writesPerSecond) {
        rate = writesPerSecond;
    }

    /** Returns the first wrong answer; null if there was none. */
    String wrong() {
        return wrong;
    }

    private void run() {
        long reported = System.nanoTime();
        int acknowledged = 0;
        int failed = 0;
        while (!stop.get()) {
            final long next = System.nanoTime() + 1_000_000_000L / BURSTS_PER_SECOND;
            final int writes = rate / BURSTS_PER_SECOND;
            if (writes > 0) {
                try {
                    ledger.write(session, writes, stop);
                } catch (final DriverException e) {
                    failedReads++; // the statement could not be prepared: no node takes requests
                }
                read(writes / WRITES_PER_READ);
            }
            final long now = System.nanoTime();
            if (now - reported >= REPORT_NANOS) {
                if (ledger.acknowledged() > acknowledged || ledger.failed() > failed) {
                    System.out.printf(Locale.ROOT,
                            "  %s  %.0f writes/s, longest %.0f ms, %d not acknowledged; %.0f reads/s, %d failed%n",
                            LocalTime.now().withNano(0), (ledger.acknowledged() - acknowledged) * 1e9 / (now - reported),
                            ledger.takeLongestSeconds() * 1e3, ledger.failed() - failed, reads * 1e9 / (now - reported),
                            failedReads);
                }
                acknowledged = ledger.acknowledged();
                failed = ledger.failed();
                reads = 0;
                failedReads = 0;
                reported = now;
            }
            Node.sleep(Math.max(1, (next - System.nanoTime()) / 1_000_000));
        }
    }

    private void read(final int partitions) {
        if (ledger.acknowledged() == 0) {
            return;
        }
        for (int i = 0; i < partitions && !stop.get(); i++) {
            try {
                final List<String> problems = ledger.checkPartitions(session, 1, random);
                reads++;
                if (!problems.isEmpty() && wrong == null) {
                    wrong = problems.toString();
                    System.out.println("WRONG: " + wrong);
                }
            } catch (final DriverException e) {
                failedReads++;
            }
        }
    }

    @Override
    public void close() {
        stop.set(true);
        try {
            thread.join();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
