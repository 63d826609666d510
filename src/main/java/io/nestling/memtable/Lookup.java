/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** What a memtable knows of a key. */
public enum Lookup {
    /** The key has a value here. */
    VALUE,
    /** The key was deleted here, alone or as part of a range: older data must not be asked. */
    TOMBSTONE,
    /** Nothing is known of the key here: older data decides. */
    ABSENT
}
