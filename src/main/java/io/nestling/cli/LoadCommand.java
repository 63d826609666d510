/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bridge.BridgeReport;
import io.nestling.catalog.IndexType;
import io.nestling.memtable.FlushResult;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Sharding;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableDirectory;
import io.nestling.workload.DatasetFormat;

import com.sun.management.OperatingSystemMXBean;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Fills memtables from text files and writes full ones to tables. */
@Command(name = "load", sortOptions = false,
    description = {"Fill memtables with keys from text files, and write each full one to DIR/NNNNNN.sst.", "",
        "A line is a key, or key TAB value. Files may be packed: .gz, .lz4. Two memtables are at work: one "
            + "is filled while the other one is written.", "",
        "Bytes are kept as they are: of a text from Windows the carriage return at the end of a line belongs to the key "
            + "or value, and a byte order mark to the first key. A warning says so.", ""})
final class LoadCommand extends Subcommand {
    private static final long MIN_MEMORY_BYTES = 1 << 20;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int DIGITS = 3;

    /* Of the last two tables; one thread writes tables, another one opens memtables. */
    private volatile List<FlushResult> flushed = List.of();

    @Parameters(paramLabel = "FILE", arity = "1..*",
        description = "Text with a key, or key TAB value, a line; - is the standard input.")
    private List<String> names; // as a converter, picocli would report a bad later name as an unexpected argument

    @Option(names = "--index", paramLabel = "KIND", defaultValue = "trie",
        description = "Index of the memtables (default: ${DEFAULT-VALUE}).")
    private IndexType index;

    @Option(names = "--shards", paramLabel = "N", defaultValue = "1",
        description = "Shards of a memtable (default: ${DEFAULT-VALUE}).")
    private int shards;

