/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.Benchmark;
import io.nestling.bench.BenchmarkException;
import io.nestling.bench.BenchmarkListener;
import io.nestling.bench.BenchmarkPlan;
import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.ManyMemtables;
import io.nestling.bench.PeerCommand;
import io.nestling.bench.SubjectFactory;
import io.nestling.bench.SubjectServer;
import io.nestling.bench.Subjects;
import io.nestling.bench.Values;
import io.nestling.bench.WorkloadType;
import io.nestling.catalog.IndexType;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeyFile;
import io.nestling.workload.RequestDistribution;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Measures memtables or indexes, and peers, side by side. */
@Command(name = "bench", sortOptions = false,
    description = {"Measure memtables side by side in one run, and peers that Java programs use today.", ""})
final class BenchCommand extends Subcommand {
    private static final String ALL = "all";
    private static final int DEFAULT_KEYS = 1_000_000;
    private static final Set<String> OPTIONS_OF_MANY = Set.of("--many", "--memtable", "--index", "--shards", "--rows");
    private static final Set<String> OPTIONS_OF_SERVE = Set.of("--serve");
    private static final int SERVE_PARAMETERS = 3;
    private static final double WARM_UP_SECONDS = 0.5;
    private static final int DEFAULT_SHARDS_OF_MANY = 16;
    private static final int DEFAULT_ROWS_OF_MANY = 64;
    private static final String MANY_LINE = "%-12s %9s %14s %11s %15s";

    @Option(names = "--index", paramLabel = "KIND", split = ",",
        description = "Indexes of the memtables (default: all).")
    private List<IndexType> indexes;

    @Option(names = "--memtable", description = "Measure memtables: the default, which this option does not change.")
    private boolean memtable;

    @Option(names = "--indexes", description = "Measure the indexes alone: no sequence numbers, snapshots, shards.")
    private boolean indexesAlone;

    @Option(names = "--value-bytes", paramLabel = "N",
        description = "Length of the values of memtables and peers (default: 8).")
    private Integer valueBytes;

    @Option(names = "--shards", paramLabel = "N",
        description = "Shards of each memtable (default: that of a memtable).")
    private Integer shards;

    @Option(names = "--many", paramLabel = "N", converter = OptionConverters.CountConverter.class,
        description = "Measure nothing but the memory of N small memtables that are open at once.")
    private Integer many;

    @Option(names = "--rows", paramLabel = "N", converter = OptionConverters.CountConverter.class,
        description = "Rows of each of many memtables (default: 64).")
    private Integer rows;

    @Option(names = "--serve", arity = "3", paramLabel = "INDEX KEYFILE N", hideParamSyntax = true,
        description = {"Serve an index to another program: load the first N keys of a file, and answer commands",
            "from the standard input (see docs/benchmarks/README.md)."})
    private List<String> serve;

    @Option(names = "--dataset", paramLabel = "NAME|FILE", split = ",", defaultValue = "rand-8",
        description = "Where keys come from: names, or files with a key a line (default: ${DEFAULT-VALUE}).")
    private List<String> datasetNames;

    @Option(names = "--workload", paramLabel = "NAME", split = ",", defaultValue = "load,c,getall,scan",
        description = {"What to do (default: ${DEFAULT-VALUE}):",
            "load, load-batched, load-sorted, load-reversed, insert-75, insert-50, insert-25, first-flush, c (get), "
                + "get-miss, get-dependent, getall, seek, scan, iterate, flush, sustained, the mixes a, b, d, e, f of YCSB, "
                + "and hot."})
    private List<WorkloadType> workloads;

