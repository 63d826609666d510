/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.schedule.scenario.Event.Move;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Judges what was read from a memtable: sequence numbers keep to real time, and each read shows the state behind a number of
 * writes that it may have seen, all of a batch or none of it.
 */
final class MemtableOracle {
    static final long NONE = -1;

    /**
     * One write.
     *
     * @param sequence its (last) sequence number
     * @param numbers how many sequence numbers it has
     * @param keys numbers of the keys
     * @param contents what it makes of them, in order
     * @param from time of its call
     * @param to time of its return
     */
    record Write(long sequence, int numbers, int[] keys, List<Content> contents, long from, long to) {
        @Override
        public String toString() {
            return from + ".." + to + " #" + sequence + " " + Arrays.toString(keys) + "=" + contents;
        }
    }

    /**
     * One read, at one moment.
     *
     * @param what its kind
     * @param sequence that of its snapshot, -1 without one
     * @param from time of its call
     * @param to time of its return, or of when its moment was over
     * @param moves what a cursor showed; null if it is no scan
     * @param start number of the key that a scan begins at, or -1
     * @param keys numbers of the keys that were asked for
     * @param values what was found
     */
    record Read(String what, long sequence, long from, long to, List<Move> moves, int start, int[] keys, long[] values) {
        @Override
        public String toString() {
            return from + ".." + to + " " + what + " at " + sequence + " from key " + start + " "
                + (moves == null ? Arrays.toString(keys) + "=" + Arrays.toString(values) : moves.toString());
        }
    }

    private final Keys keys;
    private final List<Write> writes;

    MemtableOracle(final Keys keys, final List<Write> writes) {
        this.keys = keys;
        this.writes = new ArrayList<>(writes);
        this.writes.sort((one, other) -> Long.compare(one.sequence, other.sequence));
    }

    /** Returns what is wrong, or null. */
    String check(final List<Read> reads) {
        for (int i = 0; i < writes.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (writes.get(i).to < writes.get(j).from) {
                    return "SEQUENCE: " + writes.get(i) + " ended before " + writes.get(j);
                }
            }
        }
        for (final Read read : reads) {
            final String wrong = check(read);
            if (wrong != null) {
                return wrong + "\n   " + read + "\n   writes " + writes;
            }
        }
        return null;
    }

    private String check(final Read read) {
        int least = 0;
        int most = 0;
        for (int i = 0; i < writes.size(); i++) {
            least = writes.get(i).to < read.from ? i + 1 : least;
            most = writes.get(i).from <= read.to ? i + 1 : most;
        }
        if (read.sequence >= 0) {
            return checkAtSnapshot(read, least);
        }
        for (int seen = least; seen <= most; seen++) {
            if (shows(read, seen)) {
                return null;
            }
        }
        return read.what + " SHOWS NO STATE: there are " + least + " to " + most + " writes to see";
    }

    private String checkAtSnapshot(final Read read, final int least) {
        int seen = 0;
        while (seen < writes.size() && writes.get(seen).sequence <= read.sequence) {
            seen++;
        }
        if (seen < least) {
            return "SNAPSHOT WITHOUT A WRITE: that had ended before";
        }
        if (seen < writes.size() && writes.get(seen).sequence - writes.get(seen).numbers < read.sequence
            && writes.get(seen).numbers > 1) {
            return "SNAPSHOT WITHIN A BATCH: " + writes.get(seen);
        }
        return shows(read, seen) ? null : read.what + " SHOWS ANOTHER STATE: than that behind " + seen + " writes";
    }

    private long[] state(final int seen) {
        final long[] state = new long[keys.size()];
        Arrays.fill(state, NONE);
        for (final Write write : writes.subList(0, seen)) {
            for (int i = 0; i < write.keys.length; i++) {
                state[write.keys[i]] = write.contents.get(i).over(state[write.keys[i]]);
            }
        }
        return state;
    }

    /** Returns whether a read shows the state behind so many writes. */
    private boolean shows(final Read read, final int seen) {
        final long[] state = state(seen);
        if (read.moves == null) {
            for (int i = 0; i < read.keys.length; i++) {
                if (state[read.keys[i]] != read.values[i]) {
                    return false;
                }
            }
            return true;
        }
        int at = -1;
        boolean first = true;
        for (final Move move : read.moves) {
            int rank = begin(read, move, first, at);
            while (rank >= 0 && rank < keys.size() && state[keys.atRank(rank)] == NONE) {
                rank += move.forward() ? 1 : -1;
            }
            final boolean there = rank >= 0 && rank < keys.size();
            if (there != (move.key() != null)
                || there && (move.number() != keys.atRank(rank) || move.payload() != state[keys.atRank(rank)])) {
                return false;
            }
            at = rank;
            first = false;
        }
        return true;
    }

    private int begin(final Read read, final Move move, final boolean first, final int at) {
        if (move.forward()) {
            return !first ? at + 1 : read.start < 0 ? 0 : keys.rank(read.start);
        }
        return (!first ? at : read.start < 0 ? keys.size() : keys.rank(read.start)) - 1;
    }
}
