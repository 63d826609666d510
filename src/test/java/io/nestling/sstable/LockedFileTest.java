/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.testing.ChildProcess;
import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lock on a file survives every attempt of others to get it, and no descriptor is left. */
@Tag("jdk")
class LockedFileTest {
    private static final Path LOCKS = Path.of("/proc/locks");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir
    Path directory;
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("file");
    }

    /** Another process that locks a file, says whether it could, and waits. */
    static final class OtherProcess {
        private OtherProcess() {
        }

        public static void main(final String[] args) throws IOException {
            System.out.println(LockedFile.tryOpen(Path.of(args[0])) == null ? "refused" : "locked");
            System.in.read();
        }
    }

    private String fromAnotherProcess() throws Exception {
        final Process process = ChildProcess.java(OtherProcess.class, file.toString()).start();
        try {
            return process.inputReader().readLine();
        } finally {
            process.destroyForcibly();
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        }
    }

    /** Number of descriptors of this process on the file. */
    private long descriptors() throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return 1;
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(this::isFile).count();
        }
    }

    private boolean isFile(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file.toRealPath());
        } catch (final IOException e) {
            return false;
        }
    }

    private void assertHeld() throws Exception {
        if (Files.isReadable(LOCKS)) {
            final String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
            assertTrue(Files.readAllLines(LOCKS).stream().anyMatch(line -> line.contains(inode)), "no lock is held");
        }
        assertEquals("refused", fromAnotherProcess());
    }

    @Test
    void shouldHoldTheLockThroughRefusedAttempts() throws Exception {
        try (LockedFile locked = LockedFile.tryOpen(file)) {
            assertNotNull(locked);
            final Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
            for (final Path name : List.of(file, link.resolve("file"), Files.createLink(directory.resolve("hard"), file))) {
                assertNull(LockedFile.tryOpen(name), name::toString);
                assertEquals(1, descriptors());
            }
            assertHeld();
        }
        assertEquals("locked", fromAnotherProcess());
        LockedFile.tryOpen(file).close();
    }

    @Test
    void shouldHoldTheLockOfOneClassLoaderThroughAttemptsOfAnother() throws Exception {
        final URL place = LockedFile.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {place}, null)) {
            final Class<?> other = loader.loadClass(LockedFile.class.getName());
            assertNotEquals(LockedFile.class, other);
            final Callable<Object> attempt = () -> other.getMethod("tryOpen", Path.class).invoke(null, file);
            try (LockedFile locked = LockedFile.tryOpen(file)) {
                assertNotNull(locked);
                for (int i = 0; i < 3; i++) {
                    assertNull(attempt.call());
                    assertTrue(descriptors() <= 2, "the other loader opens the file each time");
                }
                assertHeld();
            }
            try (Closeable locked = (Closeable) attempt.call()) {
                assertNotNull(locked);
                assertEquals(1, descriptors());
                assertNull(LockedFile.tryOpen(file));
                assertHeld();
            }
        }
        LockedFile.tryOpen(file).close();
        assertEquals(0, Files.isDirectory(DESCRIPTORS) ? descriptors() : 0);
    }

    @Test
    void shouldLockAFileThatAKilledProcessLeft() throws Exception {
        assertEquals("locked", fromAnotherProcess());
        assertTrue(Files.exists(file));
        try (LockedFile locked = LockedFile.tryOpen(file)) {
            assertNotNull(locked);
        }
    }

    @Test
    void shouldDeleteItsOwnFileOnly() throws IOException {
        final LockedFile first = LockedFile.tryOpen(file);
        first.delete();
        assertFalse(Files.exists(file));
        try (LockedFile second = LockedFile.tryOpen(file)) {
            assertNotNull(second);
            first.delete();
            first.close();
            assertTrue(Files.exists(file));
            assertNull(LockedFile.tryOpen(file));
            Files.delete(file);
            Files.writeString(file, "another one");
            second.delete();
            assertTrue(Files.exists(file));
        }
    }

    @Test
    void shouldDeleteAfterAnInterruptOnlyIfTheFileIsFree() throws Exception {
        for (final boolean taken : new boolean[] {false, true}) {
            final LockedFile locked = LockedFile.tryOpen(file);
            Thread.currentThread().interrupt();
            assertThrows(IOException.class, () -> locked.channel().write(ByteBuffer.allocate(1)));
            assertTrue(Thread.interrupted());
            final Process process = ChildProcess.java(OtherProcess.class, file.toString()).start();
            try {
                if (taken) {
                    assertEquals("locked", process.inputReader().readLine());
                }
                assertNull(LockedFile.tryOpen(file));
                locked.delete();
                assertEquals(taken, Files.exists(file));
            } finally {
                process.destroyForcibly();
                assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void shouldGiveTheLockToOneThreadAtATime() throws Exception {
        final AtomicInteger owners = new AtomicInteger();
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            final Callable<Integer> task = () -> {
                int owned = 0;
                for (int i = 0; i < 500; i++) {
                    final LockedFile locked = LockedFile.tryOpen(file);
                    if (locked != null) {
                        assertEquals(1, owners.incrementAndGet());
                        owned++;
                        owners.decrementAndGet();
                        if (i % 2 == 0) {
                            locked.delete();
                        } else {
                            locked.close();
                        }
                    }
                }
                return owned;
            };
            int owned = 0;
            for (final Future<Integer> future : threads.invokeAll(List.of(task, task, task, task))) {
                owned += future.get();
            }
            assertTrue(owned > 0);
        } finally {
            threads.shutdownNow();
        }
        assertEquals(0, Files.isDirectory(DESCRIPTORS) ? descriptors() : 0);
    }

    @Test
    @Timeout(20)
    void tryOpenThrowsFileSystemExceptionForWhatIsNoRegularFile() throws Exception {
        Files.createDirectory(directory.resolve("directory"));
        Files.writeString(directory.resolve("target"), "content");
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("target"));
        Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("missing"));
        for (final String name : List.of("directory", "link", "dangling")) {
            assertNotRegular(name);
        }
        assumeTrue(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString()).start().waitFor() == 0);
        assertNotRegular("pipe");
    }

    private void assertNotRegular(final String name) {
        final FileSystemException e =
            assertThrows(FileSystemException.class, () -> LockedFile.tryOpen(directory.resolve(name)));
        assertEquals("not a regular file", e.getReason());
    }
}
