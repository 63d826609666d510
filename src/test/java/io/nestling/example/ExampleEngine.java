/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.catalog.IndexType;
import io.nestling.memory.SharedBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.FrozenException;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.SequenceReservation;
import io.nestling.memtable.WriteBatch;
import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.MergeOptions;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A small LSM engine: a log and a memtable take the writes, a full memtable is flushed to a table in the background, and many
 * tables are merged into one. It shows how the parts of Nestling fit together; docs/embedding.md goes through it. Any thread may
 * use it.
 */
public final class ExampleEngine implements AutoCloseable {
    /** Number of tables that are merged into one. */
    static final int MERGED_TABLES = 4;
    private static final int MEMTABLES = 3;
    /* What a write takes in a memtable beside key and value, at most about. */
    private static final int WRITE_BYTES = 64;

    private final Path directory;
    private final Options options;
    private final SharedBudget<Memtable> budget;
    private final LiveTableSet tables;
    private final Set<EngineSnapshot> snapshots = new HashSet<>();
    /* One thread flushes and merges; the other one freezes memtables that the budget names, while the first may be at work. */
    private final ExecutorService flusher = Executors.newSingleThreadExecutor();
    private final ExecutorService rotator = Executors.newSingleThreadExecutor();
    private volatile EngineView view;
    private volatile boolean closing;
    private volatile Throwable failure;

    /**
     * Configuration of an engine.
     *
     * @param memtableBytes capacity of a memtable
     * @param shards its number of shards
     * @param forcesLog whether a write is on the device before it returns; without, a crash of the machine loses the last ones
     */
    public record Options(long memtableBytes, int shards, boolean forcesLog) {
    }

    /** Opens an engine in a directory, which must exist, and recovers the writes of its logs. */
    public ExampleEngine(final Path directory, final Options options) throws IOException {
        this.directory = directory;
        this.options = options;
        this.budget = SharedBudget.<Memtable>builder(MEMTABLES * options.memtableBytes(), this::rotateLater).build();
        this.tables = LiveTableSet.open(directory);
        try {
            recover();
            tables.directory().deleteUnlisted(); // tables of flushes and merges that a crash has ended
            final Generation first = newGeneration(tables.directory().greatestSequence() + 1);
            view = new EngineView(List.of(first), tables.acquire());
            first.release(); // the view has it
        } catch (final IOException | RuntimeException | Error e) {
            tables.close();
            budget.close();
            throw e;
        }
    }

    // ---- writes ----

    /** Sets the value of a key, as {@link #write} does. */
    public void put(final byte[] key, final byte[] value) throws IOException {
        write(new WriteBatch().put(key, value));
    }

    /** Deletes a key, as {@link #write} does. */
    public void delete(final byte[] key) throws IOException {
        write(new WriteBatch().delete(key));
    }

    /**
     * Applies the writes of a batch, without range deletions, together: the log first, then the memtable. They are visible when
     * this returns. If it throws, they may or may not come back after a recovery. The batch is at most an eighth of a shard:
     * what is in the log has to fit a memtable.
     */
    public void write(final WriteBatch batch) throws IOException {
        final long most = options.memtableBytes() / options.shards() / 8;
        if (batch.byteSize() + (long) batch.size() * WRITE_BYTES > most) {
            throw new IllegalArgumentException("expected a batch of at most " + most + " bytes but was " + batch.byteSize()
                + " bytes in " + batch.size() + " writes");
        }
        while (batch.size() > 0) {
            checkUsable();
            final Generation active = retainedActive();
            try (SequenceReservation numbers = active.memtable().reserveSequences(batch.size())) {
                if (active.log().append(numbers.first(), batch)) {
                    numbers.write(batch, numbers.first());
                    numbers.awaitVisible();
                    if (active.memtable().isFull()) {
                        rotate(active);
                    }
                    return;
                }
            } catch (final FrozenException e) {
                continue; // the next memtable takes it, and its log has it again
            } catch (final IOException e) {
                rotate(active); // nothing follows a record that may be cut
                throw e;
            } catch (final SpaceExhaustedException e) {
                if (active.memtable().stats().entries() == 0) {
                    throw e;
                }
                rotate(active);
            } finally {
                active.release();
            }
        }
    }

    private void checkUsable() throws IOException {
        if (failure != null) {
            throw new IOException("a flush, a merge or a new log of " + directory + " failed", failure);
        }
        if (closing) {
            throw new IllegalStateException("the engine is closed");
        }
    }

    private Generation retainedActive() {
        final EngineView retained = retainView();
        try {
            retained.active().retain();
            return retained.active();
        } finally {
            retained.release();
        }
    }

    // ---- reads ----

    /** Returns a copy of the value of a key; null if there is none. */
    public byte[] get(final byte[] key) throws IOException {
        final EngineView retained = retainView();
        try {
            return retained.get(key, null);
        } finally {
            retained.release();
        }
    }

    /** Returns what the engine holds now, to be closed by the caller. */
    public synchronized EngineSnapshot snapshot() {
        final Generation active = retainedActive();
        try {
            final EngineSnapshot snapshot = new EngineSnapshot(this, active);
            snapshots.add(snapshot);
            return snapshot;
        } finally {
            active.release();
        }
    }

    synchronized void forget(final EngineSnapshot snapshot) {
        snapshots.remove(snapshot);
    }

    EngineView retainView() {
        while (true) {
            final EngineView current = view;
            if (current == null) {
                throw new IllegalStateException("the engine is closed");
            }
            if (current.tryRetain()) {
                return current;
            }
        }
    }

    // ---- rotation, flush and merge ----

