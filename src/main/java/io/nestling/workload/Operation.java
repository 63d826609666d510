/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/** What a client does with one key. */
public enum Operation {
    /** Gets the value of a key that is there. */
    READ,
    /** Gives a key that is there another value. */
    UPDATE,
    /** Puts a key that is not there yet. */
    INSERT,
    /** Seeks a key that is there and reads some entries from it on. */
    SCAN,
    /** Gets the value of a key that is there, then gives it another one. */
    READ_MODIFY_WRITE
}
