/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.bench.Subjects;
import io.nestling.bench.Values;
import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Checks each peer against a {@link TreeMap}: puts, lookups, walks, and the sizes that it reports. A peer
 * that gives wrong answers, or another order, would make every comparison with it worthless.
 */
public final class PeerCheck {
    private static final int KEYS = 2000;
    private static final int STEPS = 5;
    private static final int LONG_KEY_BYTES = 300;
    private static final int LONG_VALUE_BYTES = 100;
    private static final int SIZED_KEYS = 200_000;
    /** Most bytes that a peer may need for a key and its value. */
    private static final double MAX_BYTES_PER_KEY = 250;
    /** Tolerated difference between the heap and the computed size. */
    private static final double TOLERANCE = 0.05;

    private final String name;
    private final OrderedIndex index;
    private final NavigableMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
    private final Random random;

    private PeerCheck(final String name, final OrderedIndex index, final Random random) {
        this.name = name;
        this.index = index;
        this.random = random;
    }

    /** Checks all peers; throws at the first difference. */
    public static void run() {
        final Random random = Seeds.random("peers");
        for (final SubjectFactory factory : Subjects.peers().stream()
            .flatMap(peer -> Stream.of(peer, peer.withValues(LONG_VALUE_BYTES))).toList()) {
            checkKeys(factory, random, 1, 6);
            checkKeys(factory, random, Long.BYTES, Long.BYTES);
            checkKeys(factory, random, LONG_KEY_BYTES - 1, LONG_KEY_BYTES);
            checkSizes(factory, random);
            System.out.println("peer " + factory.subjectName() + ": answers and order are right; " + factory.configuration());
        }
        checkHeapLayout(random);
    }

