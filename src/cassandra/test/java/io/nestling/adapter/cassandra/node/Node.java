/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real node in its own virtual machine, started like an installation: with the jars of one {@code lib/} directory, which
 * contains the jar of Nestling and those of Cassandra.
 * <p>
 * A node never survives this process: a shell between the two waits for the end of its input, which comes when this
 * process ends in any way, and then kills the node.
 */
final class Node implements AutoCloseable {
    static final int CQL_PORT = 9042;
    static final int STORAGE_PORT = 7000;

    private static final int MAX_LAUNCHES = 3;
    private static final List<String> NO_ANSWER = List.of("Unable to contact any seeds", "Unable to gossip with any peers");
    private static final long START_SECONDS = Long.getLong("nestling.cassandra.start.seconds", 180);
    private static final String KEEPER = "\"$@\" < /dev/null & echo $! > \"$0\"; cat > /dev/null; kill -9 $!; wait $!";

    private final Installation installation;
    private final Path directory;
    private final String address;
    private final String seeds;
    private final int ringDelayMillis;
    private final NodeOptions options;

    private Process keeper;
    private ProcessHandle process;
    private int managementPort;
    private int starts;

    /**
     * Creates a node without starting it.
     *
     * @param installation the files to run
     * @param name name of its directory, whose content is deleted
     * @param address an address of 127.0.0.0/8
     * @param seeds addresses of seeds; empty for a cluster of one
     * @param options other options
     */
    Node(final Installation installation, final String name, final String address, final List<String> seeds,
            final NodeOptions options) {
        this.installation = installation;
        this.directory = installation.nodes().resolve(name).toAbsolutePath();
        this.address = address;
        final List<String> all = seeds.isEmpty() ? List.of(address) : seeds;
        this.seeds = String.join(",", all.stream().map(seed -> seed + ":" + STORAGE_PORT).toList());
        // limits, among others, the wait for an answer of the seeds
        this.ringDelayMillis = seeds.isEmpty() ? 1000 : 6000;
        this.options = options;
        delete(directory);
    }

    /** Starts a cluster of one node and returns the node once it is ready. */
    static Node start(final String name, final NodeOptions options) {
        final Node node = new Node(Installation.tested(), name, Addresses.next(), List.of(), options);
        node.start();
        return node;
    }

    String address() {
        return address;
    }

    Path directory() {
        return directory;
    }

    /** Starts the node and waits until it takes requests. */
    void start() {
        if (isRunning()) {
            throw new IllegalStateException(address + " runs");
        }
        final long begin = System.nanoTime();
        for (int launches = 1; !isRunning(); launches++) {
            launch();
            try {
                awaitReady();
            } catch (final AssertionError | RuntimeException e) {
                // on a busy machine a seed may not answer in time
                if (launches == MAX_LAUNCHES || isRunning() || NO_ANSWER.stream().noneMatch(log()::contains)) {
                    kill();
                    throw e;
                }
            }
        }
        System.out.printf(Locale.ROOT, "%s: node %s ready after %.1f s, log in %s%n", LocalTime.now().withNano(0), address,
                (System.nanoTime() - begin) / 1e9, output());
    }

