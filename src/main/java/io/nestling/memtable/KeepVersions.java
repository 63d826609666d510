/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** The versions of a key that a flush emits. */
public enum KeepVersions {
    /** The newest version of each key, tombstones included, unless a range tombstone hides it. */
    NEWEST,
    /** Like {@link #NEWEST}, and for each open snapshot the version that it sees. */
    NEEDED_BY_SNAPSHOTS,
    /** Every version, hidden ones included. */
    ALL
}