    /** Keys of some lengths; the shorter ones are often prefixes of others. */
    private static void checkKeys(final SubjectFactory factory, final Random random, final int least, final int most) {
        final Subject subject = factory.create(2 * KEYS, 2L * KEYS * most);
        final PeerCheck check = new PeerCheck(factory.subjectName(), (OrderedIndex) subject.index(), random);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(key(random, least, most));
        }
        final List<byte[]> put = keys.subList(0, KEYS / 2);
        check.put(put);
        check.lookUp(keys);
        check.walk();
        check.seek(keys);
        check.walkBackward(keys);
        check.remove(put.subList(0, KEYS / 4));
        check.lookUp(keys);
        check.walk();
        check.refuse();
        subject.close();
        check.thatThrows(IllegalStateException.class, "use after close", () -> check.index.get(keys.get(0), 0, least));
    }

    private static byte[] key(final Random random, final int least, final int most) {
        final byte[] key = new byte[least + random.nextInt(most - least + 1)];
        for (int i = 0; i < key.length; i++) {
            // Few symbols, the smallest and greatest among them, where keys are short; a long common prefix
            // where they are not.
            key[i] = (byte) (key.length < Long.BYTES ? random.nextInt(4) - 2
                : i < key.length - Long.BYTES ? 'p' : random.nextInt());
        }
        return key;
    }

    private void put(final List<byte[]> keys) {
        for (final byte[] key : keys) {
            if (expected.containsKey(key)) {
                continue; // not every peer counts keys that are put twice
            }
            final long payload = random.nextInt((int) PeerIndex.GREATEST_PAYLOAD + 1);
            equal(PointIndex.NONE, index.put(padded(key), 1, key.length, payload), "payload before a put");
            expected.put(key, payload);
        }
        equal(expected.size(), index.entryCount(), "entry count");
        final byte[] key = expected.firstKey();
        final long before = index.put(key, 0, key.length, 0);
        if (before != PointIndex.NONE) {
            equal(expected.get(key), before, "payload before a replacing put");
        }
        equal(0, index.get(key, 0, key.length), "replaced payload");
        expected.put(key, PeerIndex.GREATEST_PAYLOAD);
        index.put(key, 0, key.length, PeerIndex.GREATEST_PAYLOAD);
    }

    /** The key with a byte on either side. */
    private static byte[] padded(final byte[] key) {
        final byte[] array = new byte[key.length + 2];
        System.arraycopy(key, 0, array, 1, key.length);
        return array;
    }

    private void lookUp(final List<byte[]> keys) {
        final KeyBatch batch = new KeyBatch();
        for (final byte[] key : keys) {
            equal(expected.getOrDefault(key, PointIndex.NONE), index.get(key, 0, key.length), "payload");
            equal(expected.getOrDefault(key, PointIndex.NONE), index.get(padded(key), 1, key.length), "payload");
            batch.add(padded(key), 1, key.length);
        }
        final long[] payloads = new long[keys.size()];
        index.getAll(batch, payloads);
        for (int i = 0; i < payloads.length; i++) {
            equal(expected.getOrDefault(keys.get(i), PointIndex.NONE), payloads[i], "payload in a batch");
        }
    }

    private void walk() {
        try (EntryCursor cursor = index.cursor()) {
            boolean valid = cursor.first();
            byte[] before = null;
            for (final Map.Entry<byte[], Long> entry : expected.entrySet()) {
                thatStandsOn(entry, cursor, valid);
                if (before != null) {
                    equal(ByteComparison.commonPrefix(before, 0, before.length, entry.getKey(), 0, entry.getKey().length),
                        cursor.commonPrefix(), "common prefix");
                }
                before = entry.getKey();
                valid = cursor.next();
            }
            that(!valid && !cursor.valid() && !cursor.next(), "entries after the last");
            thatThrows(IllegalStateException.class, "accessor behind the last entry", cursor::payload);
        }
    }

    private void seek(final List<byte[]> keys) {
        try (EntryCursor cursor = index.cursor()) {
            for (final byte[] key : keys) {
                boolean valid = cursor.seek(padded(key), 1, key.length);
                int steps = 0;
                for (final Map.Entry<byte[], Long> entry : expected.tailMap(key, true).entrySet()) {
                    thatStandsOn(entry, cursor, valid);
                    valid = cursor.next();
                    if (++steps == STEPS) {
                        break;
                    }
                }
                if (steps < STEPS) {
                    that(!valid, "entries after the last");
                }
            }
        }
    }

    private void walkBackward(final List<byte[]> keys) {
        try (EntryCursor cursor = index.cursor()) {
            boolean valid;
            try {
                valid = cursor.last();
            } catch (final UnsupportedOperationException e) {
                that(name.startsWith("cassandra"), "backward walk: " + e.getMessage());
                return;
            }
            for (final Map.Entry<byte[], Long> entry : expected.descendingMap().entrySet()) {
                thatStandsOn(entry, cursor, valid);
                valid = cursor.previous();
            }
            that(!valid, "entries before the first");
            for (final byte[] key : keys) {
                final Map.Entry<byte[], Long> lower = expected.lowerEntry(key);
                valid = cursor.seekLowerThan(padded(key), 1, key.length);
                if (lower == null) {
                    that(!valid, "no entry below the first");
                    continue;
                }
                thatStandsOn(lower, cursor, valid);
                turn(cursor, lower.getKey());
            }
        }
    }

    /** One step to and fro. */
    private void turn(final EntryCursor cursor, final byte[] from) {
        final Map.Entry<byte[], Long> higher = expected.higherEntry(from);
        final boolean valid = cursor.next();
        if (higher == null) {
            that(!valid, "entries after the last");
            return;
        }
        thatStandsOn(higher, cursor, valid);
        equal(ByteComparison.commonPrefix(from, 0, from.length, higher.getKey(), 0, higher.getKey().length),
            cursor.commonPrefix(), "common prefix");
        thatStandsOn(expected.floorEntry(from), cursor, cursor.previous());
    }

    private void remove(final List<byte[]> keys) {
        for (final byte[] key : keys) {
            if (!expected.containsKey(key)) {
                continue;
            }
            try {
                final long before = index.remove(padded(key), 1, key.length);
                that(before == PointIndex.NONE || before == expected.get(key), "payload before a removal");
            } catch (final UnsupportedOperationException e) {
                that(name.startsWith("cassandra"), "removal: " + e.getMessage());
                return;
            }
            expected.remove(key);
        }
    }

    private void refuse() {
        thatThrows(IllegalArgumentException.class, "payload too great",
            () -> index.put(new byte[1], 0, 1, PeerIndex.GREATEST_PAYLOAD + 1));
        thatThrows(IllegalArgumentException.class, "payload too small", () -> index.put(new byte[1], 0, 1, -1));
        thatThrows(IllegalArgumentException.class, "key too long",
            () -> index.put(new byte[PointIndex.MAX_KEY_BYTES + 1], 0, PointIndex.MAX_KEY_BYTES + 1, 0));
        thatThrows(IllegalArgumentException.class, "too few payloads",
            () -> index.getAll(KeyBatch.of(new byte[1], new byte[1]), new long[1]));
    }

    /**
     * Sizes are in the range of what the peers are known for, and a subject needs no more than it has said.
     */
    private static void checkSizes(final SubjectFactory factory, final Random random) {
        final long keyBytes = (long) SIZED_KEYS * Long.BYTES;
        try (Subject subject = factory.create(SIZED_KEYS, keyBytes)) {
            final PeerCheck check = new PeerCheck(factory.subjectName(), (OrderedIndex) subject.index(), random);
            final byte[] key = new byte[Long.BYTES];
            for (int i = 0; i < SIZED_KEYS; i++) {
                random.nextBytes(key);
                subject.index().put(key, 0, key.length, i);
            }
            subject.index().verify();
            final double indexBytes = (double) subject.indexBytes() / SIZED_KEYS;
            final double totalBytes = (double) subject.totalBytes() / SIZED_KEYS;
            check.that(indexBytes > 0 && indexBytes <= totalBytes && totalBytes >= Long.BYTES && totalBytes < MAX_BYTES_PER_KEY,
                indexBytes + " index bytes and " + totalBytes + " bytes a key");
            final SubjectFactory.MemoryNeed need = factory.memoryNeed(SIZED_KEYS, keyBytes);
            check.that(subject.totalBytes() <= need.heapBytes() + need.directBytes(),
                "memory need " + need + " for " + subject.totalBytes() + " bytes");
        }
    }

    /** The computed bytes of the skip list against those that the heap has grown by. */
    private static void checkHeapLayout(final Random random) {
        final byte[] key = new byte[Long.BYTES];
        final long before = usedHeap();
        final SkipListIndex skipList = new SkipListIndex(LONG_VALUE_BYTES);
        for (int i = 0; i < SIZED_KEYS; i++) {
            random.nextBytes(key);
            skipList.put(key, 0, key.length, 0);
        }
        final double measured = usedHeap() - before;
        final double computed = skipList.totalBytes();
        if (Math.abs(measured - computed) > TOLERANCE * computed) {
            throw new IllegalStateException("the skip list takes " + measured + " bytes, computed are " + computed);
        }
        System.out.printf(Locale.ROOT, "jdk_skip_list: %.1f bytes a key computed, %.1f measured%n",
            computed / SIZED_KEYS, measured / SIZED_KEYS);
        skipList.close();
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private void thatStandsOn(final Map.Entry<byte[], Long> entry, final EntryCursor cursor, final boolean valid) {
        that(valid && cursor.valid(), "an entry is missing");
        that(Arrays.equals(entry.getKey(), cursor.key()), "key " + Arrays.toString(cursor.key()) + " instead of "
            + Arrays.toString(entry.getKey()));
        equal(entry.getValue(), cursor.payload(), "payload at a cursor");
        equal(entry.getValue(), Values.payload(cursor.value()), "value at a cursor");
    }

    private void equal(final long wanted, final long found, final String what) {
        that(wanted == found, what + " " + found + " instead of " + wanted);
    }

    private void that(final boolean holds, final String what) {
        if (!holds) {
            throw new IllegalStateException(name + ": " + what);
        }
    }

    private void thatThrows(final Class<? extends Exception> type, final String what, final Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException e) {
            that(type.isInstance(e), what + " ended in " + e);
            return;
        }
        that(false, what + " was not refused");
    }
}
