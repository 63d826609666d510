/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.workload.KeySet;

import java.util.Locale;

import org.openjdk.jmh.annotations.Param;

/** A memtable of one shard with room for all keys and values of eight bytes. */
public abstract class MemtableState extends KeyState {
    /** Room for an entry without its key: index, record, value. */
    private static final long ENTRY_BYTES = 192;
    private static final long LEAST_BYTES = 64L << 20;

    /** Index of the memtable: one of this library. */
    @Param("trie")
    public String memtableIndex;

    /** Opens an empty one. */
    final Memtable open(final KeySet present) {
        return Memtable.open(MemtableOptions.builder().index(IndexType.ofName(memtableIndex)).shards(1)
            .capacityBytes(LEAST_BYTES + present.size() * ENTRY_BYTES + 3 * present.keyBytes()).build());
    }

    /** The value of the key with a number: its payload, big endian. */
    static byte[] value(final int i) {
        final byte[] value = new byte[Long.BYTES];
        value[Long.BYTES - 1] = (byte) payload(i);
        value[Long.BYTES - 2] = (byte) (payload(i) >>> Byte.SIZE);
        return value;
    }

    /** Throws unless a value is right. */
    static void checkValue(final byte[] found, final int i) {
        check(found == null ? -1 : found[Long.BYTES - 1] & 0xFF | (found[Long.BYTES - 2] & 0xFF) << Byte.SIZE,
            payload(i), "value");
    }

    /** Prints what this run is about. */
    final void printHeader() {
        RunHeader.print(String.format(Locale.ROOT, "memtable with %s, one shard: %s, %,d keys", memtableIndex, dataset, keys));
    }
}
