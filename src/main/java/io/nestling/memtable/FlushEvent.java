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

/** The Flight Recorder event of a flush. */
@Name("io.nestling.Flush")
@Label("Memtable Flush")
@Category("Nestling")
@Description("The content of a memtable was passed to a sink")
@StackTrace(false)
final class FlushEvent extends Event {
    @Label("Index")
    String index;

    @Label("Entries")
    long entries;

    @Label("Bytes")
    @Description("Bytes of the keys and values")
    @DataAmount
    long bytes;

    @Label("Tombstones")
    long tombstones;

    @Label("Range Tombstones")
    long rangeTombstones;

    @Label("Visible Sequence")
    @Description("Sequence number as of which the memtable was flushed")
    long visibleSequence;

    @Label("Complete")
    @Description("False if the sink failed or the memtable was closed")
    boolean complete;

    void fill(final FlushResult result) {
        entries = result.entries();
        bytes = result.bytes();
        tombstones = result.tombstones();
        rangeTombstones = result.rangeTombstones();
        visibleSequence = result.visibleSequence();
        complete = true;
    }
}
