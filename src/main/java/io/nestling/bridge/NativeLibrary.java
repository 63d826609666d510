/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/**
 * The packed native library: found by operating system and processor, unpacked into a private directory,
 * loaded and deleted again (the mapping stays).
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; each call unpacks its own copy.
 */
final class NativeLibrary {
    private static final String DIRECTORY_PREFIX = "nestling-";

    private NativeLibrary() {
    }

    /** Loads the unpacked file while it exists. */
    @FunctionalInterface
    interface Loader {
        void load(Path file);
    }

    /**
     * Returns the name of the packed library for this process, whether or not it was packed.
     *
     * @return resource name such as {@code native/linux-x86_64/libnestling.so}
     */
    static String resourceName() {
        return resourceName(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static String resourceName(final String osName, final String osArch) {
        final String os = osName.toLowerCase(Locale.ROOT);
        final boolean mac = os.startsWith("mac");
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
        return "native/" + system + "-" + processor + "/libnestling." + (mac ? "dylib" : "so");
    }

    /**
     * Unpacks the library and passes it to a loader.
     *
     * @param loader loads the file; an unchecked exception or linkage error that it throws becomes the reason
     * @throws BridgeUnavailableException if the library is not packed, cannot be unpacked or does not load
     */
    static void load(final Loader loader) throws BridgeUnavailableException {
        final String resource = resourceName();
        try (InputStream in = NativeLibrary.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new BridgeUnavailableException("no " + resource + " on the class path (built without"
                        + " a C compiler, or for another platform)");
            }
            unpackAndLoad(in, loader);
        } catch (final IOException e) {
            throw new BridgeUnavailableException("cannot unpack " + resource + " below "
                    + System.getProperty("java.io.tmpdir"), e);
        } catch (final LinkageError | RuntimeException e) {
            throw new BridgeUnavailableException("cannot load " + resource, e);
        }
    }

    private static void unpackAndLoad(final InputStream in, final Loader loader) throws IOException {
        final Path directory = Files.createTempDirectory(DIRECTORY_PREFIX, permissions("rwx------"));
        final Path file = directory.resolve("libnestling");
        try {
            Files.createFile(file, permissions("rw-------"));
            try (var out = Files.newOutputStream(file)) {
                in.transferTo(out);
            }
            loader.load(file.toAbsolutePath()); // java.io.tmpdir may be relative
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
    }

    private static FileAttribute<?> permissions(final String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }
}
