/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.index.EntryCursor;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import org.rocksdb.CompressionType;
import org.rocksdb.Env;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksMemEnv;
import org.rocksdb.WriteOptions;

/**
 * The memtable of a RocksDB that lives in memory: no log, and a write buffer that is never full. The payload
 * is in the value. A put does not look the key up, so that it does not know the payload before.
 * <h2>Thread safety</h2>
 * Any number of writers and readers. Close needs the end of all other use.
 */
final class RocksDbIndex extends PeerIndex {
    /** The greatest that RocksDB takes. */
    private static final long WRITE_BUFFER_BYTES = 64L << 30;
    /*
     * RocksDB takes memory in arena blocks. Large ones can be put on 2 MiB pages by the allocator of the C
     * library, but the last one counts as a whole; so they are about a sixteenth of what will be needed,
     * within limits.
     */
    private static final int ARENA_BLOCKS = 16;
    private static final long MIN_ARENA_BLOCK_BYTES = 64L << 10;
    private static final long MAX_ARENA_BLOCK_BYTES = 4L << 20;

    private static final AtomicLong DIRECTORIES = new AtomicLong();

    static {
        RocksDB.loadLibrary();
    }

    private final Env environment;
    private final Options options;
    private final WriteOptions writing = new WriteOptions().setDisableWAL(true);
    private final ReadOptions reading =
        new ReadOptions().setReadTier(ReadTier.MEMTABLE_TIER).setVerifyChecksums(false).setFillCache(false);
    private final RocksDB database;
    private final LongAdder keyBytes = new LongAdder();

    /**
     * Makes an empty index.
     *
     * @param valueBytes length of the values
     * @param expectedBytes what the memtable will probably need
     */
    RocksDbIndex(final int valueBytes, final long expectedBytes) {
        super(valueBytes);
        final long arenaBlockBytes = Math.max(MIN_ARENA_BLOCK_BYTES,
            Math.min(MAX_ARENA_BLOCK_BYTES, Long.highestOneBit(Math.max(1, expectedBytes / ARENA_BLOCKS))));
        environment = new RocksMemEnv(Env.getDefault());
        options = new Options().setCreateIfMissing(true).setEnv(environment)
            .setWriteBufferSize(WRITE_BUFFER_BYTES).setArenaBlockSize(arenaBlockBytes)
            .setAvoidFlushDuringShutdown(true).setDisableAutoCompactions(true)
            .setStatsDumpPeriodSec(0).setStatsPersistPeriodSec(0).setCompressionType(CompressionType.NO_COMPRESSION);
        try {
            database = RocksDB.open(options, "/memtable-" + DIRECTORIES.incrementAndGet());
        } catch (final RocksDBException e) {
            throw new IllegalStateException("RocksDB does not open: " + e.getMessage(), e);
        }
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        checkOpen();
        final byte[] value = new byte[valueBytes()];
        try {
            final int found = database.get(reading, key, offset, length, value, 0, value.length);
            return found == RocksDB.NOT_FOUND ? NONE : payload(value);
        } catch (final RocksDBException e) {
            throw failure(e);
        }
    }

    /** Writes without a look at what was there: returns {@link #NONE} in any case. */
    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(length, payload);
        final byte[] value = value(payload);
        try {
            database.put(writing, key, offset, length, value, 0, value.length);
        } catch (final RocksDBException e) {
            throw failure(e);
        }
        keyBytes.add(length);
        return NONE;
    }

    /** Writes a tombstone without a look at what was there: returns {@link #NONE} in any case. */
    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        checkOpen();
        try {
            database.delete(writing, key, offset, length);
        } catch (final RocksDBException e) {
            throw failure(e);
        }
        return NONE;
    }

    /** Entries less tombstones and what they hide; exact as long as no key is put twice or removed twice. */
    @Override
    public long entryCount() {
        return number("rocksdb.num-entries-active-mem-table") - 2 * number("rocksdb.num-deletes-active-mem-table");
    }

    /** Returns the bytes of the memtable without keys and values. */
    @Override
    public long bytesUsed() {
        final long values = number("rocksdb.num-entries-active-mem-table") - number("rocksdb.num-deletes-active-mem-table");
        return totalBytes() - keyBytes.sum() - values * valueBytes();
    }

    @Override
    public long totalBytes() {
        return number("rocksdb.cur-size-active-mem-table");
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new RocksDbCursor(database, reading, valueBytes());
    }

    /** Checks the order of the entries, and that all of them are in the one memtable. */
    @Override
    public void verify() {
        super.verify();
        final long elsewhere = number("rocksdb.num-immutable-mem-table") + number("rocksdb.mem-table-flush-pending")
            + number("rocksdb.total-sst-files-size");
        if (elsewhere != 0) {
            throw new IllegalStateException("RocksDB has begun to flush its memtable");
        }
    }

    private long number(final String property) {
        checkOpen();
        try {
            return database.getLongProperty(property);
        } catch (final RocksDBException e) {
            throw failure(e);
        }
    }

    private static IllegalStateException failure(final RocksDBException e) {
        return new IllegalStateException("RocksDB failed: " + e.getMessage(), e);
    }

    @Override
    protected void release() {
        database.close();
        reading.close();
        writing.close();
        options.close();
        environment.close();
    }
}
