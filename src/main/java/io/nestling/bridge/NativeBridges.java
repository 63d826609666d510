/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the native bridge of this process: the first that loads of {@code ffm}, {@code jni} and {@code java},
 * or the one that the system property {@value #BRIDGE_PROP_NAME} names. If it could be a faster one, a warning (to the {@link
 * System.Logger} with this package's name) says why it is not, once a process, and what that costs.
 * <p>
 * The library comes out of the jar, by way of a temporary directory, or from where the system property
 * {@code io.nestling.native.path} names: a file, or a directory with it. The system property {@code io.nestling.native.tmpdir}
 * names a directory to be tried before the usual one for temporary files.
 * <p>
 * Callers on a hot path keep the bridge in a {@code static final} field: calls through a constant are inlined.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread at any time; the choice is made once.
 */
public final class NativeBridges {
    /** System property that forces one bridge: {@code ffm}, {@code jni} or {@code java}. */
    public static final String BRIDGE_PROP_NAME = "io.nestling.bridge";

    private NativeBridges() {
    }

    /**
     * Returns the bridge of this process, the same at every call. Throws an {@link IllegalStateException} if the property forces
     * a bridge that does not load, with the reason as its cause, and an {@link IllegalArgumentException} if it names no bridge.
     */
    public static NativeBridge get() {
        return Chosen.CHOICE.bridge();
    }

    /**
     * Returns the reasons why the bridges preferred to the one in use did not load, one line each, such as {@code ffm: needs JDK
     * 22 or later, this is 17}; empty if the first one loaded or one was forced.
     */
    public static List<String> refusals() {
        return Chosen.CHOICE.refusals;
    }

    /**
     * Returns the bridge of this process, and why it is not a faster one, in a line such as {@code ffm} or {@code java (ffm:
     * needs JDK 22 or later, this is 17; jni: ...)}.
     */
    public static String description() {
        final String name = get().name();
        final String why = Chosen.CHOICE.isForced ? "set by -D" + BRIDGE_PROP_NAME : String.join("; ", refusals());
        return why.isEmpty() ? name : name + " (" + why + ")";
    }

    /**
     * Logs a warning if a faster bridge should have loaded: none is native, or not that of a JDK which has FFM.
     */
    static void warn(final NativeBridge bridge, final List<String> refusals) {
        final boolean isNewer = Runtime.version().feature() >= FfmBridge.FIRST_FEATURE_VERSION;
        if (bridge.isNative() && (!isNewer || refusals.isEmpty())) {
            return;
        }
        final String costs = bridge.isNative() ? "each prefetch takes a call through JNI, and a slab has at most 2 GiB"
            : "reads and writes of large memtables are slower, without prefetches and 2 MiB pages, and memory is taken at"
            + " once, or twice where temporary files are on disk: a copy in the page cache that the system can reclaim";
        System.getLogger(NativeBridges.class.getPackageName()).log(System.Logger.Level.WARNING,
            "Nestling runs on the bridge ''{0}'': {1}. Reasons: {2}", bridge.name(), costs, String.join("; ", refusals));
    }

    /** Opens one bridge by name; throws the error of a forced bridge. */
    static NativeBridge force(final String name) {
        try {
            return open(name);
        } catch (final BridgeUnavailableException e) {
            throw new IllegalStateException("the bridge '" + name + "' forced by -D" + BRIDGE_PROP_NAME
                    + " does not load: " + e.getMessage(), e);
        }
    }

    /**
     * Opens the fastest bridge that loads; appends the reasons why faster ones did not load to {@code refusals}.
     */
    static NativeBridge firstAvailable(final List<String> refusals) {
        for (final String name : List.of(FfmBridge.NAME, JniBridge.NAME)) {
            try {
                return open(name);
            } catch (final BridgeUnavailableException e) {
                refusals.add(name + ": " + e.getMessage());
            }
        }
        return JavaBridge.open();
    }

    private static NativeBridge open(final String name) throws BridgeUnavailableException {
        switch (name) {
            case FfmBridge.NAME:
                return FfmBridge.open();
            case JniBridge.NAME:
                return JniBridge.open();
            case JavaBridge.NAME:
                return JavaBridge.open();
            default:
                throw new IllegalArgumentException("-D" + BRIDGE_PROP_NAME + ": expected one of ffm, jni, java but was '"
                        + name + "'");
        }
    }

    /**
     * Holder of the choice. The class loads at the first use and never fails, so that each call can throw the
     * same error.
     */
    private static final class Chosen {
        static final Choice CHOICE = Choice.make(System.getProperty(BRIDGE_PROP_NAME));
    }

    /** A bridge, or the error that {@link #get} throws instead. */
    private static final class Choice {
        private final NativeBridge bridge;
        private final RuntimeException error;
        private final List<String> refusals;
        private final boolean isForced;

        private Choice(
            final NativeBridge bridge, final RuntimeException error, final List<String> refusals, final boolean isForced) {
            this.isForced = isForced;
            this.bridge = bridge;
            this.error = error;
            this.refusals = List.copyOf(refusals);
        }

        static Choice make(final String forced) {
            final List<String> refusals = new ArrayList<>();
            try {
                final NativeBridge bridge = forced == null ? firstAvailable(refusals) : force(forced);
                if (forced == null) {
                    warn(bridge, refusals);
                }
                return new Choice(bridge, null, refusals, forced != null);
            } catch (final IllegalStateException | IllegalArgumentException e) {
                return new Choice(null, e, refusals, forced != null);
            }
        }

        NativeBridge bridge() {
            if (error instanceof IllegalArgumentException) {
                throw new IllegalArgumentException(error.getMessage(), error);
            }
            if (error != null) {
                throw new IllegalStateException(error.getMessage(), error.getCause());
            }
            return bridge;
        }
    }
}
