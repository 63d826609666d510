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
import java.util.function.Predicate;
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
     * @param content what it makes of the key's value
     */
    record Version(long sequence, int rank, int endRank, Content content) {
        boolean isRange() {
            return endRank >= 0;
        }
    }

    /**
     * The value of a key at a sequence number, by its versions.
     *
     * @param sequence number of the newest of them
     * @param number number of the key's value
     * @param isComplete whether nothing older counts
     * @param needed the versions that say it
     */
    private record State(long sequence, long number, boolean isComplete, List<Version> needed) { }

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
     * The output of a flush.
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
            final byte[] value = switch (entry.kind()) {
                case VALUE, OPERAND -> entry.value();
                case TOMBSTONE -> null;
                case EXPIRING, RANGE_TOMBSTONE -> throw new IllegalArgumentException("not written: " + entry.kind());
            };
            bytes += entry.keyLength() + (value == null ? 0 : value.length);
            final Content content = new Content(MemtableLog.value(value), entry.kind() == EntryKind.OPERAND);
            shown.add(new Version(entry.sequence(), log.rankOf(entry.key()), -1, content));
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
            shown.add(new Version(sequence, log.rankOf(from), log.rankOf(to), Content.DELETED));
        }

        @Override
        public void end() {
            // Nothing is kept back.
        }
    }

    /** In the place of a sequence number. */
    private static final long NOTHING = 0;
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
        final List<Long> certain = states(flush, each -> each.opened < flush.from && each.closedFrom > flush.to);
        final List<Long> possible = states(flush, each -> each.openedFrom < flush.to && each.closed > flush.from);
        for (final int rank : Stream.concat(versions.stream(), entries.stream()).filter(each -> !each.isRange())
            .mapToInt(Version::rank).distinct().toArray()) {
            final String wrong = wrong(ofKey(versions, rank), ofKey(flush.shown, rank), certain, possible);
            if (wrong != null) {
                return wrong;
            }
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
        final long tombstones = entries.stream().filter(each -> each.content.equals(Content.DELETED)).count();
        final long smallest = flush.shown.stream().mapToLong(Version::sequence).min().orElse(0);
        final long largest = flush.shown.stream().mapToLong(Version::sequence).max().orElse(0);
        return result.entries() == entries.size() && flush.announced[0] == entries.size()
            && result.bytes() == flush.bytes && flush.announced[1] == flush.bytes
            && result.rangeTombstones() == ranges && flush.announced[2] == ranges
            && result.tombstones() == tombstones && result.smallestSequence() == smallest
            && result.largestSequence() == largest ? null : "WITH WRONG FIGURES";
    }

    /** Returns the sequence numbers as of which a flush passes versions on. */
    private List<Long> states(final Flushed flush, final Predicate<Held> isHeld) {
        final long visible = flush.result.visibleSequence();
        final Stream<Long> held = snapshots.stream().filter(isHeld).map(Held::sequence)
            .filter(each -> each < visible && keep == KeepVersions.NEEDED_BY_SNAPSHOTS);
        return Stream.concat(Stream.of(visible), held).toList(); // the newest state first
    }

    /** Returns the versions of a key and the range tombstones over it, from new to old. */
    private static List<Version> ofKey(final List<Version> some, final int rank) {
        return some.stream().filter(each -> each.isRange() ? each.rank <= rank && rank < each.endRank : each.rank == rank)
            .sorted(Comparator.comparingLong(Version::sequence).reversed()).toList();
    }

    /** Returns what is wrong with the versions of a key that came, or null, by the states that it had to and may have shown. */
    private String wrong(
        final List<Version> written, final List<Version> shown, final List<Long> certain, final List<Long> possible) {
        final List<Version> entries = shown.stream().filter(each -> !each.isRange()).toList();
        if (keep == KeepVersions.ALL) {
            final List<Version> all = written.stream()
                .filter(each -> !each.isRange() && each.sequence <= certain.get(0)).toList();
            return entries.equals(all) ? null : "WITH OTHER VERSIONS of a key: " + entries + " for " + all;
        }
        for (final Version entry : entries) {
            if (possible.stream().noneMatch(at -> isNeeded(entry, written, at))) {
                return "WITH A VERSION that nobody needs, or another one: " + entry;
            }
        }
        for (final long at : certain) {
            final State expected = state(written, at);
            final State said = state(shown, at);
            if (expected.sequence != said.sequence || expected.number != said.number
                || expected.isComplete != said.isComplete) {
                return "WITHOUT VERSIONS: at " + at + " a key is " + said + " for " + expected;
            }
        }
        return null;
    }

    /** Returns whether an entry is a version that counts at a state, or the value of such an operand. */
    private static boolean isNeeded(final Version entry, final List<Version> written, final long at) {
        return state(written, at).needed.stream().anyMatch(each -> {
            if (entry.equals(each) || entry.sequence != each.sequence || !each.content.isOperand()) {
                return entry.equals(each);
            }
            final State combined = state(written, each.sequence);
            return combined.isComplete && entry.content.equals(Content.value(combined.number));
        });
    }

    /** Returns what versions of a key say at a sequence number: back from the newest one to one that is no operand. */
    private static State state(final List<Version> versions, final long visible) {
        final List<Version> needed = new ArrayList<>();
        final List<Long> operands = new ArrayList<>();
        long before = MemtableOracle.NONE;
        boolean isComplete = false;
        for (int i = 0; i < versions.size() && !isComplete; i++) {
            final Version version = versions.get(i);
            if (version.sequence > visible) {
                continue;
            }
            if (!version.isRange()) {
                needed.add(version);
            }
            if (version.content.isOperand()) {
                operands.add(0, version.content.number());
            } else {
                before = version.content.number();
                isComplete = true;
            }
        }
        final long newest = needed.isEmpty() ? NOTHING : needed.get(0).sequence;
        return new State(newest, Content.combine(before, operands), isComplete || needed.isEmpty(), needed);
    }
}
