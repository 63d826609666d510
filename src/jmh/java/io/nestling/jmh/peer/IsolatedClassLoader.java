/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Loads the classes of one packed library, and ours that are compiled against it, anew; everything else comes
 * from the parent. So two versions of the library can work side by side.
 */
final class IsolatedClassLoader extends URLClassLoader {
    private static final String LIBRARY = "/peers/cassandra-all-6.0-alpha2.jar";
    private static final List<String> OWN = List.of("org.apache.cassandra.", "io.nestling.jmh.peer.cassandra.");
    private static IsolatedClassLoader loader;

    static {
        registerAsParallelCapable();
    }

    private IsolatedClassLoader(final URL library) {
        super("cassandra-6", new URL[] {library}, IsolatedClassLoader.class.getClassLoader());
    }

    /** Returns whether the library is packed. */
    static boolean isPresent() {
        return IsolatedClassLoader.class.getResource(LIBRARY) != null;
    }

    /** The one loader; unpacks the library into a temporary file at the first call. */
    static synchronized IsolatedClassLoader get() {
        if (loader == null) {
            try (InputStream stream = IsolatedClassLoader.class.getResourceAsStream(LIBRARY)) {
                final Path file = Files.createTempFile("cassandra-6-", ".jar");
                file.toFile().deleteOnExit();
                Files.copy(stream, file, StandardCopyOption.REPLACE_EXISTING);
                loader = new IsolatedClassLoader(file.toUri().toURL());
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return loader;
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        if (OWN.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> known = findLoadedClass(name);
            return known == null ? findClass(name) : known;
        }
    }

    @Override
    protected Class<?> findClass(final String name) throws ClassNotFoundException {
        if (!name.startsWith(OWN.get(1))) {
            return super.findClass(name);
        }
        try (InputStream stream = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (stream == null) {
                throw new ClassNotFoundException(name);
            }
            final byte[] bytes = stream.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (final IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
