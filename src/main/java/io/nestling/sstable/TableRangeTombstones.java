/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.RangeTombstone;
import io.nestling.index.RangeTombstoneSet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The range tombstones of a table, ordered by their first keys, with lookup of the one that covers a key. They form a balanced
 * tree over the sorted list (the root is the middle); each node has the greatest end and the greatest sequence number of its
 * subtree. A lookup takes O(log n) steps and one for each range around the key that could still improve the result.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class TableRangeTombstones implements RangeTombstoneSet {
    private final List<RangeTombstone> tombstones;
    /* null if one of the subtree has no end. */
    private final byte[][] greatestEnds;
    private final long[] greatestSequences;

    /** Creates the tree of tombstones in ascending order of their first keys. */
    TableRangeTombstones(final List<RangeTombstone> tombstones) {
        this.tombstones = List.copyOf(tombstones);
        greatestEnds = new byte[tombstones.size()][];
        greatestSequences = new long[tombstones.size()];
        if (!tombstones.isEmpty()) {
            build(0, tombstones.size() - 1);
        }
    }

    /** Reads the range tombstones of a table. */
    static TableRangeTombstones read(final BlockReader blocks, final HandleList rangeHandles) throws IOException {
        final List<RangeTombstone> tombstones = new ArrayList<>();
        final BlockBuffer buffer = new BlockBuffer();
        final BlockCursor entries = BlockCursor.ofEntries();
        for (int i = 0; i < rangeHandles.size(); i++) {
            blocks.read(BlockType.RANGE_TOMBSTONES, rangeHandles.get(i).offset(), rangeHandles.get(i).length(), buffer);
            try {
                entries.load(buffer.raw(), buffer.rawLength());
                entries.first();
                int count = 0;
                do {
                    if (count++ % TableEntryLayout.RESTART_INTERVAL == 0 && entries.shared() != 0) {
                        throw new MalformedBlockException("range tombstone " + (count - 1)
                            + " of the block shares " + entries.shared() + " bytes where a key must be whole");
                    }
                    addRangeTombstone(entries, tombstones);
                } while (entries.next());
            } catch (final MalformedBlockException e) {
                throw blocks.corrupt(BlockType.RANGE_TOMBSTONES, rangeHandles.get(i).offset(), e.getMessage(), e);
            }
        }
        return new TableRangeTombstones(tombstones);
    }

    private static void addRangeTombstone(final BlockCursor entries, final List<RangeTombstone> tombstones) {
        if (entries.form() != TableEntryLayout.FORM_RANGE_TOMBSTONE) {
            throw new MalformedBlockException("entry of form " + entries.form() + " among range tombstones");
        }
        final byte[] from = Arrays.copyOf(entries.keyBuffer(), entries.keyLength());
        final byte[] to = entries.valueLength() == 0 ? null : Arrays.copyOfRange(
            entries.data(), entries.valueOffset(), entries.valueOffset() + entries.valueLength());
        if (to != null && Arrays.compareUnsigned(from, to) >= 0) {
            throw new MalformedBlockException("range tombstone " + tombstones.size() + " covers no key");
        }
        if (!tombstones.isEmpty() && Arrays.compareUnsigned(from, tombstones.get(tombstones.size() - 1).fromInclusive()) < 0) {
            throw new MalformedBlockException("range tombstone " + tombstones.size() + " begins before the one before it");
        }
        tombstones.add(new RangeTombstone(from, to, entries.sequence()));
    }

    List<RangeTombstone> asList() {
        return tombstones;
    }

    @Override
    public void forEach(final Consumer<RangeTombstone> action) {
        tombstones.forEach(action);
    }

    @Override
    public long newestCovering(final byte[] key, final int length, final long maxSequence) {
        return newest(0, tombstones.size() - 1, key, length, maxSequence, NONE);
    }

    private void build(final int low, final int high) {
        final int middle = low + high >>> 1;
        byte[] end = tombstones.get(middle).toExclusive();
        long sequence = tombstones.get(middle).sequence();
        if (low < middle) {
            build(low, middle - 1);
            final int left = low + middle - 1 >>> 1;
            end = greater(end, greatestEnds[left]);
            sequence = Math.max(sequence, greatestSequences[left]);
        }
        if (middle < high) {
            build(middle + 1, high);
            final int right = middle + 1 + high >>> 1;
            end = greater(end, greatestEnds[right]);
            sequence = Math.max(sequence, greatestSequences[right]);
        }
        greatestEnds[middle] = end;
        greatestSequences[middle] = sequence;
    }

    private long newest(
        final int low, final int high, final byte[] key, final int length, final long maxSequence,
        final long best) {
        if (low > high) {
            return best;
        }
        final int middle = low + high >>> 1;
        if (greatestSequences[middle] <= best || !endsAfter(greatestEnds[middle], key, length)) {
            return best;
        }
        long newest = newest(low, middle - 1, key, length, maxSequence, best);
        final RangeTombstone here = tombstones.get(middle);
        if (compare(here.fromInclusive(), key, length) > 0) {
            return newest;
        }
        if (here.sequence() <= maxSequence && here.sequence() > newest && endsAfter(here.toExclusive(), key, length)) {
            newest = here.sequence();
        }
        return newest(middle + 1, high, key, length, maxSequence, newest);
    }

    private static int compare(final byte[] bound, final byte[] key, final int length) {
        return ByteComparison.compare(bound, 0, bound.length, key, 0, length);
    }

    private static boolean endsAfter(final byte[] end, final byte[] key, final int length) {
        return end == null || compare(end, key, length) > 0;
    }

    private static byte[] greater(final byte[] left, final byte[] right) {
        if (left == null || right == null) {
            return null;
        }
        return ByteComparison.compare(left, right) >= 0 ? left : right;
    }
}
