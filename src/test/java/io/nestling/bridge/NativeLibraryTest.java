/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("bridge")
class NativeLibraryTest {
    /** One for the single line, one in the loop. */
    private static final int PREFETCH_SITES = 2;

    @Test
    void shouldNameTheLibraryByPlatform() {
        assertName("linux-x86_64/libnestling.so", "Linux", "amd64");
        assertName("linux-aarch64/libnestling.so", "Linux", "aarch64");
        assertName("macos-aarch64/libnestling.dylib", "Mac OS X", "aarch64");
        assertName("macos-x86_64/libnestling.dylib", "Mac OS X", "x86_64");
        assertName("windows-x86_64/nestling.dll", "Windows 11", "amd64");
        assertEquals("native/linux-aarch64-musl/libnestling.so", NativeLibrary.resourceName("Linux", "aarch64", true));
    }

    @Test
    void shouldHoldThePrefetchInstruction() throws IOException {
        final byte[] library = packedLibrary();
        final String name = NativeLibrary.resourceName();
        assumeTrue(name.contains("x86_64") || name.contains("aarch64"), "no known encoding for " + name);
        final int found = name.contains("x86_64") ? countX86(library) : countArm(library);
        assertTrue(found >= PREFETCH_SITES, () -> found + " prefetches: did the compiler drop some?");
    }

    /** The libraries of a release: as {@code .ci/build-native-all} leaves them in the directory that a property names. */
    @Test
    void shouldHoldTheSameFunctionsOnEveryPlatform() throws IOException {
        final String built = System.getProperty("native.built", "");
        assumeTrue(!built.isEmpty(), "not built for other platforms: -Dnative.built=DIRECTORY of .ci/build-native-all");
        final Set<String> names = new TreeSet<>();
        for (final Method method : JniBridge.class.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())) {
                names.add("Java_io_nestling_bridge_JniBridge_" + method.getName());
            }
        }
        assertEquals(8, names.size(), names.toString());
        for (final String name : List.of("version", "prefetch", "prefetch_vector", "map", "unmap", "advise")) {
            names.add("nestling_" + name);
        }
        final List<String> platforms = List.of("linux-x86_64/libnestling.so", "linux-aarch64/libnestling.so",
            "linux-x86_64-musl/libnestling.so", "linux-aarch64-musl/libnestling.so", "macos-x86_64/libnestling.dylib",
            "macos-aarch64/libnestling.dylib", "windows-x86_64/nestling.dll");
        for (final String platform : platforms) {
            final byte[] library = Files.readAllBytes(Path.of(built, "native", platform));
            assertEquals(names, ExportedNames.of(library), platform);
            final int found = platform.contains("x86_64") ? countX86(library) : countArm(library);
            assertTrue(found >= PREFETCH_SITES, () -> platform + ": " + found + " prefetches");
            final String text = new String(library, StandardCharsets.ISO_8859_1);
            assertFalse(text.contains(Path.of("").toAbsolutePath() + "/"), platform + " has a path of the machine that built it");
        }
    }

    @Test
    void shouldFindNoPrefetchInOtherCode() {
        // nop; prefetchnta [rdi]; prefetcht1 [rdi]; 0F 18 at the end
        assertEquals(0, countX86(new byte[] {(byte) 0x90, 0x0F, 0x18, 0x07, 0x0F, 0x18, 0x17, 0x0F, 0x18}));
        assertEquals(1, countX86(new byte[] {0x0F, 0x18, 0x0F}));
    }

    @Test
    void shouldUnpackPrivatelyAndLeaveNothingBehind() throws Exception {
        packedLibrary();
        final List<Path> seen = new ArrayList<>();
        NativeLibrary.load(file -> {
            seen.add(file);
            assertTrue(NativeLibrary.resourceName().endsWith("/" + file.getFileName()), file.toString());
            if (isPosix()) {
                assertEquals("rw-------", permissions(file));
                assertEquals("rwx------", permissions(file.getParent()));
            }
        });
        assertEquals(1, seen.size());
        assertFalse(Files.exists(seen.get(0)));
        assertFalse(Files.exists(seen.get(0).getParent()));
    }

    @Test
    void shouldDeleteWhatEndedProcessesLeftBehind(@TempDir final Path temporary) throws IOException {
        final Path old = Files.createDirectory(temporary.resolve("nestling-1"));
        final Path young = Files.createDirectory(temporary.resolve("nestling-2"));
        final Path others = Files.createDirectory(temporary.resolve("nestling-tables"));
        final Instant now = Instant.now();
        for (final Path directory : List.of(old, young)) {
            Files.createFile(directory.resolve("nestling.dll"));
        }
        Files.setLastModifiedTime(old.resolve("nestling.dll"), FileTime.from(now.minusSeconds(10)));
        Files.setLastModifiedTime(young.resolve("nestling.dll"), FileTime.from(now));
        NativeLibrary.deleteLeftBehind(temporary, "nestling.dll", now.minusSeconds(5));
        assertFalse(Files.exists(old));
        assertTrue(Files.exists(young.resolve("nestling.dll")));
        assertTrue(Files.exists(others));
        NativeLibrary.deleteLeftBehind(temporary.resolve("missing"), "nestling.dll", now);
    }

    @Test
    void loadThrowsBridgeUnavailableWhenTheLoaderFails() throws IOException {
        packedLibrary();
        final List<Path> seen = new ArrayList<>();
        final BridgeUnavailableException e = assertThrows(BridgeUnavailableException.class,
                () -> NativeLibrary.load(file -> {
                    seen.add(file);
                    throw new UnsatisfiedLinkError("wrong ELF class");
                }));
        assertTrue(e.getMessage().contains(NativeLibrary.resourceName()), e.getMessage());
        assertTrue(e.getMessage().contains("wrong ELF class"), e.getMessage());
        assertFalse(Files.exists(seen.get(0).getParent()));
    }

    private static void assertName(final String expected, final String osName, final String osArch) {
        assertEquals("native/" + expected, NativeLibrary.resourceName(osName, osArch, false));
    }

    /**
     * The packed library; only a build without a C compiler, which forces the pure Java bridge, may lack it.
     */
    private static byte[] packedLibrary() throws IOException {
        final ClassLoader loader = NativeBridge.class.getClassLoader();
        try (InputStream in = loader.getResourceAsStream(NativeLibrary.resourceName())) {
            if (in == null) {
                assumeFalse(NativeBridges.get().name().equals("java"), "built without a C compiler");
            }
            assertNotNull(in, NativeLibrary.resourceName());
            return in.readAllBytes();
        }
    }

    /** Counts {@code prefetcht0}: 0F 18 with 1 in the middle field of the third byte and a memory operand. */
    private static int countX86(final byte[] code) {
        int count = 0;
        for (int i = 0; i + 2 < code.length; i++) {
            final int operand = code[i + 2] & 0xFF;
            if (code[i] == 0x0F && code[i + 1] == 0x18 && (operand >> 3 & 7) == 1 && operand >> 6 != 3) {
                count++;
            }
        }
        return count;
    }

    /** Counts {@code prfm pldl1keep, [xN]}. */
    private static int countArm(final byte[] code) {
        final ByteBuffer words = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
        int count = 0;
        for (int i = 0; i + 3 < code.length; i += 4) {
            if ((words.getInt(i) & 0xFFFFFC1F) == 0xF9800000) {
                count++;
            }
        }
        return count;
    }

    private static boolean isPosix() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }

    private static String permissions(final Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
