/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;

import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs a plan. For each dataset and number of keys it loads all subjects and then runs each workload on all of them in rounds
 * ({@link Rounds}). Between workloads it collects garbage, so that the garbage of one does not slow another.
 * <h2>Thread safety</h2>
 * One run at a time.
 */
public final class Benchmark {
    private static final int WARM_UP_ROUNDS = 2;
    private static final double LOAD_WEIGHT = 3;
    private static final double FLUSH_WEIGHT = 1.5;
    private static final double SUSTAINED_WEIGHT = 6;
    private static final double WARM_UP_SHARE = 0.25;
    /* A warm-up of what uses no memory up goes on while compilers work for more than this part of the time. */
    private static final int IDLE_COMPILER_PART = 20;
    /* It takes at most this part of the workload's time. */
    private static final int MOST_WARM_UP_PART = 3;
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final long SHORTEST_ROUND_NANOS = 5_000_000L;
    private static final long LONGEST_ROUND_NANOS = 400_000_000L;
    /* Rounds that run even if no time is left, unless they take too long. */
    private static final int FEW_ROUNDS = 3;
    private static final long FEW_ROUNDS_NANOS = 3_000_000_000L;

    private final BenchmarkPlan plan;
    private final BenchmarkListener listener;
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> asFilled = new ArrayList<>();
    private final List<String> flushes = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<ServedPeer> peers;
    private TimeBudget budget;
    private Comparison comparison;

    private Benchmark(final BenchmarkPlan plan, final BenchmarkListener listener) {
        this.plan = plan;
        this.listener = listener;
        this.peers = plan.peers().stream().map(peer -> new ServedPeer(peer, plan.cpuTime(), reason -> {
            failed.add(reason);
            listener.fails(reason);
        })).toList();
    }

    /**
     * Runs a plan. Throws a {@link BenchmarkException} if there is too little memory, before anything is loaded, or if a subject
     * gives wrong answers or cannot take the keys; a {@link DatasetException} if a dataset cannot be read or has too few keys.
     */
    public static BenchmarkReport run(final BenchmarkPlan plan, final BenchmarkListener listener) throws DatasetException {
        return new Benchmark(plan, listener).run();
    }

    private BenchmarkReport run() throws DatasetException {
        for (final Dataset dataset : plan.datasets()) {
            listener.begins("looking at " + dataset.name());
            new MemoryCheck(plan, SystemMemory.now()).check(dataset);
        }
        budget = new TimeBudget(plan.nanos(), plan.datasets().size() * weightOfKeys(), System::nanoTime);
        listener.begins("looking at the machine");
        final Map<String, Object> facts = MachineProbe.facts(plan.command());
        final Optional<MachineModel> model = plan.model() ? MachineProbe.model() : Optional.empty();
        comparison = new Comparison(plan, model);
        facts.put("clock", plan.cpuTime() ? "processor time" : "wall time");
        try (WorkerThreads workers = new WorkerThreads(plan.threads(), plan.cpuTime())) {
            for (final Dataset dataset : plan.datasets()) {
                for (final int keys : plan.keyCounts()) {
                    listener.begins(String.format(Locale.ROOT, "%s: making %,d keys", dataset.name(), keys));
                    run(new KeyMaterial(dataset, keys, WorkloadFactory.keysToAdd(plan.threads(), allRounds())), workers);
                }
            }
        } catch (final UncheckedIOException e) {
            throw new BenchmarkException(e.getMessage(), e);
        } finally {
            peers.forEach(ServedPeer::close);
        }
        if (!flushes.isEmpty()) {
            facts.put("flushes", String.join("; ", flushes));
        }
        if (!asFilled.isEmpty()) {
            facts.put("betterAsFilled", String.join("; ", asFilled));
        }
        if (!failed.isEmpty()) {
            facts.put("failed", String.join("; ", failed));
        }
        if (!leftOut.isEmpty()) {
            facts.put("leftOut", String.join("; ", leftOut));
        }
        return new BenchmarkReport(facts, model, plan.baseline(), descriptions(), comparison.results());
    }

