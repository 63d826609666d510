/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The choice of the bridge under other flags of the virtual machine, each in a process of its own. */
class BridgeProcessTest {
    private static final int FEATURE = Runtime.version().feature();
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    @TempDir
    private Path directory;

    private record Result(int exitCode, List<String> out, String err) {
    }

    @Test
    void shouldPickTheFastestBridgeWithoutAWarning() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final Result result = FEATURE >= 22 ? run(NATIVE_ACCESS) : run();
        assertEquals(0, result.exitCode, result.err);
        assertEquals(hasFfm() ? "ffm" : "jni", result.out.get(0));
        assertEquals("", result.err);
    }

    @Test
    void shouldFallBackToJavaWhereNativeAccessIsDenied() throws Exception {
        assumeTrue(FEATURE >= 24, "the flag came with JDK 24");
        final Result result = run("--illegal-native-access=deny");
        assertEquals(0, result.exitCode, result.err);
        assertEquals("java", result.out.get(0));
        assertEquals(3, result.out.size(), result.out.toString());
        assertTrue(result.out.get(1).startsWith("ffm: "), result.out.get(1));
        assertTrue(result.out.get(2).startsWith("jni: "), result.out.get(2));
    }

    @Test
    void shouldFailWhereAForcedBridgeIsDenied() throws Exception {
        assumeTrue(FEATURE >= 24, "the flag came with JDK 24");
        for (final String name : List.of("ffm", "jni")) {
            final Result result = run("--illegal-native-access=deny", "-Dio.nestling.bridge=" + name);
            assertNotEquals(0, result.exitCode, name);
            final String message = "IllegalStateException: the bridge '" + name + "' forced by";
            assertTrue(result.err.contains(message), result.err);
            assertTrue(result.err.contains("Caused by: "), result.err);
        }
    }

    @Test
    void shouldFallBackToJavaWhereTheLibraryCannotBeUnpacked() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final Path missing = directory.resolve("missing");
        final Result result = run("-Djava.io.tmpdir=" + missing);
        assertEquals(0, result.exitCode, result.err);
        assertEquals("java", result.out.get(0));
        assertTrue(result.out.get(2).contains("cannot unpack"), result.out.get(2));
        assertTrue(result.out.get(2).contains(missing.toString()), result.out.get(2));
    }

    @Test
    void shouldLoadTheLibraryFromARelativeDirectory() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final Path relative = Path.of("").toAbsolutePath().relativize(directory.toAbsolutePath());
        for (final String name : hasFfm() ? List.of("ffm", "jni") : List.of("jni")) {
            final List<String> flags = new ArrayList<>(List.of("-Djava.io.tmpdir=" + relative, "-Dio.nestling.bridge=" + name));
            if (FEATURE >= 22) {
                flags.add(NATIVE_ACCESS);
            }
            final Result result = run(flags.toArray(new String[0]));
            assertEquals(0, result.exitCode, result.err);
            assertEquals(name, result.out.get(0));
        }
    }

    @Test
    void shouldFailWhereAForcedBridgeDoesNotExist() throws Exception {
        final Result result = run("-Dio.nestling.bridge=turbo");
        assertNotEquals(0, result.exitCode);
        assertTrue(result.err.contains("expected one of ffm, jni, java but was 'turbo'"), result.err);
    }

    private Result run(final String... flags) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BridgeProcess.class.getName()));
        final Path out = directory.resolve("out");
        final Path err = directory.resolve("err");
        final Process process = new ProcessBuilder(command).redirectOutput(out.toFile())
                .redirectError(err.toFile()).start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "no end after a minute: " + command);
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), Files.readAllLines(out), Files.readString(err));
    }

    /** Whether the version of {@link FfmBridge} for newer JDKs is there and, as only in a jar, in use. */
    private static boolean hasFfm() {
        final String newer = "META-INF/versions/22/io/nestling/bridge/FfmBridge.class";
        final var source = NativeBridge.class.getProtectionDomain().getCodeSource();
        return FEATURE >= 22 && source.getLocation().getPath().endsWith(".jar")
                && NativeBridge.class.getClassLoader().getResource(newer) != null;
    }
}
