/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.memtable.Memtable;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.workload.KeySet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Flushes of a whole memtable, to a sink that drops what it gets and to a table file in the directory for
 * temporary files; the counter {@code entries} has the entries in a second.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class FlushBenchmark {
    /** A full memtable, and a directory. */
    @State(Scope.Benchmark)
    public static class FullState extends MemtableState {
        private Memtable memtable;
        private long bytes;
        private Path directory;

        /** Fills the memtable. */
        @Setup(Level.Trial)
        public void fill() throws IOException {
            final KeySet present = loadKeys();
            bytes = present.keyBytes() + (long) present.size() * Long.BYTES;
            memtable = open(present);
            for (int i = 0; i < present.size(); i++) {
                memtable.put(present.key(i), value(i));
            }
            directory = Files.createTempDirectory("flush-benchmark-");
            printHeader();
        }

        /** Closes it. */
        @TearDown(Level.Trial)
        public void close() throws IOException {
            memtable.close();
            Files.deleteIfExists(directory);
        }
    }

    /** Adds up what it is given. */
    private static final class CountingSink implements EntrySink {
        private long entries;
        private long bytes;

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
            entries = 0;
            bytes = 0;
        }

        @Override
        public void entry(final EntryView entry) {
            entries++;
            bytes += entry.keyLength() + entry.valueLength();
        }

        @Override
        public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) {
            throw new IllegalStateException("wrong answer: a range tombstone that nobody has written");
        }

        @Override
        public void end() {
            // nothing is kept
        }
    }

    /**
     * To a sink that only counts.
     *
     * @param state the memtable
     * @param count of entries
     * @return bytes
     */
    @Benchmark
    public long toNothing(final FullState state, final EntryCount count) {
        final CountingSink sink = new CountingSink();
        state.memtable.flush(sink);
        KeyState.check(sink.entries, state.keys, "number of entries");
        KeyState.check(sink.bytes, state.bytes, "number of bytes");
        count.entries += sink.entries;
        return sink.bytes;
    }

    /**
     * To a table file, which is written, forced to the device, renamed, and removed again.
     *
     * @param state the memtable
     * @param count of entries
     * @return bytes of the file
     * @throws IOException if the file cannot be written
     */
    @Benchmark
    public long toTable(final FullState state, final EntryCount count) throws IOException {
        final Path file = state.directory.resolve("000001.sst");
        try (SstableWriter writer = SstableWriter.create(file, SstableOptions.defaults())) {
            KeyState.check(state.memtable.flush(writer).entries(), state.keys, "number of entries");
        }
        count.entries += state.keys;
        final long bytes = Files.size(file);
        Files.delete(file);
        return bytes;
    }
}
