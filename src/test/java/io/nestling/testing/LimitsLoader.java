/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.bridge.NativeBridges;
import io.nestling.bytes.LoweredLimit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Loads the product once more, for limits that are read when its classes are initialized. The native bridges stay with the
 * first one.
 */
public final class LimitsLoader extends ClassLoader {
    private static final String PROJECT = "io.nestling.";
    private static final String BRIDGE = "io.nestling.bridge";

    private final boolean sharesBridge;

    /** Makes a loader that has loaded nothing. */
    public LimitsLoader() {
        this(false);
    }

    private LimitsLoader(final boolean sharesBridge) {
        super(LimitsLoader.class.getClassLoader());
        this.sharesBridge = sharesBridge;
    }

    /**
     * Makes a loader whose product takes its memory through the native bridge of the first one, which makes slabs sooner than
     * plain Java does.
     *
     * @return a new loader
     */
    public static LimitsLoader sharingBridge() {
        return new LimitsLoader(true);
    }

    /** Something that may throw anything. */
    public interface Task {
        /** Runs. */
        void run() throws Exception;
    }

    /**
     * Runs something while limits are lowered.
     *
     * @param limits values by the names of the limits
     * @param task what loads classes by a new loader
     */
    public static void with(final Map<String, Integer> limits, final Task task) throws Exception {
        NativeBridges.description(); // the first one's, before the property says otherwise
        final String bridge = System.getProperty(BRIDGE);
        System.setProperty(BRIDGE, "java");
        limits.forEach((name, value) -> System.setProperty(LoweredLimit.PROP_PREFIX + name, Integer.toString(value)));
        try {
            task.run();
        } finally {
            limits.keySet().forEach(name -> System.clearProperty(LoweredLimit.PROP_PREFIX + name));
            if (bridge == null) {
                System.clearProperty(BRIDGE);
            } else {
                System.setProperty(BRIDGE, bridge);
            }
        }
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            if (!name.startsWith(PROJECT) || sharesBridge && name.startsWith(BRIDGE + ".")) {
                return super.loadClass(name, resolve);
            }
            final Class<?> found = findLoadedClass(name);
            return found != null ? found : define(name);
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length, LimitsLoader.class.getProtectionDomain());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
