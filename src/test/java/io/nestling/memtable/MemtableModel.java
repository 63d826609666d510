/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryKind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a memtable should hold, in the most naive way: every write in a list. */
final class MemtableModel {
    private final NavigableMap<byte[], List<Version>> versions = new TreeMap<>(Arrays::compareUnsigned);
    private final List<Range> ranges = new ArrayList<>();
    private long last;

    MemtableModel(final long firstSequence) {
        this.last = firstSequence - 1;
    }

    /** One version of a key. */
    record Version(byte[] key, long sequence, EntryKind kind, byte[] value) {
        String line() {
            return CollectingSink.line(key, sequence, kind, value);
        }
    }

    /** One range tombstone. */
    record Range(byte[] from, byte[] to, long sequence) {
        boolean covers(final byte[] key) {
            return ByteComparison.compare(from, key) <= 0 && ByteComparison.compare(key, to) < 0;
        }
    }

    /** Applies a write and returns its sequence number. */
    long apply(final WriteBatch.Operation operation) {
        last++;
        if (operation.kind() == EntryKind.RANGE_TOMBSTONE) {
            ranges.add(new Range(operation.key(), operation.toExclusive(), last));
        } else {
            versions.computeIfAbsent(operation.key(), key -> new ArrayList<>())
                .add(0, new Version(operation.key(), last, operation.kind(), operation.value()));
        }
        return last;
    }

    long last() {
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

    /** What {@link Memtable#entry} should say. */
    Version entry(final byte[] key, final long visible) {
        final Version version = newest(key, visible);
        final long covering = covering(key, visible);
        return covering > (version == null ? 0 : version.sequence)
            ? new Version(key, covering, EntryKind.RANGE_TOMBSTONE, null) : version;
    }

    byte[] get(final byte[] key, final long visible) {
        final Version version = entry(key, visible);
        return version == null ? null : version.value;
    }

    Lookup lookup(final byte[] key, final long visible) {
        final Version version = entry(key, visible);
        if (version == null) {
            return Lookup.ABSENT;
        }
        return version.kind == EntryKind.VALUE ? Lookup.VALUE : Lookup.TOMBSTONE;
    }

    /** What a cursor should show. */
    List<Version> visible(final long visible) {
        final List<Version> list = new ArrayList<>();
        for (final byte[] key : versions.keySet()) {
            final Version version = entry(key, visible);
            if (version != null && version.kind == EntryKind.VALUE) {
                list.add(version);
            }
        }
        return list;
    }

    /** What a flush should pass on, as {@link CollectingSink} writes it down. */
    List<String> flush(final KeepVersions keep, final long visible, final List<Long> snapshots) {
        final List<Range> rest = new ArrayList<>(ranges);
        rest.removeIf(range -> range.sequence > visible);
        rest.sort((a, b) -> {
            final int byKey = Arrays.compareUnsigned(a.from, b.from);
            return byKey != 0 ? byKey : Long.compare(b.sequence, a.sequence);
        });
        final List<String> lines = new ArrayList<>();
        for (final Map.Entry<byte[], List<Version>> entry : versions.entrySet()) {
            while (!rest.isEmpty() && Arrays.compareUnsigned(rest.get(0).from, entry.getKey()) <= 0) {
                add(lines, rest.remove(0));
            }
            kept(keep, entry.getKey(), visible, snapshots).forEach(version -> lines.add(version.line()));
        }
        rest.forEach(range -> add(lines, range));
        return lines;
    }

    private static void add(final List<String> lines, final Range range) {
        lines.add(CollectingSink.rangeLine(range.from, range.to, range.sequence));
    }

    private List<Version> kept(
        final KeepVersions keep, final byte[] key, final long visible, final List<Long> snapshots) {
        final List<Version> all = new ArrayList<>(versions.get(key));
        all.removeIf(version -> version.sequence > visible);
        if (keep == KeepVersions.ALL) {
            return all;
        }
        final List<Version> seen = new ArrayList<>();
        seen.add(entry(key, visible));
        if (keep == KeepVersions.NEEDED_BY_SNAPSHOTS) {
            snapshots.forEach(at -> seen.add(entry(key, at)));
        }
        all.removeIf(version -> seen.stream().noneMatch(one -> one == version));
        return all;
    }

    boolean hasRanges() {
        return !ranges.isEmpty();
    }

    long keys() {
        return versions.size();
    }

    long versions() {
        return versions.values().stream().mapToLong(List::size).sum();
    }

    long ranges() {
        return ranges.size();
    }
}
