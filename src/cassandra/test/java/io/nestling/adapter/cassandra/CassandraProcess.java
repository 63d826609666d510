/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.SlabAllocator;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.ShardBoundaries;
import org.apache.cassandra.dht.ByteOrderedPartitioner;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.Future;
import org.apache.cassandra.utils.concurrent.ImmediateFuture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Makes Cassandra's classes usable in this process without a node, and creates memtables with a stub of their table. */
final class CassandraProcess {
    private static final String ALLOCATION_PROP_NAME = "allocation";
    private static final int MEMORY_MIB = Integer.getInteger("memtable.mib", 2048);

    private static boolean started;

    private CassandraProcess() {
    }

    /** Starts with the allocation type of {@code -Dallocation}, {@code offheap_objects} by default. */
    static synchronized void start() {
        if (started) {
            return;
        }
        started = true;
        System.setProperty("org.apache.cassandra.disable_mbean_registration", "true");
        final Path directory = temporaryDirectory();
        System.setProperty("cassandra.storagedir", directory.toString());
        final String yaml = String.join("\n",
            "cluster_name: test",
            "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
            "endpoint_snitch: SimpleSnitch",
            "listen_address: 127.0.0.1",
            "seed_provider: [{class_name: org.apache.cassandra.locator.SimpleSeedProvider,"
                + " parameters: [{seeds: 127.0.0.1}]}]",
            "commitlog_sync: periodic",
            "commitlog_sync_period: 10000ms",
            "commitlog_directory: " + directory.resolve("commitlog"),
            "data_file_directories: [" + directory.resolve("data") + "]",
            "hints_directory: " + directory.resolve("hints"),
            "saved_caches_directory: " + directory.resolve("caches"),
            "cdc_raw_directory: " + directory.resolve("cdc"),
            "memtable_allocation_type: " + System.getProperty(ALLOCATION_PROP_NAME, "offheap_objects"),
            "memtable_heap_space: " + MEMORY_MIB + "MiB",
            "memtable_offheap_space: " + MEMORY_MIB + "MiB",
            "");
        try {
            final Path file = Files.writeString(directory.resolve("cassandra.yaml"), yaml);
            System.setProperty("cassandra.config", file.toUri().toString());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        DatabaseDescriptor.daemonInitialization();
        CommitLog.instance.start();
    }

    private static Path temporaryDirectory() {
        try {
            final Path directory = Files.createTempDirectory("nestling-cassandra");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            return directory;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(final Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (final IOException | UncheckedIOException e) {
            // left to the system
        }
    }

    /** Creates a memtable with parameters of a configuration. */
    static NestlingMemtable nestling(final TableMetadataRef metadata, final Owner owner, final String... parameters) {
        final Map<String, String> options = options(parameters);
        final Memtable.Factory factory = NestlingMemtable.factory(options);
        if (!options.isEmpty()) {
            throw new AssertionError("left over: " + options);
        }
        return (NestlingMemtable) create(factory, metadata, owner);
    }

    /** Creates a memtable with a source of memory, and parameters of a configuration. */
    static NestlingMemtable nestling(
        final SlabAllocator slabs, final TableMetadataRef metadata, final Owner owner, final String... parameters) {
        return new NestlingMemtable(
            new AtomicReference<>(CommitLogPosition.NONE), metadata, owner, MemtableParameters.takeFrom(options(parameters)),
            slabs);
    }

    private static Map<String, String> options(final String... parameters) {
        final Map<String, String> options = new HashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            options.put(parameters[i], parameters[i + 1]);
        }
        return options;
    }

    static Memtable create(final Memtable.Factory factory, final TableMetadataRef metadata, final Owner owner) {
        return factory.create(new AtomicReference<>(CommitLogPosition.NONE), metadata, owner);
    }

    static TableMetadataRef ref(final TableMetadata metadata) {
        return TableMetadataRef.forOfflineTools(metadata);
    }

    /** A stub of a table. */
    static final class Owner implements Memtable.Owner {
        final AtomicInteger flushRequests = new AtomicInteger();
        private final IPartitioner partitioner;

        Owner(final IPartitioner partitioner) {
            this.partitioner = partitioner;
        }

        @Override
        public Future<CommitLogPosition> signalFlushRequired(
            final Memtable memtable, final ColumnFamilyStore.FlushReason reason) {
            flushRequests.incrementAndGet();
            return ImmediateFuture.success(CommitLogPosition.NONE);
        }

        @Override
        public Memtable getCurrentMemtable() {
            return null;
        }

        @Override
        public Iterable<Memtable> getIndexMemtables() {
            return Collections.emptyList();
        }

        @Override
        public ShardBoundaries localRangeSplits(final int shards) {
            final List<Token> tokens = new ArrayList<>();
            for (int i = 1; i < shards; i++) {
                if (partitioner instanceof Murmur3Partitioner) {
                    tokens.add(new Murmur3Partitioner.LongToken(Long.MIN_VALUE + i * (Long.MAX_VALUE / shards * 2)));
                } else if (partitioner instanceof ByteOrderedPartitioner) {
                    tokens.add(new ByteOrderedPartitioner.BytesToken(new byte[] {(byte) (i * 256 / shards)}));
                }
            }
            return tokens.isEmpty() ? ShardBoundaries.NONE : boundaries(tokens);
        }

        /**
         * Creates boundaries by reflection: the constructor's second parameter, a state of the ring, has another type in
         * Cassandra 6.
         */
        private static ShardBoundaries boundaries(final List<Token> tokens) {
            try {
                for (final Constructor<?> constructor : ShardBoundaries.class.getConstructors()) {
                    final Class<?>[] types = constructor.getParameterTypes();
                    if (types.length == 2 && types[0] == List.class) {
                        final Object state = types[1] == long.class ? (Object) 1L : types[1].getField("FIRST").get(null);
                        return (ShardBoundaries) constructor.newInstance(tokens, state);
                    }
                }
            } catch (final ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
            throw new AssertionError("no constructor for a list of tokens");
        }
    }
}
