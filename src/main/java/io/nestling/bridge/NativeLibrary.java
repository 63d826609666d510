/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The native library: the packed one, found by operating system, C library and processor, unpacked into a private directory,
 * loaded and deleted again (the mapping stays); or the file that the system property {@value #PATH_PROP_NAME} names. The private
 * directory is made in {@value #TEMPORARY_PROP_NAME}, if that is set, or else, or if that fails, in {@code java.io.tmpdir}. On
 * Windows it stays until the library is unpacked again, an hour or more later.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; each call unpacks its own copy.
 */
final class NativeLibrary {
    /** System property that names an unpacked library, or a directory with one, to take in place of the packed one. */
    static final String PATH_PROP_NAME = "io.nestling.native.path";
    /** System property that names a directory to unpack the library in, to be tried before {@code java.io.tmpdir}. */
    static final String TEMPORARY_PROP_NAME = "io.nestling.native.tmpdir";
    /** Version of the functions of the library, as nestling.c has it. */
    static final int VERSION = 2;

    private static final String DIRECTORY_PREFIX = "nestling-";
    private static final Duration LEFT_BEHIND_AFTER = Duration.ofHours(1);
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private NativeLibrary() {
    }

    /** Loads the unpacked file while it exists. */
    @FunctionalInterface
    interface Loader {
        void load(Path file);
    }

    /**
     * Returns the name of the packed library for this process, such as {@code native/linux-x86_64/libnestling.so}, whether or not
     * it was packed.
     */
    static String resourceName() {
        return resourceName(System.getProperty("os.name", ""), System.getProperty("os.arch", ""), isMusl());
    }

    static String resourceName(final String osName, final String osArch, final boolean musl) {
        final String os = osName.toLowerCase(Locale.ROOT);
        final boolean mac = os.startsWith("mac");
        final boolean windows = os.startsWith("windows");
        final String system = mac ? "macos" : os.replaceAll("\\s.*", "");
        final String arch = osArch.toLowerCase(Locale.ROOT);
        final String processor;
        switch (arch) {
            case "amd64":
            case "x86_64":
                processor = "x86_64";
                break;
            case "arm64":
            case "aarch64":
                processor = "aarch64";
                break;
            default:
                processor = arch;
                break;
        }
        final String file = windows ? "nestling.dll" : mac ? "libnestling.dylib" : "libnestling.so";
        return "native/" + system + "-" + processor + (musl ? "-musl/" : "/") + file;
    }

    private static String fileName(final String resource) {
        return resource.substring(resource.lastIndexOf('/') + 1);
    }

    /** Returns whether the C library of this process is musl, as on Alpine Linux. */
    private static boolean isMusl() {
        try (Stream<String> mappings = Files.lines(MAPPINGS, StandardCharsets.ISO_8859_1)) {
            return mappings.anyMatch(line -> line.contains("/ld-musl-"));
        } catch (final IOException | UncheckedIOException e) {
            return false; // not Linux
        }
    }

    /**
     * Passes the library to a loader. Throws, with a message that says what to do, if the library is not packed, cannot be
     * unpacked or does not load; what the loader throws becomes the reason.
     */
    static void load(final Loader loader) throws BridgeUnavailableException {
        final String path = System.getProperty(PATH_PROP_NAME);
        if (path == null) {
            loadPacked(loader);
        } else {
            loadFrom(path, loader);
        }
    }

    private static void loadFrom(final String path, final Loader loader) throws BridgeUnavailableException {
        final String resource = resourceName();
        try {
            final Path given = Path.of(path);
            final Path inside = given.resolve(fileName(resource));
            final Path file = Stream.of(given, inside, given.resolve(resource)).filter(Files::isRegularFile).findFirst()
                .orElseThrow(() -> new NoSuchFileException(inside.toString()));
            loader.load(file.toAbsolutePath());
        } catch (final NoSuchFileException | LinkageError | RuntimeException e) {
            throw new BridgeUnavailableException("cannot load the library that -D" + PATH_PROP_NAME + "=" + path
                + " names, which has to be " + resource + " of this release's jar, or a directory with it", e);
        }
    }

    private static void loadPacked(final Loader loader) throws BridgeUnavailableException {
        final String resource = resourceName();
        final String given = System.getProperty(TEMPORARY_PROP_NAME);
        if (given != null) {
            try {
                loadPacked(resource, given, loader);
                return;
            } catch (final BridgeUnavailableException e) {
                // if the other directory fails too, that error says what to do
            }
        }
        loadPacked(resource, System.getProperty("java.io.tmpdir"), loader);
    }

    private static void loadPacked(final String resource, final String temporary, final Loader loader)
        throws BridgeUnavailableException {
        final String elsewhere = "; -D" + TEMPORARY_PROP_NAME + " names another directory, -D" + PATH_PROP_NAME + " an unpacked "
            + resource;
        try (InputStream in = NativeLibrary.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new BridgeUnavailableException("no " + resource + " in the jar: it was built without a C compiler, or for"
                    + " other platforms; -D" + PATH_PROP_NAME + " names one that you have built");
            }
            unpackAndLoad(in, Path.of(temporary), fileName(resource), loader);
        } catch (final IOException e) {
            throw new BridgeUnavailableException("cannot unpack " + resource + " below " + temporary + elsewhere, e);
        } catch (final UnsatisfiedLinkError e) {
            throw new BridgeUnavailableException("cannot load " + resource + elsewhere, e);
        } catch (final LinkageError | RuntimeException e) {
            throw new BridgeUnavailableException("cannot load " + resource, e);
        }
    }

    /** Checks the version of a loaded library; throws an {@link UnsatisfiedLinkError} if it is not {@link #VERSION}. */
    static void checkVersion(final int version) {
        if (version != VERSION) {
            throw new UnsatisfiedLinkError("expected a library of version " + VERSION + " but was " + version);
        }
    }

    private static void unpackAndLoad(
        final InputStream in, final Path temporary, final String name, final Loader loader) throws IOException {
        final boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        final Path directory = Files.createTempDirectory(temporary, DIRECTORY_PREFIX, permissions("rwx------", posix));
        final Path file = directory.resolve(name); // Windows looks for a library with a suffix
        try {
            Files.createFile(file, permissions("rw-------", posix));
            try (var out = Files.newOutputStream(file)) {
                in.transferTo(out);
            }
            loader.load(file.toAbsolutePath()); // java.io.tmpdir may be relative
        } finally {
            if (!(delete(file) && delete(directory))) {
                deleteLeftBehind(temporary, name, Instant.now().minus(LEFT_BEHIND_AFTER));
            }
        }
    }

    /**
     * Deletes the libraries that ended processes left in a directory: Windows keeps the file of a loaded one until its process
     * has ended, and so refuses for those of others, too. A younger one may be about to be loaded and stays.
     */
    static void deleteLeftBehind(final Path temporary, final String name, final Instant before) {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(temporary, DIRECTORY_PREFIX + "*")) {
            for (final Path directory : directories) {
                final Path file = directory.resolve(name);
                if (Files.isRegularFile(file) && Files.getLastModifiedTime(file).toInstant().isBefore(before) && delete(file)) {
                    delete(directory);
                }
            }
        } catch (final IOException | DirectoryIteratorException e) {
            return; // they stay until a later process
        }
    }

    /** Deletes a file or an empty directory; returns false if the system refuses. */
    private static boolean delete(final Path file) {
        try {
            Files.deleteIfExists(file);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    private static FileAttribute<?>[] permissions(final String mode, final boolean posix) {
        return posix ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
            : new FileAttribute<?>[0];
    }
}
