/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;
import io.nestling.memtable.WriteBatch;
import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.MergeOptions;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The writes of {@link ExampleEngine} on the JDK's skip list in place of memtables, for comparison: the same log, tables and
 * merges, and as many frozen memtables. A write is not held back until those before it are visible. Any thread may use it.
 */
final class SkipListEngine implements AutoCloseable {
    /* Node, half an index node, key object, and the heads of two arrays, with compressed references. */
    private static final long ENTRY_BYTES = 96;
    private static final int MAX_FROZEN = 2;

    private final Path directory;
    private final ExampleEngine.Options options;
    private final LiveTableSet tables;
    private final ExecutorService flusher = Executors.newSingleThreadExecutor();
    private final Semaphore room = new Semaphore(MAX_FROZEN);
    private final AtomicLong sequences = new AtomicLong();
    /* Held shared by writes, exclusively by a rotation. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile Memory active;
    private volatile Throwable failure;

    /** A key with the number of its write: the newest comes first. */
    private record Version(byte[] key, long sequence) implements Comparable<Version> {
        @Override
        public int compareTo(final Version other) {
            final int order = Arrays.compareUnsigned(key, other.key);
            return order != 0 ? order : Long.compare(other.sequence, sequence);
        }
    }

    /** A skip list, its log and its bytes. */
    private record Memory(ConcurrentSkipListMap<Version, byte[]> entries, WriteAheadLog log, AtomicLong bytes) {
    }

    /** Shows an entry of a skip list to the writer of a table. */
    private static final class View implements EntryView {
        private Version version;
        private byte[] value;

        @Override
        public byte[] keyBuffer() {
            return version.key;
        }

        @Override
        public int keyLength() {
            return version.key.length;
        }

        @Override
        public int commonPrefix() {
            return 0;
        }

        @Override
        public int valueLength() {
            return value.length;
        }

        @Override
        public int copyValue(final byte[] destination, final int offset) {
            System.arraycopy(value, 0, destination, offset, value.length);
            return value.length;
        }

        @Override
        public long sequence() {
            return version.sequence;
        }

        @Override
        public EntryKind kind() {
            return EntryKind.VALUE;
        }
    }

    /** Opens an engine in an empty directory. */
    SkipListEngine(final Path directory, final ExampleEngine.Options options) throws IOException {
        this.directory = directory;
        this.options = options;
        this.tables = LiveTableSet.open(directory);
        this.active = newMemory();
    }

    private Memory newMemory() throws IOException {
        final Path log = directory.resolve(String.format(Locale.ROOT, "%018d.log", sequences.get() + 1));
        return new Memory(new ConcurrentSkipListMap<>(), new WriteAheadLog(log, options.forcesLog()), new AtomicLong());
    }

    /** Sets the value of a key: the log first, then the skip list. */
    void put(final byte[] key, final byte[] value) throws IOException {
        if (failure != null) {
            throw new IOException("a flush or merge failed", failure);
        }
        final WriteBatch batch = new WriteBatch().put(key, value);
        final Memory written;
        lock.readLock().lock();
        try {
            written = active;
            final long sequence = sequences.incrementAndGet();
            written.log.append(sequence, batch);
            written.entries.put(new Version(key.clone(), sequence), value.clone());
        } finally {
            lock.readLock().unlock();
        }
        if (written.bytes.addAndGet(ENTRY_BYTES + key.length + value.length) >= options.memtableBytes()) {
            rotate(written);
        }
    }

    private synchronized void rotate(final Memory full) throws IOException {
        if (active != full || full.entries.isEmpty()) {
            return;
        }
        room.acquireUninterruptibly();
        lock.writeLock().lock();
        try {
            active = newMemory();
        } finally {
            lock.writeLock().unlock();
        }
        flusher.execute(() -> flush(full));
    }

    private void flush(final Memory full) {
        try {
            if (failure == null) {
                final Path table = tables.nextTable();
                try (SstableWriter writer = SstableWriter.create(table, SstableOptions.defaults())) {
                    writeNewest(full, writer);
                }
                tables.add(table);
                full.log.delete();
                merge();
            }
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            room.release();
        }
    }

    private static void writeNewest(final Memory full, final SstableWriter writer) throws IOException {
        writer.begin(full.entries.size(), full.bytes.get(), 0);
        final View view = new View();
        for (final Map.Entry<Version, byte[]> entry : full.entries.entrySet()) {
            if (view.version == null || !Arrays.equals(view.version.key, entry.getKey().key)) {
                view.version = entry.getKey();
                view.value = entry.getValue();
                writer.entry(view);
            }
        }
        writer.end();
    }

    private void merge() throws IOException {
        try (TableSet all = tables.acquire()) {
            if (all.readers().size() >= ExampleEngine.MERGED_TABLES) {
                tables.merge(all.readers(), MergeOptions.defaults().withSnapshotFloor(MergeOptions.NO_SNAPSHOTS), bytes -> { });
            }
        }
    }

    /** Flushes all writes and closes the engine; there are no writes any more. */
    @Override
    public void close() throws IOException {
        rotate(active);
        flusher.shutdown();
        try {
            flusher.awaitTermination(1, TimeUnit.HOURS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a flush was under way", e);
        }
        active.log.delete();
        tables.close();
        if (failure != null) {
            throw new IOException("a flush or merge failed", failure);
        }
    }
}
