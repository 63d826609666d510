/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Where the system refuses memory, writes go on in the heap, are charged to it, and a flush is asked for if it helps. */
class RefusedMemoryTest {
    private static final int PARTITIONS = 3000;
    private static final long DIRECT_BYTES = 128 << 20;
    /* Shared by small slabs. */
    private static final long CHUNK_BYTES = 2 << 20;

    @TempDir
    private Path directory;

    private final MemtableFixture fixture = new MemtableFixture(
        TestTables.narrow(Murmur3Partitioner.instance), Seeds.random("refused"), 5, 1);

    private void write(final NestlingMemtable memtable, final int from, final int to) {
        for (int i = from; i < to; i++) {
            fixture.put(memtable, MemtableComparison.update(fixture.metadata, i));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off_heap", "partitions_on_heap"})
    void shouldWriteToTheHeapWhenAllMemoryIsRefused(final String storage) {
        final long heapBefore = AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used();
        final long offHeapBefore = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final NestlingMemtable memtable = fixture.nestling(
            new RefusingSlabs(1, Seeds.random("all")), "storage", storage, "index", "mlp_index", "shards", "2");
        write(memtable, 0, PARTITIONS);
        assertEquals(PARTITIONS, memtable.partitionCount());
        assertEquals(PARTITIONS, memtable.overflowedWrites());
        final long charged = Memtable.getMemoryUsage(memtable).ownsOnHeap;
        assertTrue(charged >= memtable.overflowBytes(), charged + " bytes charged");
        assertTrue(memtable.overflowBytes() > PARTITIONS * 32L, memtable.overflowBytes() + " bytes on the heap");
        // Each flush would help nobody, and leave a table file of a few rows.
        assertEquals(0, fixture.owner.flushRequests.get());
        MemtableFixture.discard(memtable);
        assertEquals(heapBefore, AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used());
        assertEquals(offHeapBefore, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
    }

    @Test
    void shouldAskForAFlushThatGivesMemoryBack() {
        final RefusingSlabs slabs = new RefusingSlabs(0, Seeds.random("later"));
        final NestlingMemtable memtable = fixture.nestling(slabs, "shards", "1");
        write(memtable, 0, 100);
        slabs.refuse(1);
        write(memtable, 100, PARTITIONS);
        assertTrue(slabs.refusals() > 0);
        assertEquals(PARTITIONS, memtable.partitionCount());
        assertEquals(1, fixture.owner.flushRequests.get());
        MemtableFixture.discard(memtable);
    }

    /** Not by waiting in {@code allocateDirect}, half a second each time. */
    @Test
    void shouldGoOnWhereDirectBuffersAreAllThereIs() throws Exception {
        final Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), "no " + shared);
        final Path inMemory = Files.createTempDirectory(shared, "nestling");
        try {
            final long[] result = run(
                List.of(), "-XX:MaxDirectMemorySize=" + DIRECT_BYTES, "-Dio.nestling.bridge=java",
                "-Djava.io.tmpdir=" + inMemory);
            assertTrue(result[1] <= DIRECT_BYTES / 4 * 3, result[1] + " bytes of direct buffers");
            assertTrue(result[2] >= result[1] - CHUNK_BYTES, result[2] + " bytes charged for " + result[1]);
        } finally {
            try (Stream<Path> files = Files.walk(inMemory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            }
        }
    }

    @Test
    void shouldGoOnWhereAddressSpaceIsLimited() throws Exception {
        run(List.of("/bin/sh", "-c", "ulimit -v 3300000; exec \"$@\"", "sh"), "-XX:CompressedClassSpaceSize=64m",
            "-XX:ReservedCodeCacheSize=64m", "-Djava.io.tmpdir=" + directory);
    }

    /** Runs a process with the options, and returns what it prints if it has written all, some of it to the heap, in time. */
    private long[] run(final List<String> prefix, final String... options) throws Exception {
        final Path output = directory.resolve("output");
        final List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("@" + System.getProperty("nestling.cassandra.flags"), "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DirectMemoryRun.class.getName()));
        final Process process = new ProcessBuilder(command).directory(directory.toFile())
            .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        final boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        final String text = Files.readString(output);
        assertTrue(ended && process.exitValue() == 0, text);
        final String line = text.lines().filter(printed -> printed.startsWith("result ")).findFirst().orElseThrow();
        final long[] result = Stream.of(line.substring("result ".length()).split(" ")).mapToLong(Long::parseLong).toArray();
        assertTrue(result[0] < 20, result[0] + " seconds");
        assertTrue(result[3] > 0, "no write to the heap");
        return result;
    }

    @Test
    void shouldUnpackTheHelperWhereCassandraUnpacksLibraries() {
        final String[] names = {"jna.tmpdir", "io.nestling.native.tmpdir"};
        final String[] before = {System.getProperty(names[0]), System.getProperty(names[1])};
        try {
            System.clearProperty(names[1]);
            System.setProperty(names[0], "libraries");
            HelperDirectory.set();
            assertEquals("libraries", System.getProperty(names[1]));
            System.setProperty(names[0], "others");
            HelperDirectory.set();
            assertEquals("libraries", System.getProperty(names[1]), "set by the user");
        } finally {
            for (int i = 0; i < names.length; i++) {
                if (before[i] == null) {
                    System.clearProperty(names[i]);
                } else {
                    System.setProperty(names[i], before[i]);
                }
            }
        }
    }

    @Test
    void shouldTakeMemoryAgainOnceItIsGranted() {
        final RefusingSlabs slabs = new RefusingSlabs(1, Seeds.random("again"));
        final NestlingMemtable memtable = fixture.nestling(slabs, "shards", "1", "index", "skip_list");
        write(memtable, 0, 100);
        final long onHeap = memtable.overflowBytes();
        final long overflowed = memtable.overflowedWrites();
        assertEquals(100, overflowed);
        slabs.refuse(0);
        write(memtable, 100, PARTITIONS);
        assertTrue(memtable.overflowBytes() <= 4 * onHeap, memtable.overflowBytes() + " bytes on the heap, before " + onHeap);
        assertTrue(memtable.overflowedWrites() < PARTITIONS / 2, memtable.overflowedWrites() + " writes");
        assertFalse(memtable.shards()[0].isOverflowing());
        MemtableFixture.discard(memtable);
    }
}
