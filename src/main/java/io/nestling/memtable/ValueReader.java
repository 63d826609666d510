/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.nio.ByteBuffer;

/** Reads a value where it lies, see {@link ReadView#read}. */
@FunctionalInterface
public interface ValueReader {
    /**
     * Takes a value.
     *
     * @param value the value from position 0 to the limit, read-only, in big-endian order; a read of it after
     *     the call may show other bytes, or abort the process
     * @param sequence its sequence number
     */
    void accept(ByteBuffer value, long sequence);
}
