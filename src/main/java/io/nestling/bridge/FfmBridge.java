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

    static final int FIRST_FEATURE_VERSION = 22;

    private FfmBridge() {
    }

    static NativeBridge open() throws BridgeUnavailableException {
        final int feature = Runtime.version().feature();
        if (feature < FIRST_FEATURE_VERSION) {
            throw new BridgeUnavailableException("needs JDK " + FIRST_FEATURE_VERSION
                    + " or later, this is " + feature);
        }
        throw new BridgeUnavailableException("its classes for JDK " + FIRST_FEATURE_VERSION + " and later are not in use: they"
            + " are in the packed jar alone, if a JDK of those built it, and a jar made from it has to keep"
            + " 'Multi-Release: true' in its manifest");
    }
}