    private void launch() {
        starts++;
        Addresses.checkFree(address, STORAGE_PORT, CQL_PORT);
        managementPort = Addresses.freePort();
        try {
            Files.createDirectories(directory);
            final Path yaml = directory.resolve("cassandra.yaml");
            final String template = Files.readString(installation.template());
            Files.writeString(yaml, options.yaml(template, address, seeds, directory.toString()));
            final Path pid = directory.resolve("pid");
            Files.deleteIfExists(pid);
            final List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, pid.toString()));
            command.add(installation.java().toString());
            command.add("@" + installation.flags());
            command.add("-XX:+UseSerialGC");
            command.add("-XX:-UsePerfData");
            command.addAll(List.of(
                    "-Dcassandra.config=" + yaml.toUri(),
                    "-Dlogback.configurationFile=" + installation.template().resolveSibling("logback.xml").toUri(),
                    "-Dcassandra.storagedir=" + directory,
                    "-Dcassandra.logdir=" + directory.resolve("logs"),
                    "-Dcassandra-foreground=yes",
                    "-Dcassandra.jmx.local.port=" + managementPort,
                    "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                    "-Dcassandra.ring_delay_ms=" + ringDelayMillis,
                    "-Dcassandra.consistent.rangemovement=false",
                    "-Dcassandra.superuser_setup_delay_ms=0",
                    "-Dio.nestling.checks=true",
                    "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))));
            command.addAll(options.jvm());
            command.addAll(List.of("-cp", installation.classPath(), "org.apache.cassandra.service.CassandraDaemon"));
            final ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
            builder.redirectErrorStream(true).redirectOutput(output().toFile());
            keeper = builder.start();
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (!Files.exists(pid) || Files.size(pid) == 0) {
                if (System.nanoTime() > deadline || !keeper.isAlive()) {
                    throw new IllegalStateException("not started: " + command);
                }
                sleep(10);
            }
            sleep(20);
            process = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElse(null);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady() {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!takesConnections()) {
            if (!isRunning()) {
                throw new AssertionError(address + " ended while it started:\n" + lastLines());
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError(address + " not ready after " + START_SECONDS + " s:\n" + lastLines());
            }
            sleep(100);
        }
    }

    private boolean takesConnections() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, CQL_PORT), 1000);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Kills the node like a crash, without a flush or drain. */
    void kill() {
        if (keeper == null) {
            return;
        }
        try {
            keeper.getOutputStream().close();
            if (!keeper.waitFor(30, TimeUnit.SECONDS)) {
                throw new AssertionError(address + " not killed after 30 s");
            }
        } catch (final IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
        keeper = null;
        process = null;
    }

    /** Stops the node by a signal on which it drains. */
    void stop() {
        final ProcessHandle running = process;
        if (running != null && running.destroy()) {
            try {
                running.onExit().get(60, TimeUnit.SECONDS);
            } catch (final Exception e) {
                throw new AssertionError(address + " does not stop:\n" + lastLines(), e);
            }
        }
        kill();
    }

    NodeManagement manage() {
        try {
            return new NodeManagement(managementPort);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Returns the port of JMX on 127.0.0.1, which changes with each start. */
    int managementPort() {
        return managementPort;
    }

    /** Runs {@code nodetool} with a command and returns its output. */
    String nodetool(final String... command) {
        final List<String> all = new ArrayList<>(List.of(installation.java().toString(), "@" + installation.flags(), "-Xmx64m",
                "-XX:TieredStopAtLevel=1", "-Duser.home=" + directory, "-Dlogback.configurationFile="
                + installation.template().resolveSibling("logback.xml").toUri(), "-Dnestling.log.level=ERROR",
                "-cp", installation.classPath(), "org.apache.cassandra.tools.NodeTool", "-h", "127.0.0.1", "-p",
                String.valueOf(managementPort)));
        all.addAll(List.of(command));
        final Path file = directory.resolve("nodetool.log");
        try {
            final Process running = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(file.toFile()).start();
            if (!running.waitFor(60, TimeUnit.SECONDS)) {
                running.destroyForcibly();
                throw new AssertionError("nodetool runs for more than 60 s: " + String.join(" ", command));
            }
            final String output = Files.readString(file);
            if (running.exitValue() != 0) {
                throw new AssertionError("nodetool " + String.join(" ", command) + " failed:\n" + output);
            }
            return output;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    CqlSession connect() {
        return Sessions.connect(List.of(address));
    }

    /** Returns the output of the node since its last start. */
    String log() {
        try {
            return Files.readString(output());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path output() {
        return directory.resolve("output-" + starts + ".log");
    }

    private String lastLines() {
        final List<String> lines = log().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }

    @Override
    public void close() {
        kill();
    }

    static void sleep(final long millis) {
        try {
            Thread.sleep(millis);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(final Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (final Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Addresses and ports for the nodes of this process. */
    static final class Addresses {
        private static int last;

        private Addresses() {
        }

        /** Returns an unused address that no other process uses, as far as process numbers differ. */
        static synchronized String next() {
            final long pid = ProcessHandle.current().pid();
            while (last < 250) {
                last++;
                final String address = "127." + (1 + pid / 250 % 250) + "." + (1 + pid % 250) + "." + last;
                if (isFree(address, STORAGE_PORT) && isFree(address, CQL_PORT)) {
                    return address;
                }
            }
            throw new IllegalStateException("no free address");
        }

        static void checkFree(final String address, final int... ports) {
            for (final int port : ports) {
                final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                while (!isFree(address, port)) {
                    if (System.nanoTime() > deadline) {
                        throw new IllegalStateException(address + ":" + port + " is taken");
                    }
                    sleep(100);
                }
            }
        }

        static boolean isFree(final String address, final int port) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(address, port));
                return true;
            } catch (final IOException e) {
                return false;
            }
        }

        static int freePort() {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