    /** Freezes a memtable in another thread: the budget asks in one that writes. */
    private void rotateLater(final Memtable memtable) {
        rotator.execute(() -> {
            try {
                final EngineView current = view;
                if (current != null && current.active().memtable() == memtable) {
                    rotate(current.active());
                }
            } catch (final IOException | RuntimeException | Error e) {
                failure = e;
            }
        });
    }

    /** Replaces the active memtable, unless another thread has, and has it flushed. */
    private synchronized void rotate(final Generation full) throws IOException {
        if (view == null || view.active() != full || full.log().isEmpty()) {
            return;
        }
        try {
            full.memtable().freeze(); // later writes of it throw
            final long last = Math.max(full.log().seal(), full.memtable().lastSequence()); // refused writes are in the log, too
            final List<Generation> memtables = new ArrayList<>(view.memtables);
            final Generation next = newGeneration(last + 1);
            memtables.add(0, next);
            publish(memtables);
            next.release(); // the view has it
            flusher.execute(() -> flush(full));
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    private Generation newGeneration(final long firstSequence) throws IOException {
        final Memtable memtable = Memtable.open(memtableOptions(firstSequence).sharedBudget(budget).build());
        try {
            final Path log = directory.resolve(String.format(Locale.ROOT, "%018d.log", firstSequence));
            return new Generation(memtable, new WriteAheadLog(log, options.forcesLog()), firstSequence);
        } catch (final IOException | RuntimeException | Error e) {
            memtable.close();
            throw e;
        }
    }

    private MemtableOptions.Builder memtableOptions(final long firstSequence) {
        return MemtableOptions.builder().index(IndexType.TRIE).shards(options.shards())
            .capacityBytes(options.memtableBytes()).keepVersions(KeepVersions.NEEDED_BY_SNAPSHOTS).firstSequence(firstSequence);
    }

    private synchronized void publish(final List<Generation> memtables) {
        final EngineView previous = view;
        view = new EngineView(memtables, tables.acquire());
        previous.release();
    }

    /** Flushes the oldest frozen memtable to a table; then its log is of no use. */
    private void flush(final Generation full) {
        try {
            if (failure == null) {
                if (full.memtable().stats().entries() > 0) {
                    addTable(full.memtable());
                }
                synchronized (this) {
                    publish(view.memtables.stream().filter(generation -> generation != full).toList());
                }
                full.log().delete();
                merge();
            }
        } catch (final IOException | RuntimeException | Error e) {
            failure = e; // the log stays: nothing is lost
        }
    }

    private void addTable(final Memtable memtable) throws IOException {
        final Path table = tables.nextTable();
        try (SstableWriter writer = SstableWriter.create(table, SstableOptions.defaults())) {
            memtable.flush(writer);
        }
        tables.add(table);
    }

    /** Merges all tables if they are many. A later snapshot sees the newest versions of the tables that are there now. */
    private void merge() throws IOException {
        final long floor;
        final TableSet tablesNow;
        synchronized (this) { // no snapshot between the two
            floor = snapshots.stream().mapToLong(EngineSnapshot::sequence).min().orElse(MergeOptions.NO_SNAPSHOTS);
            tablesNow = tables.acquire();
        }
        try (TableSet all = tablesNow) {
            if (all.readers().size() >= MERGED_TABLES) {
                tables.merge(all.readers(), MergeOptions.defaults().withSnapshotFloor(floor), bytes -> { });
                synchronized (this) {
                    publish(view.memtables);
                }
            }
        }
    }

    // ---- recovery and close ----

    /** Flushes what the logs hold, one after the other. */
    private void recover() throws IOException {
        final List<Path> logs = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.log")) {
            files.forEach(logs::add);
        }
        Collections.sort(logs); // named by their first sequence numbers
        for (final Path log : logs) {
            final List<WriteAheadLog.Entry> entries = WriteAheadLog.read(log);
            int next = 0;
            while (next < entries.size()) {
                next = recover(entries, next);
            }
            Files.delete(log);
        }
    }

    /** Replays as many writes as fit a memtable, and flushes it; returns the first write that is left. */
    private int recover(final List<WriteAheadLog.Entry> entries, final int from) throws IOException {
        final long flushed = tables.directory().greatestSequence();
        int next = from;
        try (Memtable memtable = Memtable.open(memtableOptions(flushed + 1).build())) {
            try {
                for (; next < entries.size(); next++) {
                    final WriteAheadLog.Entry entry = entries.get(next);
                    if (entry.sequence() > flushed) { // else a flush came before the crash
                        memtable.write(entry.batch(), entry.sequence());
                    }
                }
            } catch (final SpaceExhaustedException e) {
                if (memtable.stats().entries() == 0) {
                    throw e;
                }
            }
            memtable.freeze();
            if (memtable.stats().entries() > 0) {
                addTable(memtable);
            }
        }
        return next;
    }

    /** Flushes all writes and closes the engine and its snapshots. If it throws, the logs have what is lacking. */
    @Override
    public void close() throws IOException {
        final Generation last;
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            if (failure == null) {
                rotate(view.active());
            }
            last = view.active();
            last.memtable().freeze(); // so that no write comes behind the rotation
        }
        rotator.shutdown();
        flusher.shutdown();
        try {
            flusher.awaitTermination(1, TimeUnit.HOURS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a flush of " + directory + " was under way", e);
        }
        if (failure == null && last.log().seal() == 0) {
            last.log().delete(); // empty
        }
        final EngineView closed = view;
        view = null;
        closed.release();
        tables.close();
        budget.close();
        if (failure != null) {
            throw new IOException("a flush or merge of " + directory + " failed; the logs have its writes", failure);
        }
    }
}
