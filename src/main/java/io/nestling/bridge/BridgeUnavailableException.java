/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/** Thrown if a native bridge cannot be used in this process; leaves the package only as a cause. */
final class BridgeUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    BridgeUnavailableException(final String reason) {
        super(reason);
    }

    BridgeUnavailableException(final String reason, final Throwable cause) {
        super(reason + ": " + cause, cause);
    }
}
