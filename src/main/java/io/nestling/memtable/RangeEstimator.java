/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.RangeSize;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Estimates what a memtable has in a range of keys. A range of few entries is counted. For others, a pass over all keys takes
 * some of them, equally many entries apart; it is made by the first estimate that needs it, and again when the keys have doubled.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. One makes the pass, and others that need it wait.
 */
final class RangeEstimator {
    /** Entries up to which a range is counted. */
    static final int COUNTED = 64;
    /** Greatest number of keys that are taken; at least half as many, if there are so many entries. */
    static final int MAX_POINTS = 512;
    /** Of a longer key, only so many leading bytes are kept. */
    static final int MAX_POINT_BYTES = 256;

    private final ShardSet shards;
    private volatile Sample sample;

    RangeEstimator(final ShardSet shards) {
        this.shards = shards;
    }

    /** Keys in order, and the entries and bytes up to each of them. */
    private static final class Sample {
        private final byte[][] keys = new byte[MAX_POINTS][];
        private final long[] entriesTo = new long[MAX_POINTS];
        private final long[] bytesTo = new long[MAX_POINTS];
        private final long keysThen;
        private int size;
        private long step = 1;
        private long entries;
        private long bytes;

        Sample(final long keysThen) {
            this.keysThen = keysThen;
        }

        void add(final EntryCursor cursor) {
            entries++;
            bytes += bytesOf(cursor);
            if (entries % step != 0) {
                return;
            }
            if (size == MAX_POINTS) {
                step *= 2;
                size = MAX_POINTS / 2;
                for (int i = 0; i < size; i++) {
                    keys[i] = keys[2 * i + 1];
                    entriesTo[i] = entriesTo[2 * i + 1];
                    bytesTo[i] = bytesTo[2 * i + 1];
                }
                if (entries % step != 0) {
                    return;
                }
            }
            keys[size] = Arrays.copyOf(cursor.keyBuffer(), Math.min(cursor.keyLength(), MAX_POINT_BYTES));
            entriesTo[size] = entries;
            bytesTo[size++] = bytes;
        }

        /** Returns the number of keys of the sample that are below a bound. */
        int pointsBelow(final byte[] bound) {
            int low = 0;
            int high = size;
            while (low < high) {
                final int middle = low + high >>> 1;
                if (ByteComparison.compare(keys[middle], bound) < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /** Returns the middle between the sums at the two keys of the sample that a bound is between. */
        static double between(final long[] sums, final int points, final int size, final long all) {
            final long lower = points == 0 ? 0 : sums[points - 1];
            return lower + ((points == size ? all : sums[points]) - lower) / 2.0;
        }
    }

    private static long bytesOf(final EntryCursor cursor) {
        return (long) cursor.keyLength() + cursor.valueLength();
    }

    /** Estimates a range, either bound of which may be null; see {@link ReadView#approximateSize}. */
    RangeSize estimate(final MemtableState state, final LongSupplier sequence, final byte[] from, final byte[] to) {
        long entries = 0;
        long bytes = 0;
        try (EntryCursor cursor = shards.cursor(state, sequence, ShardCursor.Content.UNCOUNTED_VERSIONS)) {
            boolean more = from == null ? cursor.first() : cursor.seek(from);
            while (more && entries <= COUNTED && isBelow(cursor, to)) {
                entries++;
                bytes += bytesOf(cursor);
                more = cursor.next();
            }
        }
        if (entries <= COUNTED) {
            return new RangeSize(entries, bytes);
        }
        final long keysNow = shards.keys();
        Sample taken = sample;
        if (taken == null || keysNow / 2 > taken.keysThen) {
            taken = take(state, keysNow);
        }
        final double growth = taken.entries == 0 ? 0 : Math.max(1, (double) keysNow / taken.keysThen);
        final int first = from == null ? 0 : taken.pointsBelow(from);
        final int last = to == null ? taken.size : taken.pointsBelow(to);
        final double entryCount = (to == null ? taken.entries : Sample.between(taken.entriesTo, last, taken.size, taken.entries))
            - (from == null ? 0 : Sample.between(taken.entriesTo, first, taken.size, taken.entries));
        final double byteCount = (to == null ? taken.bytes : Sample.between(taken.bytesTo, last, taken.size, taken.bytes))
            - (from == null ? 0 : Sample.between(taken.bytesTo, first, taken.size, taken.bytes));
        return new RangeSize(Math.max(entries, Math.round(growth * entryCount)), Math.max(bytes, Math.round(growth * byteCount)));
    }

    private static boolean isBelow(final EntryCursor cursor, final byte[] to) {
        return to == null || ByteComparison.compare(cursor.keyBuffer(), 0, cursor.keyLength(), to, 0, to.length) < 0;
    }

    private synchronized Sample take(final MemtableState state, final long keysNow) {
        Sample taken = sample;
        if (taken == null || keysNow / 2 > taken.keysThen) {
            taken = new Sample(keysNow);
            try (EntryCursor cursor = shards.cursor(state, state.gate()::visible, ShardCursor.Content.UNCOUNTED_VERSIONS)) {
                for (boolean more = cursor.first(); more; more = cursor.next()) {
                    taken.add(cursor);
                }
            }
            sample = taken;
        }
        return taken;
    }
}
