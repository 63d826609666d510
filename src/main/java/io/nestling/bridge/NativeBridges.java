/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the native bridge of this process: the first that loads of {@code ffm}, {@code jni} and {@code java},
 * or the one that the system property {@value #BRIDGE_PROP_NAME} names.
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
     * Returns the bridge of this process.
     *
     * @return the same bridge at every call
     * @throws IllegalStateException if the property forces a bridge that does not load; the cause is the reason
     * @throws IllegalArgumentException if the property names no bridge
     */
    public static NativeBridge get() {
        return Chosen.CHOICE.bridge();
    }

    /**
     * Returns the reasons why the bridges preferred to the one in use did not load.
     *
     * @return one line for each, such as {@code ffm: needs JDK 22 or later, this is 17}; empty if the first
     *     one loaded or one was forced
     */
    public static List<String> refusals() {
        return Chosen.CHOICE.refusals;
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

        private Choice(final NativeBridge bridge, final RuntimeException error, final List<String> refusals) {
            this.bridge = bridge;
            this.error = error;
            this.refusals = List.copyOf(refusals);
        }

        static Choice make(final String forced) {
            final List<String> refusals = new ArrayList<>();
            try {
                final NativeBridge bridge = forced == null ? firstAvailable(refusals) : force(forced);
                return new Choice(bridge, null, refusals);
            } catch (final IllegalStateException | IllegalArgumentException e) {
                return new Choice(null, e, refusals);
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
