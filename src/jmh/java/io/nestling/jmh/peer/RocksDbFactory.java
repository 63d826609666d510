/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.bench.Values;

import java.util.Optional;

import org.rocksdb.RocksDB;

/** The memtable of RocksDB, through its own Java library. */
public final class RocksDbFactory implements SubjectFactory {
    /** Node, links, lengths, sequence number. */
    private static final long ENTRY_BYTES = 40;
    private static final long FIXED_BYTES = 64L << 20;

    private final int valueBytes;

    /** Made by the service loader. */
    public RocksDbFactory() {
        this(Values.MIN_BYTES);
    }

    private RocksDbFactory(final int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    public String subjectName() {
        return "rocksdb_memtable";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean concurrentWriters() {
        return true;
    }

    @Override
    public SubjectFactory withValues(final int bytes) {
        return new RocksDbFactory(bytes);
    }

    @Override
    public String configuration() {
        return "RocksDB " + RocksDbFactory.version() + " in memory, skip list memtable, no log, never flushed, byte[] calls,"
            + " values of " + valueBytes + " bytes";
    }

    private static String version() {
        return RocksDB.rocksdbVersion().toString();
    }

    /** The native library may be missing for a platform. */
    @Override
    public Optional<String> obstacle() {
        try {
            RocksDB.loadLibrary();
            return Optional.empty();
        } catch (final RuntimeException | LinkageError e) {
            return Optional.of("the native library of RocksDB cannot be loaded: " + e.getMessage());
        }
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return new MemoryNeed(0, FIXED_BYTES + keys * (ENTRY_BYTES + valueBytes) + keyBytes);
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        return new PeerSubject(new RocksDbIndex(valueBytes, keys * (ENTRY_BYTES + valueBytes) + keyBytes));
    }
}
