/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** A write came to a memtable that is frozen. It has changed nothing: repeat it on the memtable that took the other's place. */
public final class FrozenException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    FrozenException() {
        super("memtable is frozen");
    }
}
