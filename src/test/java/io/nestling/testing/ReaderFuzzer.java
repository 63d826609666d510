/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Fuzzes a reader of bytes: it must throw only what it documents, allocate no more than a target allows for an input, and take
 * no more than a second of processor time for one.
 * <p>
 * A search changes inputs by the mutator of the target, which knows their structure, and keeps each input that led to an
 * outcome not met before. An outcome is what the target says of an input, for a rejected one {@link #site} of the exception:
 * this stands in for the coverage that an instrumenting fuzzer measures, and needs no agent.
 * <p>
 * Inputs are files below {@code src/test/resources/fuzz}, one directory for each target: seeds, and what was found once. Each
 * build replays them. A search that fails writes the input below {@code target/fuzz}; the fix comes with a copy of it in the
 * resources.
 * <h2>Thread safety</h2>
 * One thread.
 */
public final class ReaderFuzzer {
    private static final long MAX_CPU_NANOS = 1_000_000_000L;
    private static final long STUCK_MILLIS = 20_000;
    private static final int MOST_INPUTS = 4096;
    private static final int MAX_INPUT_BYTES = 1 << 20;
    private static final int MAX_KEPT_BYTES = 1 << 17;
    private static final int SITE_FRAMES = 4;
    private static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final String name;
    private final Target target;
    private final List<byte[]> inputs = new ArrayList<>();
    private final Set<String> outcomes = new HashSet<>();
    private final TreeMap<String, Long> rejected = new TreeMap<>();
    private double greatestShare;

    /** Reads inputs. */
    public interface Target {
        /**
         * Reads an input.
         *
         * @param input the bytes, not to be changed
         * @return the outcome in few words: inputs with one outcome are taken to be alike
         * @throws Exception if the reader throws what it does not document
         */
        String read(byte[] input) throws Exception;

        /**
         * Checks what the reader makes of an input against something else; neither memory nor time counts.
         *
         * @param input the bytes, not to be changed
         * @throws Exception if it is wrong
         */
        default void compare(final byte[] input) throws Exception {
        }

        /**
         * Returns how much memory reading an input may take.
         *
         * @param input the bytes
         * @return bytes allocated on the heap, in sum
         */
        long allocationLimit(byte[] input);
    }

    /** Changes inputs. */
    public interface Mutator {
        /**
         * Changes an input.
         *
         * @param input the bytes, not to be changed
         * @param other another input, to take parts from
         * @param random chooses
         * @return new bytes
         */
        byte[] mutate(byte[] input, byte[] other, Random random);
    }

    /**
     * Begins with the inputs of the resources.
     *
     * @param name of the directory of inputs
     * @param target the reader
     * @throws IOException if they cannot be read
     */
    public ReaderFuzzer(final String name, final Target target) throws IOException {
        this.name = name;
        this.target = target;
        for (final Path file : files(name)) {
            inputs.add(Files.readAllBytes(file));
        }
    }

    /** Files with the inputs of a target, in the order of their names. */
    private static List<Path> files(final String name) throws IOException {
        final URL directory = ReaderFuzzer.class.getResource("/fuzz/" + name);
        if (directory == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(Path.of(directory.toURI()))) {
            return files.sorted().toList();
        } catch (final URISyntaxException e) {
            throw new IOException("cannot list " + directory, e);
        }
    }

    /**
     * Reads the inputs of the resources.
     *
     * @throws IOException if they cannot be read
     */
    public void replay() throws IOException {
        if (inputs.isEmpty()) {
            throw new AssertionError("no inputs in src/test/resources/fuzz/" + name);
        }
        AssertionError failure = null;
        for (final Path file : files(name)) {
            try {
                check(Files.readAllBytes(file), "input " + file.getFileName());
            } catch (final AssertionError e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Searches for inputs that the reader does not stand. Does nothing if there is no time for it.
     *
     * @param duration how long
     * @param seeds more inputs to begin with
     * @param mutator changes inputs
     * @throws Exception if an input cannot be kept
     */
    public void search(final Duration duration, final List<byte[]> seeds, final Mutator mutator) throws Exception {
        if (duration.isZero()) {
            return;
        }
        final long seed = Seeds.seed("fuzz of " + name);
        final Random random = new Random(seed);
        inputs.addAll(seeds);
        for (final byte[] input : List.copyOf(inputs)) {
            outcomes.add(check(input, "a seed of -Dseed=" + seed));
        }
        final long end = System.nanoTime() + duration.toNanos();
        final long cpuBefore = THREADS.getCurrentThreadCpuTime();
        final AtomicReference<byte[]> current = new AtomicReference<>();
        final Thread watch = watch(current);
        long count = 0;
        try {
            for (; System.nanoTime() < end; count++) {
                final byte[] other = pick(random);
                final byte[] input = mutator.mutate(pick(random), other, random);
                if (input.length > MAX_INPUT_BYTES) {
                    continue;
                }
                current.set(input);
                final String outcome = check(input, "round " + count + " of -Dseed=" + seed);
                current.set(null);
                if (outcomes.add(outcome) && inputs.size() < MOST_INPUTS && input.length <= MAX_KEPT_BYTES) {
                    inputs.add(input);
                }
                rejected.merge(outcome.startsWith("!") ? "rejected" : "read", 1L, Long::sum);
            }
        } finally {
            watch.interrupt();
        }
        System.out.printf(Locale.ROOT,
            "fuzz of %s: %d inputs in %d s of processor time, %d outcomes, %s, allocations up to %.2f of the limit%n",
            name, count, (THREADS.getCurrentThreadCpuTime() - cpuBefore) / 1_000_000_000, outcomes.size(), rejected,
            greatestShare);
    }

    /** New inputs are chosen more often. */
    private byte[] pick(final Random random) {
        final int size = inputs.size();
        final int recent = random.nextInt(3) == 0 ? Math.max(1, size / 8) : size;
        return inputs.get(size - 1 - random.nextInt(recent));
    }

    /** Reads an input twice if it took too much, since classes are loaded only once. */
    private String check(final byte[] input, final String what) throws IOException {
        try {
            String outcome;
            try {
                outcome = measure(input);
            } catch (final ExcessException e) {
                outcome = measure(input);
            }
            target.compare(input);
            return outcome;
        } catch (final Throwable failure) {
            throw new AssertionError(what + ", kept as " + keep(input) + ": " + failure, failure);
        }
    }

    private String measure(final byte[] input) throws Exception {
        final long limit = target.allocationLimit(input);
        final long thread = Thread.currentThread().getId();
        final long cpuBefore = THREADS.getCurrentThreadCpuTime();
        final long before = THREADS.getThreadAllocatedBytes(thread);
        final String outcome = target.read(input);
        final long allocated = THREADS.getThreadAllocatedBytes(thread) - before;
        final long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
        if (allocated > limit) {
            throw new ExcessException("allocated " + allocated + " bytes for an input of " + input.length + " (limit "
                + limit + "), outcome " + outcome);
        }
        if (cpu > MAX_CPU_NANOS) {
            throw new ExcessException("took " + cpu / 1_000_000 + " ms for an input of " + input.length + " bytes (limit "
                + MAX_CPU_NANOS / 1_000_000 + "), outcome " + outcome);
        }
        greatestShare = Math.max(greatestShare, (double) allocated / limit);
        return outcome;
    }

    /** Keeps an input that does not come to an end; the timeout of the test then ends it. */
    private Thread watch(final AtomicReference<byte[]> current) {
        final Thread fuzzing = Thread.currentThread();
        final Thread watch = new Thread(() -> {
            byte[] last = null;
            try {
                while (true) {
                    Thread.sleep(STUCK_MILLIS);
                    final byte[] now = current.get();
                    if (now != null && now == last) {
                        System.out.println("fuzz of " + name + ": one input takes more than " + STUCK_MILLIS
                            + " ms, kept as " + keep(now) + ", at " + Arrays.toString(fuzzing.getStackTrace()));
                        return;
                    }
                    last = now;
                }
            } catch (final InterruptedException e) {
                // The search is over.
            } catch (final IOException e) {
                e.printStackTrace();
            }
        }, "fuzz watch");
        watch.setDaemon(true);
        watch.start();
        return watch;
    }

    private Path keep(final byte[] input) throws IOException {
        final CRC32 crc = new CRC32();
        crc.update(input);
        final Path directory = Path.of(System.getProperty("basedir", ""), "target", "fuzz", name).toAbsolutePath();
        Files.createDirectories(directory);
        return Files.write(directory.resolve(String.format(Locale.ROOT, "found-%08x", crc.getValue())), input);
    }

    /**
     * Returns where an exception was thrown: its class and the innermost places in the product.
     *
     * @param thrown an exception that the reader documents
     * @return an outcome
     */
    public static String site(final Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        final StringBuilder site = new StringBuilder("!").append(innermost.getClass().getSimpleName());
        int frames = 0;
        for (final StackTraceElement frame : innermost.getStackTrace()) {
            if (frame.getClassName().startsWith("io.nestling.") && !isTest(frame) && frames++ < SITE_FRAMES) {
                site.append(' ').append(frame.getFileName()).append(':').append(frame.getLineNumber());
            }
        }
        return site.toString();
    }

    private static boolean isTest(final StackTraceElement frame) {
        return frame.getClassName().startsWith("io.nestling.testing.") || frame.getClassName().endsWith("Test");
    }

    /** An input took more memory or time than it may. */
    private static final class ExcessException extends Exception {
        private static final long serialVersionUID = 1L;

        ExcessException(final String message) {
            super(message);
        }
    }
}
