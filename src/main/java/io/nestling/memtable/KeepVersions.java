/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** The versions of a key that a flush emits. */
public enum KeepVersions {
    /**
     * The newest version of each key, tombstones included, unless a range tombstone hides it. Operands are combined to one value
     * with the version that ends them; if the memtable has none, or one that may still expire, they are emitted as they are, with
     * that version.
     */
    NEWEST,
    /** Like {@link #NEWEST}, and for each open snapshot the version that it sees. Operands are not combined across a snapshot. */
    NEEDED_BY_SNAPSHOTS,
    /** Every version, hidden ones included, and operands as they are. */
    ALL
}