    @Option(names = "--keys", paramLabel = "N", split = ",", converter = OptionConverters.CountConverter.class,
        description = "Numbers of keys, such as 300k or 1m,3m,10m (default: 1m).")
    private List<Integer> keyCounts;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "1",
        description = "Threads at work (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--distribution", paramLabel = "NAME", defaultValue = "uniform",
        description = "Distribution of the requested keys: uniform, zipfian (default: ${DEFAULT-VALUE}).")
    private RequestDistribution distribution;

    @Option(names = "--peers", paramLabel = "NAME", split = ",", arity = "0..1", fallbackValue = ALL,
        description = "Measure peers too: all that can run here, or those that are named.")
    private List<String> peerNames;

    @Option(names = "--peer-command", paramLabel = "NAME=COMMAND",
        description = {"Measure a program too, which speaks the protocol of --serve. COMMAND is one of the shell; the key file",
            "and the number of keys are appended. May be given several times."})
    private List<String> peerCommands = List.of();

    @Option(names = "--peer-timeout", paramLabel = "SECONDS", defaultValue = "120",
        description = "How much longer than asked for such a program may take (default: ${DEFAULT-VALUE}).")
    private int peerTimeout;

    @Option(names = "--baseline", paramLabel = "SUBJECT",
        description = "What ratios refer to (default: the first peer, else the first index).")
    private String baseline;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
        description = "Most rounds that count (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--time", paramLabel = "SECONDS", defaultValue = "90",
        description = "Approximate duration; loads take what they need (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--cpu-time",
        description = "Throughput by the processor time of the threads that work, in place of wall time.")
    private boolean cpuTime;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "20k", converter = OptionConverters.CountConverter.class,
        description = "Puts, and as many gets, a second of workload sustained (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--no-model", description = "Do not measure the memory itself.")
    private boolean noModel;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
    private Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with charts.")
    private Path html;

    private boolean peerFailed;

    @Override
    public Integer call() throws IOException {
        if (serve != null) {
            return serve();
        }
        if (many != null) {
            return measureMany();
        }
        if (rows != null) {
            throw wrong("--rows is for many memtables: add --many");
        }
        final BenchmarkPlan plan = plan();
        final BenchmarkReport report = run(plan);
        print(BenchTable.lines(report));
        if (json != null) {
            Files.writeString(json, Json.of(BenchJson.of(report)) + "\n");
        }
        if (html != null) {
            Files.write(html, BenchPage.of(report).getBytes(StandardCharsets.UTF_8)); // names may contain any character
        }
        return peerFailed ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private int serve() throws IOException {
        checkOptions(OPTIONS_OF_SERVE, "--serve goes alone");
        if (serve.size() > SERVE_PARAMETERS) {
            throw wrong("--serve takes one index");
        }
        try {
            final SubjectFactory factory = Subjects.ofName(serve.get(0));
            final int count = new OptionConverters.CountConverter().convert(serve.get(2));
            final KeyFile keys = KeyFile.read(Path.of(serve.get(1)));
            final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            final PrintStream out = new PrintStream(console().out(), false, StandardCharsets.UTF_8);
            return SubjectServer.serve(factory, keys, count, WARM_UP_SECONDS, in, out)
                ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (final IllegalArgumentException | DatasetException | CommandLine.TypeConversionException e) {
            throw wrong("--serve: " + e.getMessage());
        }
    }

    private void checkOptions(final Set<String> known, final String rule) {
        for (final OptionSpec option : commandLine().getParseResult().matchedOptions()) {
            if (!known.contains(option.longestName())) {
                throw wrong(rule + ", not with " + option.longestName());
            }
        }
    }

    private int measureMany() throws IOException {
        checkOptions(OPTIONS_OF_MANY, "--many goes with --index, --shards and --rows only");
        final int shardsOfEach = shards == null ? DEFAULT_SHARDS_OF_MANY : shards;
        final int rowsOfEach = rows == null ? DEFAULT_ROWS_OF_MANY : rows;
        checkShards(shardsOfEach);
        final List<String> lines = new ArrayList<>();
        lines.add(Figures.count(many) + " memtables of " + Figures.countOf(shardsOfEach, "shard", "shards") + ", "
            + Figures.countOf(rowsOfEach, "row", "rows") + " in each");
        lines.add(String.format(Locale.ROOT, MANY_LINE, "index", "open us", "charged/shard", "heap/shard", "mappings/shard"));
        try (Progress progress = new Progress(console(), 0)) {
            for (final IndexType index : indexes == null ? List.of(IndexType.values()) : indexes) {
                progress.update(0, index::indexName);
                final ManyMemtables cost = ManyMemtables.measure(index, many, shardsOfEach, rowsOfEach);
                lines.add(String.format(Locale.ROOT, MANY_LINE, index.indexName(), Figures.ratio(cost.openMicros()),
                    Figures.count(Math.round(cost.chargedBytes())), Figures.count(Math.round(cost.heapBytes())),
                    cost.mappings() < 0 ? "unknown" : String.valueOf(Figures.rounded(cost.mappings(), 4))));
            }
        }
        print(lines);
        return CommandLine.ExitCode.OK;
    }

    private BenchmarkReport run(final BenchmarkPlan plan) throws IOException {
        // Libraries of peers print notices to System.out; this command writes its results elsewhere.
        final PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            return runQuietly(plan);
        } finally {
            System.setOut(out);
        }
    }

    private BenchmarkReport runQuietly(final BenchmarkPlan plan) throws IOException {
        try (Progress progress = new Progress(console(), 0)) {
            return Benchmark.run(plan, new BenchmarkListener() {
                @Override
                public void begins(final String step) {
                    progress.update(0, () -> step);
                }

                @Override
                public void leavesOut(final String reason) {
                    progress.clear();
                    warn(reason);
                }

                @Override
                public void fails(final String reason) {
                    peerFailed = true;
                    leavesOut("left out, " + reason);
                }
            });
        } catch (final BenchmarkException e) {
            throw new CommandException(e.getMessage(), e);
        }
    }

    private BenchmarkPlan plan() throws IOException {
        if (seconds < 1) {
            throw wrong("--time " + seconds + " is less than 1");
        }
        final List<SubjectFactory> subjects = new ArrayList<>(own());
        final List<SubjectFactory> peers = peers();
        subjects.addAll(peers);
        final List<Dataset> datasets = datasets();
        final List<Integer> counts = counts(datasets);
        for (final Path file : new Path[] {json, html}) {
            if (file != null) {
                checkWritable(file);
            }
        }
        try {
            final List<PeerCommand> programs = peerCommands.stream().map(text -> PeerCommand.of(text, peerTimeout)).toList();
            final String first = !peers.isEmpty() ? peers.get(0).subjectName()
                : !programs.isEmpty() ? programs.get(0).name() : subjects.get(0).subjectName();
            return new BenchmarkPlan(subjects, Optional.of(baseline != null ? baseline : first), datasets, counts, workloads,
                distribution, threads, rounds, TimeUnit.SECONDS.toNanos(seconds), !noModel, command(), cpuTime, programs, rate);
        } catch (final IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    /** Returns the indexes, or memtables with them. */
    private List<SubjectFactory> own() {
        final List<IndexType> chosen = indexes == null ? List.of(IndexType.values()) : indexes;
        if (indexesAlone) {
            for (final String option : List.of("--memtable", "--shards", "--value-bytes")) {
                if (commandLine().getParseResult().hasMatchedOption(option)) {
                    throw wrong(option + " is for memtables: leave out --indexes");
                }
            }
            return chosen.stream().map(index -> Subjects.ofName(index.indexName())).toList();
        }
        if (shards != null) {
            checkShards(shards);
        }
        if (valueBytes == null) {
            valueBytes = Values.MIN_BYTES;
        } else if (valueBytes < Values.MIN_BYTES || valueBytes > Values.MAX_BYTES) {
            throw wrong("--value-bytes " + valueBytes + " is outside " + Values.MIN_BYTES + " to " + Values.MAX_BYTES);
        }
        return chosen.stream().map(index -> Subjects.memtable(index, shards == null ? 0 : shards, valueBytes)).toList();
    }

    private List<SubjectFactory> peers() {
        if (peerNames == null) {
            return List.of();
        }
        final List<SubjectFactory> present;
        try {
            present = Subjects.peers();
        } catch (final BenchmarkException e) {
            throw new CommandException(e.getMessage(), e);
        }
        if (present.isEmpty()) {
            throw new CommandException("there are no peers on the class path: bin/nestling builds them and runs with them, "
                + "and so does java -cp target/benchmarks.jar " + Main.class.getName() + " bench --peers", null);
        }
        final List<SubjectFactory> peers = new ArrayList<>();
        for (final SubjectFactory peer : named(present)) {
            final Optional<String> obstacle = peer.obstacle();
            final String problem = peer.subjectName() + " cannot run here: " + obstacle.orElse("");
            if (obstacle.isEmpty()) {
                peers.add(indexesAlone ? peer : peer.withValues(valueBytes));
            } else if (peerNames.contains(ALL)) {
                warn("left out, " + problem);
            } else {
                throw new CommandException(problem, null);
            }
        }
        return peers;
    }

    private List<SubjectFactory> named(final List<SubjectFactory> present) {
        if (peerNames.contains(ALL)) {
            return present;
        }
        final List<SubjectFactory> named = new ArrayList<>();
        for (final String name : peerNames) {
            named.add(present.stream().filter(peer -> peer.subjectName().equals(name)).findFirst().orElseThrow(
                () -> wrong("--peers: expected all or some of " + Subjects.namesOf(present) + " but was '" + name + "'")));
        }
        return named;
    }

    private List<Dataset> datasets() {
        final List<Dataset> datasets = new ArrayList<>();
        for (final String name : datasetNames) {
            try {
                datasets.add(Dataset.of(name));
            } catch (final DatasetException e) {
                throw wrong(e.getMessage());
            }
        }
        return datasets;
    }

    private List<Integer> counts(final List<Dataset> datasets) {
        long most = Integer.MAX_VALUE;
        for (final Dataset dataset : datasets) {
            final long there = dataset.maxKeys();
            most = Math.min(most, there);
            for (final int count : keyCounts == null ? List.<Integer>of() : keyCounts) {
                if (count > there) {
                    throw wrong("--keys " + count + " is more than the " + there + " keys of " + dataset.name());
                }
            }
        }
        return keyCounts == null ? List.of((int) Math.min(DEFAULT_KEYS, most)) : keyCounts;
    }

    /** Checks that a file can be written before a run of minutes. */
    private void checkWritable(final Path file) {
        final boolean present = Files.exists(file);
        try (BufferedWriter out = Files.newBufferedWriter(file, java.nio.file.StandardOpenOption.CREATE,
            java.nio.file.StandardOpenOption.APPEND)) {
            out.flush();
        } catch (final IOException e) {
            throw wrong("cannot write to " + file + ": " + (Files.isDirectory(file) ? "is a directory" : Messages.reason(e)));
        }
        if (!present) {
            try {
                Files.delete(file.toRealPath()); // a link stays
            } catch (final IOException e) {
                throw wrong("cannot write to " + file + ": " + Messages.reason(e));
            }
        }
    }

    private String command() {
        final List<String> words = new ArrayList<>(List.of("nestling"));
        for (final String word : commandLine().getParent().getParseResult().originalArgs()) {
            words.add(word.matches("[\\w.,:=/+@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return String.join(" ", words);
    }
}
