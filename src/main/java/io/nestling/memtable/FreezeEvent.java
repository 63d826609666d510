/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The Flight Recorder event of a freeze. Its duration is the wait for writes under way. */
@Name("io.nestling.Freeze")
@Label("Memtable Freeze")
@Category("Nestling")
@Description("A memtable takes no more writes")
@StackTrace(false)
final class FreezeEvent extends Event {
    @Label("Index")
    String index;

    @Label("Entries")
    @Description("Number of keys")
    long entries;

    @Label("Reserved Bytes")
    @DataAmount
    long reservedBytes;

    @Label("Capacity Bytes")
    @DataAmount
    long capacityBytes;

    @Label("Last Sequence")
    long lastSequence;

    @Label("Hidden Entries Passed")
    @Description("Deleted or invisible entries that scans have passed")
    long hiddenEntriesPassed;

    @Label("Entries Shown")
    @Description("Entries that scans have shown")
    long entriesShown;

    @Label("Bridge")
    @Description("Native bridge of the process, and why it is not a faster one")
    String bridge;

    void fill(final MemtableStats stats, final long visible) {
        entries = stats.entries();
        reservedBytes = stats.reservedBytes();
        capacityBytes = stats.capacityBytes();
        lastSequence = visible;
        hiddenEntriesPassed = stats.hiddenEntriesPassed();
        entriesShown = stats.entriesShown();
        bridge = stats.bridge();
    }
}
