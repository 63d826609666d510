/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;
import io.nestling.testing.OperationSequence;
import io.nestling.testing.OperationSequence.Operation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Applies operations to an index and to its model. One cursor stays open over the writes; the guard that its
 * position needs is held from one positioning to the next.
 */
final class IndexModelRun implements AutoCloseable {
    private static final int NO_GUARD = Integer.MIN_VALUE;
    private static final int WALK_STEPS = 12;

    private final IndexFixture fixture;
    private final OperationSequence sequence;
    private final Predicate<byte[]> accepts;
    private final EntryCursor cursor;
    /** Keys that have been there since the cursor was positioned: it must show them. */
    private final NavigableMap<byte[], Long> stable = new TreeMap<>(Arrays::compareUnsigned);
    /** Keys that were there then or later, with all their payloads: it may show them. */
    private final NavigableMap<byte[], Set<Long>> possible = new TreeMap<>(Arrays::compareUnsigned);
    /** The key where the cursor is, perhaps removed meanwhile; null if it is unpositioned. */
    private byte[] position;
    private int guard = NO_GUARD;

    IndexModelRun(final IndexFixture fixture, final OperationSequence sequence,
        final Predicate<byte[]> accepts) {
        this.fixture = fixture;
        this.sequence = sequence;
        this.accepts = accepts;
        this.cursor = fixture.ordered() ? fixture.cursor() : null;
    }

    void apply(final Operation operation) {
        final byte[] key = sequence.key(operation);
        if (!accepts.test(key)) {
            return;
        }
        switch (operation.kind()) {
            case PUT:
                final long payload = fixture.payload(operation.argument(), key);
                fixture.put(key, payload);
                allow(key, payload);
                fixture.checkGet(key);
                break;
            case REMOVE:
                fixture.remove(key);
                stable.remove(key);
                fixture.checkGet(key);
                break;
            case GET:
                fixture.checkGet(key);
                break;
            case GET_ALL:
                getAll(operation);
                break;
            default:
                if (cursor != null) {
                    move(operation, key);
                }
                break;
        }
    }

    /** Tells that a key may show a payload that it got beside the operations. */
    void allow(final byte[] key, final long payload) {
        possible.computeIfAbsent(key, unused -> new HashSet<>()).add(payload);
    }

    private void getAll(final Operation operation) {
        final Random random = new Random(operation.argument());
        final KeyBatch batch = new KeyBatch(1);
        final List<byte[]> keys = new ArrayList<>();
        final int size = random.nextInt(20);
        for (int i = 0; i < size; i++) {
            final int number =
                Math.floorMod(operation.key() + random.nextInt(20) - 10, sequence.corpus().size());
            final byte[] key = sequence.corpus().key(number);
            batch.add(key, 0, key.length);
            keys.add(key);
        }
        final long[] payloads = new long[size];
        fixture.index().getAll(batch, payloads);
        for (int i = 0; i < size; i++) {
            final byte[] key = keys.get(i);
            assertEquals(IndexFixture.orNone(fixture.model().get(key)), payloads[i],
                () -> "getAll of " + size + ": " + KeyCorpus.text(key));
        }
    }

    private void move(final Operation operation, final byte[] key) {
        switch (operation.kind()) {
            case SCAN_FORWARD:
                prepare();
                arrive("first", fixture.model().firstEntry(), cursor.first());
                walk(Direction.FORWARD);
                break;
            case SCAN_REVERSE:
                prepare();
                arrive("last", fixture.model().lastEntry(), cursor.last());
                walk(Direction.REVERSE);
                break;
            case SEEK:
                prepare();
                arrive("seek", fixture.model().ceilingEntry(key), cursor.seek(key));
                wander(operation.argument());
                break;
            case SEEK_LOWER_THAN:
                prepare();
                arrive("seekLowerThan", fixture.model().lowerEntry(key), cursor.seekLowerThan(key));
                wander(operation.argument());
                break;
            case NEXT:
                step(Direction.FORWARD);
                break;
            case PREVIOUS:
                step(Direction.REVERSE);
                break;
            default:
                throw new AssertionError(operation);
        }
    }

    private void walk(final Direction direction) {
        int steps = 0;
        while (position != null && steps++ < 4 * WALK_STEPS) {
            step(direction);
        }
    }

    private void wander(final int argument) {
        final Random random = new Random(argument);
        for (int i = random.nextInt(WALK_STEPS); i > 0 && position != null; i--) {
            step(random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE);
        }
    }

    private void step(final Direction direction) {
        final boolean forward = direction.isForward();
        final byte[] from = position;
        final boolean found = forward ? cursor.next() : cursor.previous();
        final String move = (forward ? "next from " : "previous from ") + KeyCorpus.text(from);
        assertEquals(found, cursor.valid(), () -> "valid after " + move);
        position = found ? cursor.key() : null;
        if (from == null) {
            assertFalse(found, () -> "a step from nowhere finds " + KeyCorpus.text(position));
            return;
        }
        final byte[] nearest = forward ? stable.higherKey(from) : stable.lowerKey(from);
        if (!found) {
            assertNull(nearest, () -> move + " leaves out " + KeyCorpus.text(nearest));
            return;
        }
        assertTrue(isBeyond(position, from, forward), () -> move + " goes to " + KeyCorpus.text(position));
        assertFalse(
            nearest != null && isBeyond(position, nearest, forward),
            () -> move + " leaves out " + KeyCorpus.text(nearest));
        assertTrue(
            possible.getOrDefault(position, Set.of()).contains(cursor.payload()),
            () -> move + " shows " + KeyCorpus.text(position) + " with payload " + cursor.payload());
        final int shared = IndexFixture.commonPrefix(from, position);
        assertEquals(shared, cursor.commonPrefix(), () -> "commonPrefix after " + move);
    }

    private static boolean isBeyond(final byte[] key, final byte[] other, final boolean forward) {
        return forward ? Arrays.compareUnsigned(key, other) > 0 : Arrays.compareUnsigned(key, other) < 0;
    }

    private void arrive(final String move, final Map.Entry<byte[], Long> expected, final boolean found) {
        assertEquals(expected != null, found, move);
        assertEquals(found, cursor.valid(), () -> "valid after " + move);
        position = found ? expected.getKey() : null;
        if (found) {
            IndexFixture.assertKey(expected.getKey(), cursor, move);
            assertEquals(expected.getValue(), cursor.payload(), () -> "payload after " + move);
            assertEquals(0, cursor.commonPrefix(), () -> "commonPrefix after " + move);
        }
    }

    /** Before the cursor is positioned: takes a new guard and notes what is there. */
    private void prepare() {
        renewGuard();
        stable.clear();
        stable.putAll(fixture.model());
        possible.clear();
        fixture.model().forEach((key, payload) -> possible.put(key, new HashSet<>(Set.of(payload))));
    }

    private void renewGuard() {
        leaveGuard();
        guard = fixture.context().epochs().enter();
    }

    private void leaveGuard() {
        if (guard != NO_GUARD) {
            fixture.context().epochs().exit(guard);
            guard = NO_GUARD;
        }
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
        leaveGuard();
    }
}
