/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryKind;
import io.nestling.index.LookupResult;
import io.nestling.index.ValueRules;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** What a memtable, or a set of tables, should hold, in the most naive way: every write in a list. */
public final class MemtableModel {
    private final NavigableMap<byte[], List<Version>> versions = new TreeMap<>(Arrays::compareUnsigned);
    private final List<Range> ranges = new ArrayList<>();
    /* Milliseconds since the epoch. */
    private final AtomicLong time;
    private long last;

    /** The model of an empty memtable. */
    public MemtableModel(final long firstSequence) {
        this(firstSequence, new AtomicLong(1_000));
    }

    /** The model of an empty memtable, by the clock of others: milliseconds since the epoch. */
    public MemtableModel(final long firstSequence, final AtomicLong time) {
        this.last = firstSequence - 1;
        this.time = time;
    }

    /** The model of a set of tables, each of which was flushed from a memtable, by the clock of others. */
    public static MemtableModel ofTables(final List<Flushed> tables, final AtomicLong time) {
        final MemtableModel model = new MemtableModel(0, time);
        tables.forEach(table -> {
            table.entries.forEach(
                entry -> model.versions.computeIfAbsent(entry.key, key -> new ArrayList<>()).add(entry));
            model.ranges.addAll(table.ranges);
        });
        model.versions.values().forEach(
            list -> list.sort((a, b) -> Long.compare(b.sequence, a.sequence)));
        model.ranges.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        model.last = Math.max(model.ranges.stream().mapToLong(Range::sequence).max().orElse(-1),
            model.versions.values().stream().mapToLong(list -> list.get(0).sequence).max().orElse(-1));
        return model;
    }

    /** One version of a key; the expiry is 0 without one. */
    public record Version(byte[] key, long sequence, EntryKind kind, byte[] value, long expiry) {
        Version(final byte[] key, final long sequence, final EntryKind kind, final byte[] value) {
            this(key, sequence, kind, value, 0);
        }

        /** The entry as {@link CollectingSink} writes it down. */
        public String line() {
            return CollectingSink.line(key, sequence, kind, value) + (kind == EntryKind.EXPIRING ? " until " + expiry : "");
        }
    }

    /** What a flush passes on, each list in its order. */
    public record Flushed(List<Version> entries, List<Range> ranges) {
        /** The calls as {@link CollectingSink} writes them down. */
        public List<String> lines() {
            final List<String> lines = new ArrayList<>();
            int range = 0;
            for (final Version entry : entries) {
                for (; range < ranges.size() && Arrays.compareUnsigned(ranges.get(range).from, entry.key) <= 0; range++) {
                    lines.add(ranges.get(range).line());
                }
                lines.add(entry.line());
            }
            ranges.subList(range, ranges.size()).forEach(rest -> lines.add(rest.line()));
            return lines;
        }

        /** All sequence numbers, ascending. */
        long[] sequences() {
            return LongStream.concat(entries.stream().mapToLong(Version::sequence), ranges.stream().mapToLong(Range::sequence))
                .sorted().toArray();
        }
    }

    /** One range tombstone. */
    public record Range(byte[] from, byte[] to, long sequence) {
        String line() {
            return CollectingSink.rangeLine(from, to, sequence);
        }

        boolean covers(final byte[] key) {
            return ByteComparison.compare(from, key) <= 0 && (to == null || ByteComparison.compare(key, to) < 0);
        }
    }

    /** Applies a write and returns its sequence number. */
    public long apply(final WriteBatch.Operation operation) {
        return apply(operation, last + 1);
    }

    /** Applies a write whose sequence number is greater than all before, and returns the number. */
    public long apply(final WriteBatch.Operation operation, final long sequence) {
        last = sequence;
        if (operation.kind() == EntryKind.RANGE_TOMBSTONE) {
            ranges.add(new Range(operation.key(), operation.toExclusive(), last));
        } else {
            versions.computeIfAbsent(operation.key(), key -> new ArrayList<>())
                .add(0, new Version(operation.key(), last, operation.kind(), operation.value(), operation.expiry()));
        }
        return last;
    }

    /** Takes note that the numbers up to this one are visible, of which the last ones belong to no write. */
    public void skipTo(final long sequence) {
        last = sequence;
    }