    private List<SubjectDescription> descriptions() {
        return Stream.concat(plan.subjects().stream().map(subject -> new SubjectDescription(subject.subjectName(),
            !(subject instanceof IndexSubjectFactory || subject instanceof MemtableSubjectFactory), subject.configuration())),
            plan.peers().stream().map(peer -> new SubjectDescription(peer.name(), true, peer.command()))).toList();
    }

    /* More keys take more time, and so do subjects that are measured in two states. */
    private double weightOfKeys() {
        final double moved = plan.subjects().stream().filter(SubjectFactory::movedByCollector).count();
        return plan.keyCounts().stream().mapToDouble(keys -> plan.workloads().stream()
            .mapToDouble(type -> weight(type, keys) * (type.loads() ? 1 : 1 + moved / plan.subjects().size())).sum()).sum();
    }

    private double weight(final WorkloadType type, final int keys) {
        final double average = plan.keyCounts().stream().mapToInt(Integer::intValue).average().orElse(1);
        if (type.sustained()) {
            return type == WorkloadType.SUSTAINED_PUT ? SUSTAINED_WEIGHT : 0;
        }
        return type.loads() ? LOAD_WEIGHT * keys / average : type == WorkloadType.FLUSH ? FLUSH_WEIGHT : 1;
    }

    private void run(final KeyMaterial material, final WorkerThreads workers) throws DatasetException {
        for (final WorkloadType type : plan.workloads()) {
            if (type.loads() && type != WorkloadType.LOAD) {
                try (LoadRounds loads = load(material, type, inOrder(material.keys(), type), workers, List.of())) {
                    comparison.add(material, type, loads.measurements());
                    leaveOut(loads);
                }
            }
        }
        if (plan.workloads().contains(WorkloadType.SUSTAINED_PUT)) {
            sustain(material);
        }
        if (plan.workloads().get(plan.workloads().size() - 1).compareTo(WorkloadType.LOAD) < 0) {
            return;
        }
        try (LoadRounds loads = load(material, WorkloadType.LOAD, material.keys(), workers, peers)) {
            leaveOut(loads);
            if (plan.workloads().contains(WorkloadType.LOAD)) {
                comparison.add(material, WorkloadType.LOAD,
                    Stream.concat(
                    loads.measurements().stream(), peers.stream().flatMap(peer -> peer.measurement().stream())).toList());
            }
            final Map<String, Measurement> loaded = new HashMap<>();
            loads.measurements().forEach(load -> loaded.put(load.subject(), load));
            final WorkloadFactory factory = new WorkloadFactory(material, plan.distribution(), plan.threads(), allRounds());
            final Map<WorkloadType, List<Measurement>> measured = new EnumMap<>(WorkloadType.class);
            for (final WorkloadType type : plan.workloads()) {
                if (!type.loads() && !type.sustained()) {
                    System.gc();
                    measured.put(type, measure(material, type, factory, targets(loads, type), peers, workers));
                }
            }
            for (final Target target : loads.targets()) {
                if (target.factory().movedByCollector() && !measured.isEmpty()) {
                    measureAsFilled(material, factory, loads.refill(target), measured, workers);
                }
            }
            measured.forEach((type, measurements) -> {
                measurements.stream().filter(measurement -> loaded.containsKey(measurement.subject()))
                    .forEach(measurement -> measurement.bytes(loaded.get(measurement.subject())));
                comparison.add(material, type, measurements);
            });
        }
    }

    /** Measures a subject before a full collection, and takes over what is better than after one. */
    private void measureAsFilled(
        final KeyMaterial material, final WorkloadFactory factory, final Target target,
        final Map<WorkloadType, List<Measurement>> measured, final WorkerThreads workers) throws DatasetException {
        for (final Map.Entry<WorkloadType, List<Measurement>> entry : measured.entrySet()) {
            for (final Measurement collected : entry.getValue()) {
                if (collected.subject().equals(target.name()) && collected.takeBetter(
                    measure(material, entry.getKey(), factory, List.of(target), List.of(), workers).get(0))) {
                    asFilled.add(target.name() + " in " + title(material, entry.getKey()));
                }
            }
        }
    }

