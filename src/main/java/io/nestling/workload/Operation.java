/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/** The operations of a client. */
public enum Operation {
    /** Gets the value of a present key. */
    READ,
    /** Puts another value of a present key. */
    UPDATE,
    /** Puts an absent key. */
    INSERT,
    /** Seeks a present key and reads entries from there. */
    SCAN,
    /** Gets the value of a present key, then puts another one. */
    READ_MODIFY_WRITE
}