    @Option(names = "--memory", paramLabel = "SIZE", defaultValue = "512m", converter = ByteSize.class,
        description = "Memory of one memtable, such as 4m or 1.5g (default: ${DEFAULT-VALUE}).")
    private long memoryBytes;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Write tables here, beside those that are there; without it one memtable must hold "
            + "everything, and nothing is written.")
    private Path out;

    @Option(names = "--format", paramLabel = "FORMAT",
        description = "lines (a line is a key) or tsv (key TAB value); by default tsv for a file named .tsv, "
            + "else, and for the standard input, lines.")
    private DatasetFormat format;

    @Option(names = "--json", description = "Print the figures as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        checkOptions();
        final List<InputFile> files = InputFile.of(paths());
        warnOfMemory();
        final BridgeReport bridge = BridgeReport.probe();
        final LoadTotals totals = new LoadTotals();
        try (TableDirectory directory = out == null ? null : OutputDirectory.open(out)) {
            final double seconds = load(files, directory, totals) / NANOS_PER_SECOND;
            print(totals, seconds, bridge);
        }
        return CommandLine.ExitCode.OK;
    }

    private List<Path> paths() {
        final List<Path> paths = new ArrayList<>();
        try {
            for (final String name : names) {
                paths.add(OptionConverters.path(name));
            }
        } catch (final TypeConversionException e) {
            throw wrong("FILE: " + e.getMessage());
        }
        if (Collections.frequency(paths, InputFile.STANDARD_INPUT) > 1) {
            throw wrong("FILE: the standard input can be read only once");
        }
        return paths;
    }

    private void checkOptions() {
        if (memoryBytes < MIN_MEMORY_BYTES) {
            throw wrong("--memory " + Figures.bytes(memoryBytes) + " is less than " + Figures.bytes(MIN_MEMORY_BYTES));
        }
        checkShards(shards);
        if (memoryBytes / shards < MemtableOptions.MIN_SHARD_BYTES) {
            throw wrong("--memory " + Figures.bytes(memoryBytes)
                + " is less than " + Figures.bytes(MemtableOptions.MIN_SHARD_BYTES) + " for each of "
                + Figures.countOf(shards, "shard", "shards"));
        }
        options(1);
    }

    private void warnOfMemory() {
        final java.lang.management.OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        final int memtables = out == null ? 1 : 2;
        if (system instanceof OperatingSystemMXBean) {
            final long present = ((OperatingSystemMXBean) system).getTotalMemorySize(); // of the container, if any
            if (memoryBytes > present / memtables) {
                warn(Figures.countOf(memtables, "memtable", "memtables")
                    + " of --memory " + Figures.bytes(memoryBytes) + " may need more than the " + Figures.bytes(present)
                    + " of memory here; the system would end this process then");
            }
        }
    }

    private MemtableOptions options(final long firstSequence) {
        return MemtableOptions.builder().index(index).shards(shards).sharding(Sharding.learned(shards, flushed))
            .capacityBytes(memoryBytes).firstSequence(firstSequence).build();
    }

    /** Returns the nanoseconds from the first line read to the last table on the disk. */
    private long load(final List<InputFile> files, final TableDirectory directory, final LoadTotals totals) throws IOException {
        final Console console = console();
        final MemtablePair memtables = directory == null
            ? new MemtablePair(this::options, 1, null, totals)
            : new MemtablePair(
                this::options, directory.greatestSequence() + 1, full -> writeTable(full, directory, totals), totals);
        final Thread stop = new Thread(() -> stop(memtables, directory), "nestling-stop");
        addHook(stop, memtables);
        try (memtables; Progress progress = new Progress(console, InputFile.totalBytes(files))) {
            final long started = System.nanoTime();
            new Loader(memtables, totals, progress, console.err(), memoryBytes).load(files, format);
            return System.nanoTime() - started;
        } catch (final IOException | RuntimeException e) {
            throw memtables.abandoned() ? new StoppedException(e) : new CommandException(Messages.of(e) + kept(totals), e);
        } finally {
            if (!memtables.abandoned()) {
                removeHook(stop);
            }
        }
    }

    private void writeTable(final Memtable full, final TableDirectory directory, final LoadTotals totals) throws IOException {
        final SstableOptions tableOptions = SstableOptions.defaults().withIndexKind(index.indexName());
        try (SstableWriter writer = SstableWriter.create(directory.nextTable(), tableOptions)) {
            final FlushResult result = full.flush(writer);
            try {
                directory.add(writer.path(), writer.properties());
            } catch (final IOException e) {
                directory.discard(writer.path());
                throw e;
            }
            totals.addTable(result.entries(), writer.fileBytes());
            flushed = flushed.isEmpty() ? List.of(result) : List.of(flushed.get(flushed.size() - 1), result);
        }
    }

    private static void stop(final MemtablePair memtables, final TableDirectory directory) {
        memtables.abandon();
        if (directory != null) {
            directory.close();
        }
    }

    private static void addHook(final Thread hook, final MemtablePair memtables) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (final IllegalStateException e) { // the process is already ending
            memtables.close();
            throw new StoppedException(e);
        }
    }

    private static void removeHook(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The process is ending and the hook runs.
        }
    }

    private String kept(final LoadTotals totals) {
        if (out == null) {
            return "";
        }
        return totals.tables == 0 ? "; no table was written"
            : "; kept in " + out + ": " + Figures.countOf(totals.tables, "table", "tables") + " with "
                + Figures.countOf(totals.tableEntries, "key", "keys");
    }

    private void print(final LoadTotals totals, final double seconds, final BridgeReport bridge) throws OutputException {
        final double keysPerSecond = Figures.per(totals.keys, seconds);
        final double indexBytesPerKey = Figures.per(totals.indexBytes, totals.entries);
        final double recordBytesPerKey = Figures.per(totals.recordBytes, totals.entries);
        final Console console = console();
        if (json) {
            final Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("keys", totals.keys);
            figures.put("entries", totals.entries);
            figures.put("bytes", totals.bytes);
            figures.put("seconds", Figures.rounded(seconds, 2 * DIGITS));
            figures.put("keysPerSecond", Math.round(keysPerSecond));
            figures.put("indexBytesPerKey", Figures.rounded(indexBytesPerKey, DIGITS));
            figures.put("recordBytesPerKey", Figures.rounded(recordBytesPerKey, DIGITS));
            figures.put("sstables", totals.tables);
            figures.put("sstableBytes", totals.tableBytes);
            figures.put("index", index.indexName());
            figures.put("shards", shards);
            figures.put("memoryBytes", memoryBytes);
            figures.put("bridge", bridge.bridge());
            figures.put("hugePages", bridge.hugePages());
            figures.put("jdk", bridge.jdk());
            console.println(Json.of(figures));
            return;
        }
        console.println(Figures.line("keys", Figures.count(totals.keys)
            + (totals.entries == totals.keys ? "" : " (" + Figures.count(totals.entries)
                + " after writes to the same key)")));
        console.println(Figures.line("bytes", Figures.count(totals.bytes)));
        console.println(Figures.line("seconds", String.format(Locale.ROOT, "%.3f", seconds)));
        console.println(Figures.line("keys/s", Figures.count(Math.round(keysPerSecond))));
        console.println(Figures.line("index bytes", Figures.ratio(indexBytesPerKey) + " per key"));
        console.println(Figures.line("record bytes", Figures.ratio(recordBytesPerKey) + " per key"));
        console.println(Figures.line("sstables", totals.tables + (out == null ? " (no --out)"
            : " in " + out + ", " + Figures.bytes(totals.tableBytes))));
        console.println(Figures.line("memtable", index.indexName() + ", "
            + Figures.countOf(shards, "shard", "shards") + ", " + Figures.bytes(memoryBytes)));
        console.println(Figures.line("bridge", bridge.bridge()));
        console.println(Figures.line("huge pages", VersionReport.hugePages(bridge)));
    }
}
