/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.WriteBatch;
import io.nestling.workload.DatasetException;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.DatasetReader;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/**
 * Writes the lines of files to memtables, in batches.
 * <p>
 * Not thread-safe.
 */
final class Loader {
    private static final int BATCH_LINES = 64;
    private static final long BATCH_BYTES = 1 << 20;

    private final MemtablePair memtables;
    private final LoadTotals totals;
    private final Progress progress;
    private final PrintStream err;
    private final long memoryBytes;
    private final WriteBatch batch = new WriteBatch();
    private long batchBytes;
    private String file;
    private long firstLine;

    /** Creates a loader into memtables of {@code memoryBytes} each. */
    Loader(
        final MemtablePair memtables, final LoadTotals totals, final Progress progress, final PrintStream err,
        final long memoryBytes) {
        this.memtables = memtables;
        this.totals = totals;
        this.progress = progress;
        this.err = err;
        this.memoryBytes = memoryBytes;
    }

    /** Writes all lines of files and waits until the last memtable is finished; a format of null is derived from each name. */
    void load(final List<InputFile> files, final DatasetFormat format) throws IOException {
        final long started = System.nanoTime();
        long bytesBefore = 0;
        for (final InputFile input : files) {
            load(input, format, bytesBefore, started);
            bytesBefore += input.bytesRead();
        }
        memtables.finish();
    }

    private void load(
        final InputFile input, final DatasetFormat format, final long bytesBefore, final long started)
        throws IOException {
        final int maxValueBytes = (int) Math.min(memoryBytes, Integer.MAX_VALUE);
        try (DatasetReader reader = input.reader(format, maxValueBytes)) {
            file = reader.name();
            while (reader.next()) {
                if (batch.size() == 0) {
                    firstLine = reader.lineNumber();
                }
                final byte[] key = reader.key();
                final byte[] value = reader.value();
                if (reader.lineNumber() == 1) {
                    progress.clear();
                    InvisibleBytes.warn("nestling load: ", reader, err);
                }
                batch.put(key, value);
                batchBytes += key.length + value.length;
                if (batch.size() == BATCH_LINES || batchBytes >= BATCH_BYTES) {
                    writeBatch();
                    progress.update(bytesBefore + input.bytesRead(), () -> progressText(started));
                }
            }
            writeBatch();
        }
    }

    private String progressText(final long started) {
        final double seconds = (System.nanoTime() - started) / 1e9;
        return Figures.count(totals.keys) + " keys, " + Figures.count((long) (totals.keys / seconds))
            + " keys/s, " + Figures.countOf(totals.tables, "table", "tables");
    }

    private void writeBatch() throws IOException {
        if (batch.size() == 0) {
            return;
        }
        memtables.checkFlush();
        if (write(batch)) {
            totals.addLines(batch.size(), batchBytes);
        } else {
            writeSingly();
        }
        batch.clear();
        batchBytes = 0;
        if (memtables.flushes() && memtables.filling().isFull() && !memtables.isEmpty()) {
            rotate();
        }
    }

    /** Writes the lines of a batch that is too large for one memtable. */
    private void writeSingly() throws IOException {
        final WriteBatch single = new WriteBatch();
        long line = firstLine;
        for (final WriteBatch.Operation write : batch) {
            single.clear();
            single.put(write.key(), write.value());
            final int bytes = write.key().length + write.value().length;
            if (!write(single)) {
                throw new DatasetException(file, line, "a line of " + bytes
                    + " bytes does not fit into an empty memtable of " + Figures.bytes(memoryBytes), null);
            }
            totals.addLines(1, bytes);
            line++;
        }
    }

    /** Writes to the current memtable or, if that has no space, to a new one; returns false if a new one has none either. */
    private boolean write(final WriteBatch writes) throws IOException {
        if (tryWrite(writes)) {
            return true;
        }
        if (memtables.isEmpty()) {
            return false;
        }
        rotate();
        return tryWrite(writes);
    }

    private boolean tryWrite(final WriteBatch writes) {
        try {
            memtables.filling().write(writes);
            return true;
        } catch (final SpaceExhaustedException e) {
            return false;
        }
    }

    private void rotate() throws IOException {
        if (!memtables.flushes()) {
            throw new CommandException("the memtable of " + Figures.bytes(memoryBytes) + " is full after "
                + Figures.countOf(totals.keys, "key", "keys")
                + "; --memory makes it larger, --out writes full ones to tables", null);
        }
        memtables.rotate();
    }
}
