/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;

import io.nestling.index.IndexContext;
import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.VarHandle;

/**
 * An entry of the Cuckoo Trie that is written over another one: head and tail are two loads, and what was read under one version
 * belongs together.
 * <p>
 * Weakened: the reader does not look at the version a second time.
 */
final class BucketVersionStress {
    /* Entries of the same identity: the lower half of the head, and different bodies. */
    private static final int IDENTITY = 0x1234_5678;
    private static final long OLD_HEAD = 1L << Integer.SIZE + 2 | IDENTITY;
    private static final long NEW_HEAD = 2L << Integer.SIZE + 2 | IDENTITY;
    private static final int BODY_SHIFT = Integer.SIZE + 2;
    private static final long OLD_TAIL = 1;
    private static final long NEW_TAIL = 2;
    private static final int CELL = 1;
    private static final NodeTable TABLE = table();
    private static final Slab SLAB = TABLE.slab();
    private static final Blocks BLOCKS = new Blocks(SLAB, BUCKET_BYTES);
    /* Behind the buckets of the smallest table. */
    private static final long FIRST_LINE = bucketOffset(TABLE.buckets());

    private static NodeTable table() {
        final NodeTable table = new NodeTable(IndexContext.standalone(64 << 20), 1);
        if (!table.canHold(table.buckets() + 2 * Blocks.COUNT)) {
            throw new AssertionError("no room for " + Blocks.COUNT + " buckets");
        }
        return table;
    }

    private static void putCell(final long line, final long head, final long tail) {
        final long at = cellOffset(line, CELL);
        SLAB.putLong(at, head);
        SLAB.putLong(at + Long.BYTES - 1, tail << Byte.SIZE | head >>> Long.SIZE - Byte.SIZE);
    }

    /** A bucket with one entry. */
    static class Bucket {
        final long line = FIRST_LINE + BLOCKS.next();
        final EntryProbe probe = new EntryProbe();

        Bucket() {
            SLAB.putInt(line, 0);
            putCell(line, OLD_HEAD, OLD_TAIL);
            SLAB.putInt(cellOffset(line, 2), 0);
            SLAB.putInt(cellOffset(line, 3), 0);
            SLAB.putInt(line + VERSION_OFFSET, 0);
        }

        final void write() {
            final int version = SLAB.getInt(line + VERSION_OFFSET);
            SLAB.putInt(line + VERSION_OFFSET, version + 1);
            VarHandle.releaseFence();
            putCell(line, NEW_HEAD, NEW_TAIL);
            SLAB.putIntRelease(line + VERSION_OFFSET, version + 2);
        }

        final void tell(final boolean isWhole, final II_Result r) {
            r.r1 = isWhole ? (int) (probe.head() >>> BODY_SHIFT) : -1;
            r.r2 = isWhole ? (int) probe.tail() : -1;
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 1", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "one entry")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "to be read anew")
    @Outcome(expect = Expect.FORBIDDEN, desc = "torn")
    public static class Kept extends Bucket {
        /** Writes the other entry. */
        @Actor
        public void writer() {
            write();
        }

        /** Reads the entry. */
        @Actor
        public void reader(final II_Result r) {
            tell(probe.read(TABLE, line, IDENTITY, -1) && probe.isWhole(TABLE), r);
        }
    }

    /** Without a second look. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 1", "2, 2"}, expect = Expect.ACCEPTABLE, desc = "one entry")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "to be read anew")
    @Outcome(id = {"1, 2", "2, 1"}, expect = Expect.ACCEPTABLE_INTERESTING, desc = "torn")
    public static class Weakened extends Bucket {
        /** Writes the other entry. */
        @Actor
        public void writer() {
            write();
        }

        /** Reads the entry. */
        @Actor
        public void reader(final II_Result r) {
            tell(probe.read(TABLE, line, IDENTITY, -1), r);
        }
    }
}
