/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.catalog.IndexType;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.memtable.TrieMemtable;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Compares memtables without a node, in interleaved rounds: put, get of a partition, scan of the whole token range, creation
 * and iteration of the flush set, heap per partition, time of garbage collection. Every read reads all values.
 * <p> Arguments, all optional: partitions, rounds, threads, then subjects: {@code trie}, {@code skiplist}, or an index of
 * Nestling
 * with {@code /off_heap} or {@code /partitions_on_heap}. {@code -Dallocation} sets the allocation type, {@code -Drows} the number
 * of rows of a partition; with several, a get reads one row, and figures are per row.
 */
public final class MemtableComparison {
    private static final int ROWS = Integer.getInteger("rows", 1);
    private static final int SPREAD = 0x9E3779B1;
    private static final List<String> SUBJECTS = List.of("trie", "skiplist", "mlp_index/off_heap", "trie/off_heap");
    private static final String[] MEASURES = {
        "put ns", "get ns", "scan ns", "flush set ms", "flush ns", "heap B", "off heap B", "put gc ms", "get gc ms"};

    private final OpOrder order = new OpOrder();
    private final TableMetadata metadata;
    private final TableMetadataRef ref;
    private final CassandraProcess.Owner owner = new CassandraProcess.Owner(Murmur3Partitioner.instance);
    private final int partitions;
    private final int threads;
    private volatile long sink;

    private MemtableComparison(final int partitions, final int threads) {
        this.partitions = partitions;
        this.threads = threads;
        this.metadata = ROWS == 1
            ? TestTables.narrow(Murmur3Partitioner.instance) : TestTables.series(Murmur3Partitioner.instance);
        this.ref = CassandraProcess.ref(metadata);
    }

