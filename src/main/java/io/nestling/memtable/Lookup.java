/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** The outcome of looking up a key in a memtable. */
public enum Lookup {
    /** The key has a value here. */
    VALUE,
    /** The key was deleted here, alone or as part of a range: the caller must not read older data. */
    TOMBSTONE,
    /** The memtable knows nothing of the key: older data decides. */
    ABSENT
}