    /** Returns the keys in the order of a load. */
    private static KeySet inOrder(final KeySet keys, final WorkloadType type) {
        return switch (type) {
            case LOAD_SORTED -> keys.sorted();
            case LOAD_REVERSED -> keys.sorted().reversed();
            default -> keys;
        };
    }

    /** Reports the subjects that could not take the keys; fails if none could. */
    private void leaveOut(final LoadRounds loads) {
        loads.refusals().forEach(listener::leavesOut);
        leftOut.addAll(loads.refusals());
        if (loads.measurements().isEmpty()) {
            throw new BenchmarkException(loads.refusals().get(0), null);
        }
    }

    private static List<Target> targets(final LoadRounds loads, final WorkloadType type) {
        return loads.targets().stream().filter(target -> target.factory().ordered() || !type.ordered()).toList();
    }

    private String title(final KeyMaterial material, final WorkloadType type) {
        return String.format(Locale.ROOT, "%s (%,d keys of %s)", type.workloadName(), material.count(), material.dataset());
    }

    /** Measures all subjects, one after the other, at a fixed rate; a first run of each, which does not count, warms up. */
    private void sustain(final KeyMaterial material) {
        final List<SubjectFactory> subjects = plan.subjects().stream().filter(SubjectFactory::ordered).toList();
        final String title = title(material, WorkloadType.SUSTAINED_PUT);
        final long share = budget.take(SUSTAINED_WEIGHT);
        final long nanos = Math.max(SHORTEST_ROUND_NANOS, (long) (share / subjects.size() / (1 + WARM_UP_SHARE)));
        List<SustainedRun> runs = List.of();
        for (final boolean counted : new boolean[] {false, true}) {
            runs = subjects.stream().map(subject -> new SustainedRun(subject, material, plan.rate())).toList();
            for (final SustainedRun run : runs) {
                System.gc();
                listener.begins(title + (counted ? ", " : ", warm-up, ") + run.subject());
                run.run(counted ? nanos : (long) (nanos * WARM_UP_SHARE));
            }
        }
        runs.forEach(run -> flushes.add(run.subject() + " " + run.flushed()));
        comparison.add(material, WorkloadType.SUSTAINED_PUT, runs.stream().map(SustainedRun::puts).toList());
        comparison.add(material, WorkloadType.SUSTAINED_GET, runs.stream().map(SustainedRun::gets).toList());
    }

    /** Loads all subjects, in rounds if the load is measured, else once. */
    private LoadRounds load(
        final KeyMaterial material, final WorkloadType type, final KeySet keys, final WorkerThreads workers,
        final List<ServedPeer> served) throws DatasetException {
        final String title = title(material, type);
        final boolean measured = plan.workloads().contains(type);
        final List<SubjectFactory> subjects =
            plan.subjects().stream().filter(subject -> subject.ordered() || !type.ordered()).toList();
        final Optional<FlushWorkload> flush = type == WorkloadType.FIRST_FLUSH
            ? Optional.of(new FlushWorkload(type, material.keys())) : Optional.empty();
        final LoadRounds loads = new LoadRounds(title, type, keys, flush, subjects, workers);
        final Path file = served.isEmpty() ? null : ServedPeer.writeKeys(material);
        served.forEach(peer -> peer.begin(file, material.count()));
        try {
            listener.begins(title + ", warm-up");
            final long share = measured ? budget.take(weight(type, material.count())) : 0;
            final long begin = System.nanoTime();
            if (measured) {
                loads.warmUp();
            }
            long longest = 0;
            for (int round = 1; round == 1 || measured && wants(round, begin, longest, share); round++) {
                listener.begins(title + ", round " + round);
                final long start = System.nanoTime();
                loads.round(measured, served);
                longest = Math.max(longest, System.nanoTime() - start);
            }
            if (measured && type == WorkloadType.LOAD && fits(begin, longest, share)) {
                listener.begins(title + ", latency");
                loads.timeOperations();
            }
            return loads;
        } catch (final RuntimeException | Error e) {
            loads.close();
            throw e;
        } finally {
            ServedPeer.deleteKeys(file);
        }
    }

