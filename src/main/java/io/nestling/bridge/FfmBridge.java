/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/**
 * Placeholder for the bridge over the foreign-function interface. The packed jar holds the real one for JDK 22 and later.
 */
final class FfmBridge {
    static final String NAME = "ffm";

    private static final int FIRST_FEATURE_VERSION = 22;

    private FfmBridge() {
    }

    static NativeBridge open() throws BridgeUnavailableException {
        final int feature = Runtime.version().feature();
        if (feature < FIRST_FEATURE_VERSION) {
            throw new BridgeUnavailableException("needs JDK " + FIRST_FEATURE_VERSION
                    + " or later, this is " + feature);
        }
        throw new BridgeUnavailableException("is only in the packed multi-release jar, and only if"
                + " that was built with a JDK " + FIRST_FEATURE_VERSION + " or later at hand");
    }
}
