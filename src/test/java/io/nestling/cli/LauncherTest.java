/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program {@code bin/nestling}, copied to odd places, with a java program that says what it was called with. */
@Tag("jdk")
class LauncherTest {
    private static final int SECONDS = 30;
    private static final List<String> SCRIPTS = List.of(
        "bin/nestling", "bin/cassandra-smoke", "bin/cassandra-cluster", "src/cassandra/conf/installation.sh", ".ci/find-jdks");
    private static final String VERSION =
        "case $* in *-XshowSettings*) echo '    java.specification.version = 17'; exit ;; esac\n";
    private static final String SAY = "#!/bin/sh\n" + VERSION + "printf '%s\\0' \"$0\" \"${LC_ALL-}\" \"$@\"\n";

    @TempDir
    private Path directory;
    private Path java;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")) && Files.exists(Path.of("/dev/stdin")), "a Unix");
        directory = directory.toRealPath();
        java = program(directory.resolve("java"), SAY);
        environment.put("NESTLING_JAVA", java.toString());
    }

    private static Path program(final Path file, final String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertTrue(file.toFile().setExecutable(true));
        return file;
    }

    /** A copy of the project, built. */
    private Path project(final String name) throws IOException {
        final Path project = directory.resolve(name);
        for (final String script : SCRIPTS) {
            program(project.resolve(script), Files.readString(DataFiles.root().resolve(script)));
        }
        Files.createDirectories(project.resolve("target/lib"));
        Files.createFile(project.resolve("target/nestling-1.jar"));
        Files.createFile(project.resolve("target/nestling-1-cli.jar"));
        return project;
    }

    private Outcome run(final Path place, final String... command) throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(place.toFile());
        environment.forEach((name, value) -> {
            builder.environment().remove(name);
            if (value != null) {
                builder.environment().put(name, value);
            }
        });
        final Process process = builder.start();
        try {
            process.getOutputStream().close();
            final byte[] out = process.getInputStream().readAllBytes();
            final String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "no end");
            return new Outcome(process.exitValue(), out, err);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void assertStarted(final Outcome outcome, final Path project, final String... args) {
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        final List<String> words = List.of(new String(outcome.out(), StandardCharsets.UTF_8).split("\0"));
        final int at = words.indexOf("-cp");
        final String target = project + "/target/";
        assertEquals(target + "nestling-1.jar:" + target + "nestling-1-cli.jar:" + target + "lib/*", words.get(at + 1));
        assertEquals(Main.class.getName(), words.get(at + 2));
        assertEquals(List.of(args), words.subList(at + 3, words.size()));
    }

    @Test
    void shouldStartFromDirectoriesWithOddNames() throws Exception {
        for (final String name : List.of("a b", "it's", "\"q\"", "new\nline", "-dash", "back\\nslash", "$HOME", "a*", "a;b&c")) {
            final Path project = project(name);
            assertStarted(run(directory, project + "/bin/nestling", "get", "a b", "", "*", "-x\n"), project,
                "get", "a b", "", "*", "-x\n");
            assertStarted(run(directory, "./" + name + "/bin/nestling", "load"), project, "load");
            assertStarted(run(project.resolve("bin"), "./nestling", "load"), project, "load");
        }
    }

    @Test
    void shouldIgnoreDirectoriesOfCdpath() throws Exception {
        final Path project = project("project");
        Files.createDirectories(directory.resolve("other/bin"));
        environment.put("CDPATH", directory.resolve("other") + ":" + directory);
        assertStarted(run(project, "bin/nestling", "load"), project, "load");
        assertEquals(0, run(project, "bin/cassandra-smoke", "--help").exitCode());
    }

    @Test
    void pathWithAColonFails() throws Exception {
        final Path project = project("a:b");
        for (final String script : List.of("nestling", "cassandra-smoke", "cassandra-cluster")) {
            final Outcome outcome = run(directory, project + "/bin/" + script);
            assertEquals(1, outcome.exitCode());
            assertEquals(script + ": Java cannot run from a directory with ':' in its path, which is " + project
                + "; move it, or name it otherwise\n", outcome.err());
        }
    }

    @Test
    void clusterElsewhereThanOnTheLoopbackFails() throws Exception {
        final Path project = project("project");
        for (final String net : List.of("10.0.0", "127.0", "127.0.256", "127.0.0.1")) {
            environment.put("NESTLING_CLUSTER_NET", net);
            final Outcome outcome = run(project, "bin/cassandra-cluster");
            assertEquals(1, outcome.exitCode());
            assertEquals("cassandra-cluster: NESTLING_CLUSTER_NET: expected three bytes from 127.0.0 to 127.255.255 but was '"
                + net + "'\n", outcome.err());
        }
    }

    @Test
    void shouldStartThroughLinks() throws Exception {
        final Path project = project("pro ject");
        final Path links = Files.createDirectory(directory.resolve("li nks"));
        Files.createSymbolicLink(links.resolve("first"), Path.of("../pro ject/bin/nestling"));
        Files.createSymbolicLink(links.resolve("-second"), links.resolve("first"));
        assertStarted(run(directory, links + "/-second", "load"), project, "load");
        assertStarted(run(links, "./first", "load"), project, "load");
        Files.createSymbolicLink(links.resolve("whole"), project);
        assertStarted(run(links, "whole/bin/nestling", "load"), project, "load");
        Files.createSymbolicLink(links.resolve("smoke"), project.resolve("bin/cassandra-smoke"));
        assertTrue(run(links, "./smoke", "--help").text().startsWith("Shows Nestling at work"));
        Files.createSymbolicLink(links.resolve("cluster"), project.resolve("bin/cassandra-cluster"));
        assertTrue(run(links, "./cluster", "--help").text().startsWith("Starts a cluster of three nodes"));
    }

    @Test
    void shouldTakeAUtf8LocaleInPlaceOfC() throws Exception {
        final Path project = project("project");
        environment.put("LANG", null);
        environment.put("LC_CTYPE", null);
        for (final String locale : new String[] {null, "", "C", "POSIX"}) {
            environment.put("LC_ALL", locale);
            assertEquals("C.UTF-8", run(project, "bin/nestling").text().split("\0")[1]);
        }
        environment.put("LC_ALL", "de_DE.ISO-8859-1");
        assertEquals("de_DE.ISO-8859-1", run(project, "bin/nestling").text().split("\0")[1]);
        environment.put("LC_ALL", null);
        environment.put("LANG", "en_US.UTF-8");
        assertEquals("", run(project, "bin/nestling").text().split("\0")[1]);
    }

    @Test
    void shouldReadNothingFromAClosedInput() throws Exception {
        final Path project = project("project");
        program(java, "#!/bin/sh\n" + VERSION + "exec readlink /proc/self/fd/0\n");
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "Linux");
        assertEquals("/dev/null\n", run(project, "/bin/sh", "-c", "exec bin/nestling load - <&-").text());
    }

    @Test
    void shouldTakeTheNewestJdkThatRuns() throws Exception {
        final Path project = project("project");
        environment.put("NESTLING_JAVA", null);
        environment.put("HOME", null);
        environment.put("JAVA_HOME_1", jdk("foreign", 100, "#!/bin/sh\nexit 126\n").toString());
        final Path good = jdk("go od", 99, SAY);
        environment.put("JAVA_HOME_2", good.toString());
        final Outcome outcome = run(project, "bin/nestling", "load");
        assertStarted(outcome, project, "load");
        assertEquals(good + "/bin/java", outcome.text().split("\0")[0]);
        final List<String> all = run(project, "sh", ".ci/find-jdks", "list").lines();
        assertEquals("99 " + good, all.get(0));
        assertEquals(List.of("99 " + good), run(project, "sh", ".ci/find-jdks", "list", "1").lines());
    }

    private Path jdk(final String name, final int feature, final String program) throws IOException {
        final Path home = directory.resolve(name);
        program(home.resolve("bin/java"), program);
        program(home.resolve("bin/javac"), program);
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + feature + ".0.1\"\n");
        return home;
    }
}