    /** Returns whether to load in one more round: if it ends in time, or if there were few, short rounds. */
    private boolean wants(final int round, final long begin, final long longest, final long share) {
        return round <= plan.rounds() && (fits(begin, longest, share) || round <= FEW_ROUNDS && longest <= FEW_ROUNDS_NANOS);
    }

    /** Returns whether one more round ends in time. */
    private static boolean fits(final long begin, final long round, final long share) {
        return System.nanoTime() - begin + round <= share;
    }

    private List<Measurement> measure(
        final KeyMaterial material, final WorkloadType type, final WorkloadFactory factory, final List<Target> targets,
        final List<ServedPeer> served, final WorkerThreads workers) throws DatasetException {
        final String title = title(material, type);
        listener.begins(title + ", preparing");
        final Workload workload = factory.create(type);
        final long share = budget.take(weight(type, material.count()) * targets.size() / plan.subjects().size());
        final int all = targets.size() + served.size();
        final long slices = (long) all * (plan.rounds() + 1 + (workload.timesOperations() ? 1 : 0));
        final long nanos = Math.max(SHORTEST_ROUND_NANOS, Math.min(LONGEST_ROUND_NANOS, share / slices));
        final long chunksARound = (long) workload.chunks() * workload.passes() / allRounds();
        final int chunks = (int) Math.max(1, Math.min(Integer.MAX_VALUE, chunksARound));
        final Rounds rounds = new Rounds(title, type, workload, targets, served, workers);
        listener.begins(title + ", warm-up");
        final long begin = System.nanoTime();
        long longest = 0;
        boolean compiles = true;
        for (int round = 0; round < WARM_UP_ROUNDS || compiles && workload.passes() == Integer.MAX_VALUE; round++) {
            final long start = System.nanoTime();
            final long compiled = compilationNanos();
            rounds.run(nanos / WARM_UP_ROUNDS, chunks, false);
            final long now = System.nanoTime();
            longest = Math.max(longest, now - start);
            compiles = compilationNanos() - compiled > (now - start) / IDLE_COMPILER_PART
                && now - begin + longest < share / MOST_WARM_UP_PART;
        }
        final int count = rounds(Math.max(nanos * all, longest), share - (System.nanoTime() - begin));
        for (int round = 1; round <= count; round++) {
            listener.begins(title + ", round " + round + " of " + count);
            rounds.run(nanos, chunks, true);
        }
        if (workload.timesOperations()) {
            listener.begins(title + ", latency");
            rounds.timeOperations(nanos);
        }
        return rounds.measurements();
    }

    /** Returns the greatest number of rounds, with those of the warm-up. */
    private int allRounds() {
        return plan.rounds() + WARM_UP_ROUNDS;
    }

    /** Returns the time that compilers have worked, in nanoseconds; 0 on a JVM that only interprets. */
    private static long compilationNanos() {
        return COMPILER == null || !COMPILER.isCompilationTimeMonitoringSupported() ? 0
            : TimeUnit.MILLISECONDS.toNanos(COMPILER.getTotalCompilationTime());
    }

    /** Returns the number of rounds that fit into the time. */
    private int rounds(final long roundNanos, final long left) {
        final long few = roundNanos <= FEW_ROUNDS_NANOS ? FEW_ROUNDS : 1;
        return (int) Math.min(plan.rounds(), Math.max(few, left / Math.max(1, roundNanos)));
    }
}
