/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.memtable.FlushResult;
import io.nestling.memtable.KeepVersions;
import io.nestling.schedule.scenario.MemtableOracle.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Judges what flushes passed on: the state as of a sequence number that fits the time, each version that was asked for once, in
 * order.
 */
final class FlushOracle {
    /**
     * A version of a key, or a range tombstone.
     *
     * @param sequence its sequence number
     * @param rank rank of the key, or of the first key of the range
     * @param endRank rank behind the range; -1 for a version of a key
     * @param value the value; {@link MemtableOracle#NONE} for a tombstone
     */
    record Version(long sequence, int rank, int endRank, long value) {
        boolean isRange() {
            return endRank >= 0;
        }

        private boolean covers(final Version other, final long visible) {
            return isRange() && sequence <= visible && sequence > other.sequence && rank <= other.rank && other.rank < endRank;
        }
    }

    /**
     * A snapshot that was open for a time.
     *
     * @param sequence its sequence number
     * @param openedFrom not before
     * @param opened not after
     * @param closedFrom not before
     * @param closed not after
     */
    record Held(long sequence, long openedFrom, long opened, long closedFrom, long closed) { }

    /**
     * What a flush passed on.
     *
     * @param shown versions and range tombstones as they came
     * @param announced numbers of entries, bytes and range tombstones
     * @param bytes bytes of keys and values that came
     * @param result what it returned
     * @param from time of its call
     * @param to time of its return
     */
    record Flushed(List<Version> shown, long[] announced, long bytes, FlushResult result, long from, long to) { }

    /** Takes a flush down. */
    static final class Sink implements EntrySink {
        final List<Version> shown = new ArrayList<>();
        final long[] announced = new long[3];
        long bytes;
        private final MemtableLog log;

        Sink(final MemtableLog log) {
            this.log = log;
        }

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
            announced[0] = entryCount;
            announced[1] = byteCount;
            announced[2] = rangeTombstoneCount;
        }

        @Override
        public void entry(final EntryView entry) {
            final byte[] value = entry.kind() == EntryKind.VALUE ? entry.value() : null;
            bytes += entry.keyLength() + (value == null ? 0 : value.length);
            shown.add(new Version(entry.sequence(), log.rankOf(entry.key()), -1, MemtableLog.value(value)));
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
            shown.add(new Version(sequence, log.rankOf(from), log.rankOf(to), MemtableOracle.NONE));
        }

        @Override
        public void end() {
            // Nothing is kept back.
        }
    }

    private static final Comparator<Version> IN_ORDER =
        Comparator.comparingInt(Version::rank).thenComparing(Comparator.comparingLong(Version::sequence).reversed());

    private final List<Version> versions;
    private final List<Write> writes;
    private final List<Held> snapshots;
    private final KeepVersions keep;

    FlushOracle(
        final List<Version> versions, final List<Write> writes, final List<Held> snapshots, final KeepVersions keep) {
        this.versions = versions;
        this.writes = writes;
        this.snapshots = snapshots;
        this.keep = keep;
    }

    /** Returns what is wrong, or null. */
    String check(final Flushed flush) {
        final String wrong = wrong(flush);
        return wrong == null ? null
            : "FLUSH " + wrong + "\n   " + flush + "\n   versions " + versions + "\n   snapshots " + snapshots;
    }

    private String wrong(final Flushed flush) {
        final long visible = flush.result.visibleSequence();
        for (final Write write : writes) {
            final boolean isAbove = write.sequence() > visible;
            if (isAbove ? write.to() < flush.from : write.from() > flush.to) {
                return (isAbove ? "WITHOUT A WRITE that had ended: " : "WITH A WRITE of later: ") + write;
            }
            if (isAbove && write.sequence() - write.numbers() < visible && write.numbers() > 1) {
                return "WITHIN A BATCH: " + write;
            }
        }
        final List<Version> entries = flush.shown.stream().filter(each -> !each.isRange()).toList();
        final List<Version> ranges = flush.shown.stream().filter(Version::isRange).toList();
        final Stream<Version> written = versions.stream().filter(each -> each.isRange() && each.sequence <= visible);
        if (!ranges.equals(written.sorted(IN_ORDER).toList())) {
            return "WITH OTHER RANGE TOMBSTONES";
        }
        if (!entries.equals(entries.stream().sorted(IN_ORDER).distinct().toList())) {
            return "OUT OF ORDER";
        }
        if (!entries.containsAll(needed(visible, certain(flush)))) {
            return "WITHOUT VERSIONS: needed are " + needed(visible, certain(flush));
        }
        if (!needed(visible, possible(flush)).containsAll(entries)) {
            return "WITH VERSIONS that nobody needs: needed are " + needed(visible, possible(flush));
        }
        return placesOfRanges(flush.shown) ? figures(flush, entries, ranges.size()) : "WITH A RANGE TOMBSTONE BEHIND ENTRIES";
    }

    private static boolean placesOfRanges(final List<Version> shown) {
        int greatest = -1;
        for (final Version each : shown) {
            if (each.isRange() && each.rank <= greatest) {
                return false;
            }
            greatest = each.isRange() ? greatest : each.rank;
        }
        return true;
    }

    private static String figures(final Flushed flush, final List<Version> entries, final int ranges) {
        final FlushResult result = flush.result;
        final long tombstones = entries.stream().filter(each -> each.value == MemtableOracle.NONE).count();
        final long smallest = flush.shown.stream().mapToLong(Version::sequence).min().orElse(0);
        final long largest = flush.shown.stream().mapToLong(Version::sequence).max().orElse(0);
        return result.entries() == entries.size() && flush.announced[0] == entries.size()
            && result.bytes() == flush.bytes && flush.announced[1] == flush.bytes
            && result.rangeTombstones() == ranges && flush.announced[2] == ranges
            && result.tombstones() == tombstones && result.smallestSequence() == smallest
            && result.largestSequence() == largest ? null : "WITH WRONG FIGURES";
    }

    private List<Long> certain(final Flushed flush) {
        return snapshots.stream().filter(each -> each.opened < flush.from && each.closedFrom > flush.to)
            .map(Held::sequence).toList();
    }

    private List<Long> possible(final Flushed flush) {
        return snapshots.stream().filter(each -> each.openedFrom < flush.to && each.closed > flush.from)
            .map(Held::sequence).toList();
    }

    /** Returns the versions that are to be passed on as of a sequence number, beside snapshots. */
    private List<Version> needed(final long visible, final List<Long> held) {
        final List<Long> states = new ArrayList<>(List.of(visible));
        if (keep == KeepVersions.NEEDED_BY_SNAPSHOTS) {
            held.stream().filter(each -> each < visible).forEach(states::add);
        }
        return versions.stream().filter(each -> !each.isRange() && each.sequence <= visible)
            .filter(each -> keep == KeepVersions.ALL || states.stream().anyMatch(state -> isSeen(each, state))).toList();
    }

    private boolean isSeen(final Version version, final long visible) {
        return version.sequence <= visible && versions.stream().noneMatch(other -> other.covers(version, visible)
            || !other.isRange() && other.rank == version.rank && other.sequence > version.sequence && other.sequence <= visible);
    }
}
