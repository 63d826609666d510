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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The choice of the bridge under other flags of the virtual machine, each in a process of its own. */
class BridgeProcessTest {
    private static final int FEATURE = Runtime.version().feature();
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final List<String> NATIVE_ACCESS_FLAGS = FEATURE >= 22 ? List.of(NATIVE_ACCESS) : List.of();

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
        if (FEATURE < 22 || hasFfm()) {
            assertEquals("", result.err);
        } else {
            assertWarned(result, "jni", "keep 'Multi-Release: true'");
        }
    }

    @Test
    void shouldFallBackToJavaWhereNativeAccessIsDenied() throws Exception {
        assumeTrue(FEATURE >= 24, "the flag came with JDK 24");
        final Result result = run("--illegal-native-access=deny");
        assertEquals(0, result.exitCode, result.err);
        assertEquals("java", result.out.get(0));
        assertEquals(4, result.out.size(), result.out.toString());
        assertTrue(result.out.get(1).startsWith("ffm: "), result.out.get(1));
        assertTrue(result.out.get(2).startsWith("jni: "), result.out.get(2));
        assertWarned(result, "java", "IllegalCallerException");
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
        assertWarned(
            result, "java", "-Dio.nestling.native.tmpdir names another directory, -Dio.nestling.native.path an unpacked");
    }

    @Test
    void shouldFallBackToJavaWhereNoProgramMayBeRun() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final Path noexec = Files.createDirectory(directory.resolve("noexec"));
        // In a view of the file systems of its own, which ends with the process.
        final List<String> mounted = List.of("unshare", "-rm", "sh", "-c",
            "mount -t tmpfs -o noexec,size=1m none \"$0\" && exec \"$@\"", noexec.toString());
        assumeTrue(canRun(mounted), "may not mount");
        final Result result = runAfter(mounted, "-Djava.io.tmpdir=" + noexec);
        assertEquals(0, result.exitCode, result.err);
        assertEquals("java", result.out.get(0));
        assertWarned(result, "java", "-Dio.nestling.native.path an unpacked " + NativeLibrary.resourceName());
    }

    @Test
    void shouldUnpackTheLibraryInEitherDirectory() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final String missing = directory.resolve("missing").toString();
        assertNative(run(NATIVE_ACCESS_FLAGS, "-Djava.io.tmpdir=" + missing, "-Dio.nestling.native.tmpdir=" + directory));
        assertNative(run(NATIVE_ACCESS_FLAGS, "-Djava.io.tmpdir=" + directory, "-Dio.nestling.native.tmpdir=" + missing));
    }

    @Test
    void shouldLoadTheLibraryThatAPropertyNames() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        final byte[] library = packedLibrary();
        final Path file = directory.resolve("any.so");
        Files.write(file, library);
        assertNative(run(NATIVE_ACCESS_FLAGS, "-Djava.io.tmpdir=missing", "-Dio.nestling.native.path=" + file));
        final Path below = directory.resolve("jar").resolve(NativeLibrary.resourceName());
        Files.createDirectories(below.getParent());
        Files.write(below, library);
        assertNative(run(
            NATIVE_ACCESS_FLAGS, "-Djava.io.tmpdir=missing", "-Dio.nestling.native.path=" + directory.resolve("jar")));
    }

    @Test
    void shouldSayWhatToDoAboutALibraryThatDoesNotFit() throws Exception {
        assumeTrue(NativeBridges.get().isNative(), "built without a C compiler");
        assertRefused(directory.resolve("missing"), "NoSuchFileException");
        final byte[] library = packedLibrary();
        final Path file = directory.resolve("other.so");
        Files.write(file, Arrays.copyOf(library, 100));
        assertRefused(file, "UnsatisfiedLinkError");
        if (NativeLibrary.resourceName().contains("linux")) {
            final byte[] other = library.clone();
            other[18] ^= 0x40; // the processor
            Files.write(file, other);
            assertRefused(file, "UnsatisfiedLinkError");
        }
        assumeTrue(changeVersion(library), "no known encoding of the version");
        Files.write(file, library);
        assertRefused(file, "expected a library of version " + NativeLibrary.VERSION + " but was " + (NativeLibrary.VERSION ^ 2));
    }

    /** Changes the version in each {@code mov eax, VERSION; ret}; returns whether one occurs. */
    private static boolean changeVersion(final byte[] library) {
        final byte[] code = {(byte) 0xB8, NativeLibrary.VERSION, 0, 0, 0, (byte) 0xC3};
        boolean found = false;
        for (int i = 0; i + code.length <= library.length; i++) {
            if (Arrays.equals(library, i, i + code.length, code, 0, code.length)) {
                library[i + 1] ^= 2;
                found = true;
            }
        }
        return found;
    }

    private void assertRefused(final Path path, final String reason) throws Exception {
        final Result result = run(NATIVE_ACCESS_FLAGS, "-Dio.nestling.native.path=" + path);
        assertEquals(0, result.exitCode, result.err);
        assertEquals("java", result.out.get(0));
        assertWarned(result, "java", reason);
        assertWarned(result, "java", "-Dio.nestling.native.path=" + path + " names, which has to be "
            + NativeLibrary.resourceName() + " of this release's jar");
    }

    private static void assertNative(final Result result) {
        assertEquals(0, result.exitCode, result.err);
        assertEquals(hasFfm() ? "ffm" : "jni", result.out.get(0), result.err);
    }

    /** Asserts that the only warning is that of the bridge, once, with the reason that the description has too. */
    private static void assertWarned(final Result result, final String bridge, final String reason) {
        final String warning = "WARNING: Nestling runs on the bridge '" + bridge + "': ";
        assertEquals(1, result.err.lines().filter(line -> line.contains("Nestling")).count(), result.err);
        assertTrue(result.err.contains(warning), result.err);
        assertTrue(result.err.contains(reason), result.err);
        final String description = result.out.get(result.out.size() - 1);
        assertTrue(description.startsWith(bridge + " (") && description.contains(reason), description);
    }

    private static boolean canRun(final List<String> prefix) throws InterruptedException {
        final List<String> command = new ArrayList<>(prefix);
        command.add("true");
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor() == 0;
        } catch (final IOException e) {
            return false;
        }
    }

    private static byte[] packedLibrary() throws IOException {
        try (InputStream in = NativeBridge.class.getClassLoader().getResourceAsStream(NativeLibrary.resourceName())) {
            return in.readAllBytes();
        }
    }

    private Result run(final List<String> flags, final String... more) throws IOException, InterruptedException {
        final List<String> all = new ArrayList<>(flags);
        all.addAll(List.of(more));
        return run(all.toArray(new String[0]));
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
        return runAfter(List.of(), flags);
    }

    private Result runAfter(final List<String> prefix, final String... flags) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(prefix);
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

    /** Whether the version of {@link FfmBridge} for newer JDKs is in use, or has to be, as in a jar that has it. */
    private static boolean hasFfm() {
        final String newer = "META-INF/versions/22/io/nestling/bridge/FfmBridge.class";
        final var source = NativeBridge.class.getProtectionDomain().getCodeSource();
        final boolean isInUse = NativeBridge.class.isAssignableFrom(FfmBridge.class);
        return isInUse || FEATURE >= 22 && source.getLocation().getPath().endsWith(".jar")
                && NativeBridge.class.getClassLoader().getResource(newer) != null;
    }
}
