/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.HexFormat;

/** A {@link MergeOperator} is missing, threw an exception or returned null. The message names the key. */
public final class MergeFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1;
    private static final int SHOWN_BYTES = 32;

    MergeFailedException(final byte[] key, final String problem, final RuntimeException cause) {
        super("cannot combine the operands of key [" + HexFormat.of().formatHex(key, 0, Math.min(key.length, SHOWN_BYTES))
            + (key.length > SHOWN_BYTES ? "... " + key.length + " bytes" : "") + "]: " + problem, cause);
    }
}