    /** The state after the writes up to a sequence number. */
    MemtableModel upTo(final long sequence) {
        final MemtableModel model = new MemtableModel(1, time);
        model.last = sequence;
        versions.forEach((key, all) ->
            model.versions.put(key, all.stream().filter(version -> version.sequence <= sequence).collect(Collectors.toList())));
        ranges.stream().filter(range -> range.sequence <= sequence).forEach(model.ranges::add);
        return model;
    }

    /** Moves the time on. */
    public void advanceTime(final long millis) {
        time.addAndGet(millis);
    }

    /** The time of the model's clock. */
    public long time() {
        return time.get();
    }

    /** Rules with the model's clock, and an operator that appends: it tells order, base and number of operands apart. */
    public ValueRules rules() {
        return ValueRules.DEFAULT.withClock(time::get).withOperator(MemtableModel::append);
    }

    private static byte[] append(final byte[] key, final byte[] value, final List<byte[]> operands) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(value == null ? new byte[] {'-'} : value);
        operands.forEach(operand -> {
            all.write('+');
            all.writeBytes(operand);
        });
        return all.toByteArray();
    }

    /** The operands from a version on, from old to new, and what ends them: without it, they are complete or not. */
    private record Chain(List<byte[]> operands, Version base, boolean isComplete) {
        byte[] value() {
            return base == null ? null : base.value;
        }
    }

    private Chain chain(final Version newest, final long visible) {
        final long covering = covering(newest.key, visible);
        final List<byte[]> operands = new ArrayList<>();
        for (final Version version : versions.get(newest.key)) {
            if (version.sequence <= newest.sequence) {
                if (version.sequence < covering) {
                    break;
                }
                if (version.kind != EntryKind.OPERAND) {
                    return new Chain(operands, resolved(version), true);
                }
                operands.add(0, version.value);
            }
        }
        return new Chain(operands, null, covering > 0);
    }

    /** The greatest sequence number so far. */
    public long last() {
        return last;
    }

    /** The newest version at or below a sequence number, also if a range tombstone hides it. */
    private Version newest(final byte[] key, final long visible) {
        for (final Version version : versions.getOrDefault(key, List.of())) {
            if (version.sequence <= visible) {
                return version;
            }
        }
        return null;
    }

    private long covering(final byte[] key, final long visible) {
        for (int i = ranges.size() - 1; i >= 0; i--) {
            if (ranges.get(i).sequence <= visible && ranges.get(i).covers(key)) {
                return ranges.get(i).sequence;
            }
        }
        return 0;
    }

    /** The newest version of a key as a reader sees it, a value or a tombstone, or the range tombstone over it. */
    public Version entry(final byte[] key, final long visible) {
        final Version version = raw(key, visible);
        if (version == null || version.kind != EntryKind.OPERAND) {
            return version == null ? null : resolved(version);
        }
        final Chain chain = chain(version, visible);
        return new Version(key, version.sequence, EntryKind.VALUE, append(key, chain.value(), chain.operands));
    }

    private Version resolved(final Version version) {
        return version.kind != EntryKind.EXPIRING ? version
            : version.expiry <= time.get() ? new Version(version.key, version.sequence, EntryKind.TOMBSTONE, null)
            : new Version(version.key, version.sequence, EntryKind.VALUE, version.value);
    }

    private Version raw(final byte[] key, final long visible) {
        final Version version = newest(key, visible);
        final long covering = covering(key, visible);
        return covering > (version == null ? 0 : version.sequence)
            ? new Version(key, covering, EntryKind.RANGE_TOMBSTONE, null) : version;
    }

    /** A version as a flush passes it on. */
    private Version flushed(final Version version) {
        return version.kind == EntryKind.EXPIRING && version.expiry <= time.get()
            ? new Version(version.key, version.sequence, EntryKind.TOMBSTONE, null) : version;
    }

    /** What {@link ReadView#get} should say. */
    public byte[] get(final byte[] key, final long visible) {
        final Version version = entry(key, visible);
        return version == null ? null : version.value;
    }

    /** What {@link ReadView#lookup} should say. */
    public LookupResult lookup(final byte[] key, final long visible) {
        final Version raw = raw(key, visible);
        if (raw != null && raw.kind == EntryKind.OPERAND && !chain(raw, visible).isComplete) {
            return LookupResult.operands(raw.sequence, chain(raw, visible).operands);
        }
        final Version version = entry(key, visible);
        if (version == null) {
            return LookupResult.ABSENT;
        }
        return version.kind == EntryKind.VALUE
            ? LookupResult.value(version.sequence, version.value) : LookupResult.tombstone(version.sequence);
    }

    /** What a cursor should show. */
    public List<Version> visible(final long visible) {
        final List<Version> list = new ArrayList<>();
        for (final byte[] key : versions.keySet()) {
            final Version version = entry(key, visible);
            if (version != null && version.kind == EntryKind.VALUE) {
                list.add(version);
            }
        }
        return list;
    }

    /** What a flush should pass on. */
    public Flushed flush(final KeepVersions keep, final long visible, final List<Long> snapshots) {
        final List<Range> rest = new ArrayList<>(ranges);
        rest.removeIf(range -> range.sequence > visible);
        rest.sort((a, b) -> {
            final int byKey = Arrays.compareUnsigned(a.from, b.from);
            return byKey != 0 ? byKey : Long.compare(b.sequence, a.sequence);
        });
        final List<Version> entries = new ArrayList<>();
        versions.keySet().forEach(key -> kept(keep, key, visible, snapshots).forEach(version -> entries.add(flushed(version))));
        return new Flushed(entries, rest);
    }

    private List<Version> kept(
        final KeepVersions keep, final byte[] key, final long visible, final List<Long> snapshots) {
        final List<Version> all = new ArrayList<>(versions.get(key));
        all.removeIf(version -> version.sequence > visible);
        if (keep == KeepVersions.ALL) {
            return all;
        }
        final List<Long> states = new ArrayList<>(List.of(visible));
        if (keep == KeepVersions.NEEDED_BY_SNAPSHOTS) {
            states.addAll(snapshots);
            states.sort(Comparator.reverseOrder());
        }
        final NavigableMap<Long, Version> kept = new TreeMap<>(Comparator.reverseOrder());
        for (int i = 0; i < states.size(); i++) {
            final Version newest = raw(key, states.get(i));
            if (newest == null || newest.kind == EntryKind.RANGE_TOMBSTONE) {
                continue;
            }
            final long next = i + 1 < states.size() ? states.get(i + 1) : -1;
            if (newest.kind != EntryKind.OPERAND) {
                kept.put(newest.sequence, newest);
            } else if (newest.sequence > next) {
                keepOperands(newest, states.get(i), next, kept);
            }
        }
        return new ArrayList<>(kept.values());
    }

    /** Operands that no snapshot divides become one value with what ends them, unless that may expire or is not there. */
    private void keepOperands(
        final Version newest, final long visible, final long next, final NavigableMap<Long, Version> kept) {
        final long covering = covering(newest.key, visible);
        final List<Version> behind = new ArrayList<>(versions.get(newest.key));
        behind.removeIf(version -> version.sequence > newest.sequence || version.sequence < covering);
        int count = 0;
        while (count < behind.size() && behind.get(count).kind == EntryKind.OPERAND && behind.get(count).sequence > next) {
            count++;
        }
        final Version end = count == behind.size() ? null : behind.get(count);
        final boolean isSeen = end != null && end.sequence <= next;
        final boolean mayExpire = end != null && !isSeen && end.kind == EntryKind.EXPIRING && end.expiry > time.get();
        if (!isSeen && !mayExpire && (end != null || covering > 0)) {
            kept.put(newest.sequence, entry(newest.key, visible));
            return;
        }
        behind.subList(0, count).forEach(version -> kept.put(version.sequence, version));
        if (mayExpire) {
            kept.put(end.sequence, end);
        }
    }

    /** The keys in order, deleted ones included. */
    public List<byte[]> allKeys() {
        return List.copyOf(versions.keySet());
    }

    /** Number of keys, deleted ones included. */
    public long keys() {
        return versions.size();
    }

    /** Number of versions of all keys. */
    public long versions() {
        return versions.values().stream().mapToLong(List::size).sum();
    }

    /** Number of range tombstones. */
    public long ranges() {
        return ranges.size();
    }
}