    /**
     * Runs the comparison and prints a table of medians.
     *
     * @param args the arguments, as above
     * @throws Exception if a thread fails
     */
    public static void main(final String[] args) throws Exception {
        final int partitions = number(args, 0, 1_000_000);
        final int rounds = number(args, 1, 3);
        final int threads = number(args, 2, 1);
        final List<String> subjects = args.length > 3 ? Arrays.asList(args).subList(3, args.length) : SUBJECTS;
        for (final String subject : subjects) {
            if (!subject.equals("trie") && !subject.equals("skiplist") && !isNestling(subject)) {
                throw refused(
                    "'" + subject + "' is neither trie nor skiplist, nor an index with /off_heap or /partitions_on_heap");
            }
        }
        CassandraProcess.start();
        final MemtableComparison comparison = new MemtableComparison(partitions, threads);
        final Map<String, List<double[]>> results = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            for (final String subject : subjects) {
                final double[] figures = comparison.measure(subject);
                System.err.printf(Locale.ROOT, "round %d %s %s%n", round, subject, Arrays.toString(figures));
                if (round > 0) { // the first one is the warm-up
                    results.computeIfAbsent(subject, name -> new ArrayList<>()).add(figures);
                }
            }
        }
        print(results);
        System.exit(0);
    }

    private static boolean isNestling(final String subject) {
        return Arrays.stream(IndexType.values()).filter(IndexType::ordered).map(IndexType::indexName).anyMatch(index ->
            subject.equals(index + "/off_heap") || subject.equals(index + "/partitions_on_heap"));
    }

    private static int number(final String[] args, final int index, final int absent) {
        if (args.length <= index) {
            return absent;
        }
        if (!args[index].matches("[1-9][0-9]{0,8}")) {
            throw refused("'" + args[index] + "' is no number from 1 to 999999999");
        }
        return Integer.parseInt(args[index]);
    }

    /** Ends the process, before anything was started. */
    private static IllegalArgumentException refused(final String message) {
        System.err.println(message);
        System.exit(2);
        return new IllegalArgumentException(message);
    }

    private static void print(final Map<String, List<double[]>> results) {
        System.out.printf(Locale.ROOT, "%-30s", "");
        for (final String measure : MEASURES) {
            System.out.printf(Locale.ROOT, "%14s", measure);
        }
        System.out.println();
        results.forEach((name, rounds) -> {
            System.out.printf(Locale.ROOT, "%-30s", name);
            for (int i = 0; i < MEASURES.length; i++) {
                final int column = i;
                final double[] sorted = rounds.stream().mapToDouble(figures -> figures[column]).sorted().toArray();
                System.out.printf(Locale.ROOT, "%14.1f", sorted[sorted.length / 2]);
            }
            System.out.println();
        });
    }

    private Memtable create(final String subject) {
        if (subject.equals("skiplist")) {
            return CassandraProcess.create(SkipListMemtable.FACTORY, ref, owner);
        }
        if (subject.equals("trie")) {
            return CassandraProcess.create(
                TrieMemtable.factory(new HashMap<>(Map.of("shards", "2"))), ref, owner);
        }
        final String[] parts = subject.split("/");
        return CassandraProcess.nestling(
            ref, owner, "index", parts[0], "row_index", System.getProperty("row.index", parts[0]), "storage", parts[1],
            "shards", "2");
    }

    private double[] measure(final String subject) throws Exception {
        final double[] figures = new double[MEASURES.length];
        final long heapBefore = usedHeap();
        final Memtable memtable = create(subject);
        long collected = collectionMillis();
        figures[0] = nanosEach((from, to) -> {
            for (int i = from; i < to; i++) {
                final PartitionUpdate update = update(metadata, i);
                try (OpOrder.Group group = order.start()) {
                    memtable.put(update, UpdateTransaction.NO_OP, group);
                }
            }
            return 0L;
        });
        figures[7] = collectionMillis() - collected;
        figures[5] = (double) (usedHeap() - heapBefore) / partitions;
        figures[6] = (double) Memtable.getMemoryUsage(memtable).ownsOffHeap / partitions;
        collected = collectionMillis();
        figures[1] = nanosEach((from, to) -> get(memtable, from, to));
        figures[8] = collectionMillis() - collected;
        final long beforeScan = System.nanoTime();
        scan(memtable);
        figures[2] = (double) (System.nanoTime() - beforeScan) / partitions;
        flush(memtable, figures);
        memtable.switchOut(order.newBarrier(), new AtomicReference<>());
        memtable.discard();
        return figures;
    }

    /** Runs a range of the operations. */
    private interface Part {
        long run(int from, int to);
    }

    private double nanosEach(final Part part) throws Exception {
        final long start = System.nanoTime();
        if (threads == 1) {
            sink += part.run(0, partitions);
        } else {
            final ExecutorService executor = Executors.newFixedThreadPool(threads);
            final List<Future<Long>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                final int from = (int) ((long) partitions * i / threads);
                final int to = (int) ((long) partitions * (i + 1) / threads);
                parts.add(executor.submit((Callable<Long>) () -> part.run(from, to)));
            }
            for (final Future<Long> result : parts) {
                sink += result.get();
            }
            executor.shutdown();
        }
        return (double) (System.nanoTime() - start) / partitions;
    }

    private static DecoratedKey key(final TableMetadata metadata, final int i) {
        return metadata.partitioner.decorateKey(LongType.instance.decompose((long) (i / ROWS) * SPREAD));
    }

    private static Clustering<?> clustering(final TableMetadata metadata, final int i) {
        return metadata.clusteringColumns().isEmpty()
            ? Clustering.EMPTY : Clustering.make(Int32Type.instance.decompose((int) ((long) i * 7919 % ROWS)));
    }

    /** Returns an update of one row with 60 bytes in three cells. */
    static PartitionUpdate update(final TableMetadata metadata, final int i) {
        return update(metadata, i, 32);
    }

    static PartitionUpdate update(final TableMetadata metadata, final int i, final int length) {
        final long timestamp = 1_700_000_000_000_000L + i;
        final byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) i);
        final Row.Builder row = BTreeRow.sortedBuilder();
        row.newRow(clustering(metadata, i));
        row.addPrimaryKeyLivenessInfo(LivenessAccess.of(timestamp, 0, Long.MAX_VALUE));
        row.addCell(BufferCell.live(column(metadata, "b"), timestamp, ByteBuffer.wrap(bytes)));
        row.addCell(BufferCell.live(column(metadata, "n"), timestamp, LongType.instance.decompose((long) i)));
        row.addCell(BufferCell.live(column(metadata, "t"), timestamp, ByteBuffer.wrap(bytes, 0, 20)));
        return PartitionUpdate.singleRowUpdate(metadata, key(metadata, i), row.build());
    }

    private static ColumnMetadata column(final TableMetadata metadata, final String name) {
        return metadata.getColumn(UTF8Type.instance.decompose(name));
    }

    private long get(final Memtable memtable, final int from, final int to) {
        final ColumnFilter columns = ColumnFilter.all(metadata);
        long sum = 0;
        for (int i = from; i < to; i++) {
            // in another order than that of the writes
            final int which = (int) ((long) i * 7_368_787 % partitions);
            try (UnfilteredRowIterator rows = memtable.rowIterator(
                key(metadata, which), slices(which), columns, false, SSTableReadsListener.NOOP_LISTENER)) {
                final long read = read(rows);
                if (read != 60) {
                    throw new AssertionError("partition " + which + " has " + read + " bytes");
                }
                sum += read;
            }
        }
        return sum;
    }

    private Slices slices(final int i) {
        return ROWS == 1 ? Slices.ALL : Slices.with(metadata.comparator, Slice.make(clustering(metadata, i)));
    }

    private static long read(final UnfilteredRowIterator rows) {
        long bytes = 0;
        while (rows.hasNext()) {
            final Unfiltered unfiltered = rows.next();
            for (final Cell<?> cell : ((Row) unfiltered).cells()) {
                bytes += cell.buffer().remaining();
            }
        }
        return bytes;
    }

    private void scan(final Memtable memtable) {
        final DataRange range = DataRange.allData(metadata.partitioner);
        long count = 0;
        try (UnfilteredPartitionIterator all = memtable.partitionIterator(
            ColumnFilter.all(metadata), range, SSTableReadsListener.NOOP_LISTENER)) {
            while (all.hasNext()) {
                try (UnfilteredRowIterator rows = all.next()) {
                    count += read(rows) / 60;
                }
            }
        }
        check(count);
    }

    private void flush(final Memtable memtable, final double[] figures) {
        final long start = System.nanoTime();
        final Memtable.FlushablePartitionSet<?> set = memtable.getFlushSet(null, null);
        final long made = System.nanoTime();
        figures[3] = (made - start) / 1e6;
        long count = 0;
        PartitionPosition before = null;
        for (final Partition partition : set) {
            if (!partition.isEmpty()) {
                try (UnfilteredRowIterator rows = partition.unfilteredIterator()) {
                    count += read(rows) / 60;
                    if (before != null && before.compareTo(partition.partitionKey()) >= 0) {
                        throw new AssertionError("out of order");
                    }
                    before = partition.partitionKey();
                }
            }
        }
        figures[4] = (double) (System.nanoTime() - made) / partitions;
        check(count);
    }

    private void check(final long count) {
        if (count != partitions) {
            throw new AssertionError(count + " of " + partitions + " rows were seen");
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 2; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long collectionMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }
}
