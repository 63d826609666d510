/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bridge.NativeBridges;

import java.util.ArrayList;
import java.util.List;

/**
 * Statistics of a memtable. While threads write, the numbers are of slightly different moments.
 *
 * @param entries number of keys, deleted ones included
 * @param versions number of records written: all versions of all keys
 * @param recycledVersions number of replaced records among them that are recycled: nobody could read them any more
 * @param recyclingErrors number of shards that recycle no more records, since an error has ended that behind a complete write
 * @param rangeTombstones number of range tombstones
 * @param snapshots number of open snapshots
 * @param indexBytes bytes that the indexes use, and the objects of the memtable that do not grow
 * @param recordBytes bytes that the records use
 * @param rangeTombstoneBytes bytes that are charged for the range tombstones
 * @param freeRecordBytes bytes of recycled records that new ones have not taken yet; they do once readers have left
 * @param idleBytes bytes that are reserved but unused now: free records and blocks, retired blocks, unused ends of slabs
 * @param reservedBytes bytes that count against the capacity: the sum of the three kinds of bytes in use and of idle ones
 * @param capacityBytes bytes that may be reserved
 * @param hiddenEntriesPassed hidden entries that cursors have passed since the memtable was opened: deleted keys, and keys
 *     without a version that the cursor's reader sees. Each shard's part of a cursor counts what it reads: when it has read 128
 *     entries, and on close. Flush the memtable early when this is more than ten times {@code entriesShown} and more than
 *     {@code entries}: then scans meet mostly hidden entries, and have read as many of them as a flush reads entries
 * @param entriesShown entries that cursors have shown, counted in the same way
 * @param bridge the native bridge of the process, and why it is not a faster one, such as {@code ffm}
 * @param shards the shards, in order; immutable
 */
public record MemtableStats(
    long entries, long versions, long recycledVersions, long recyclingErrors, long rangeTombstones, long snapshots,
    long indexBytes, long recordBytes, long rangeTombstoneBytes, long freeRecordBytes, long idleBytes, long reservedBytes,
    long capacityBytes, long hiddenEntriesPassed, long entriesShown, String bridge, List<ShardStats> shards) {

    static MemtableStats of(final MemtableState state, final ShardSet shards) {
        final List<ShardStats> list = new ArrayList<>();
        long entries = 0;
        long versions = 0;
        long recycled = 0;
        long errors = 0;
        long free = 0;
        long indexBytes = 0;
        long recordBytes = 0;
        for (int i = 0; i < shards.count(); i++) {
            final ShardStats shard = shards.shard(i).stats();
            list.add(shard);
            entries += shard.entries;
            versions += shard.versions;
            indexBytes += shard.indexBytes;
            recordBytes += shard.recordBytes;
            recycled += shards.shard(i).recycledVersions();
            errors += shards.shard(i).recyclingError == null ? 0 : 1;
            free += shards.shard(i).records().bytesFree();
        }
        indexBytes += state.heap().bytes();
        final RangeTombstones ranges = state.rangeTombstones();
        final long rangeBytes = ranges.bytes();
        final long reserved = state.budget().used();
        return new MemtableStats(
            entries, versions, recycled, errors, ranges.count(), state.snapshots().count(), indexBytes, recordBytes,
            rangeBytes, free, reserved - indexBytes - recordBytes - rangeBytes, reserved, state.budget().capacity(),
            state.scans().hidden(), state.scans().shown(), NativeBridges.description(), List.copyOf(list));
    }

    /**
     * Statistics of one shard.
     *
     * @param entries number of keys, deleted ones included
     * @param versions number of records written
     * @param indexBytes bytes that the index uses
     * @param recordBytes bytes that the records use
     * @param writes number of puts and deletes, those of batches included
     * @param contendedWrites how often a writer waited for another one, short waits not counted
     * @param contentionNanos time that writers waited for others, in nanoseconds, behind such a short wait
     */
    public record ShardStats(
        long entries, long versions, long indexBytes, long recordBytes, long writes, long contendedWrites,
        long contentionNanos) {
    }
}
