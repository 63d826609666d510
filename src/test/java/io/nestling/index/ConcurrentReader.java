/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;

import java.util.Arrays;
import java.util.Random;

/**
 * A reader of a concurrency test. Each read holds a guard, notes before it what was published, and checks the
 * answer against that. Errors are {@link AssertionError}s.
 */
final class ConcurrentReader {
    private static final int BATCH = 24;
    private static final int STEPS = 40;
    private static final int RECENT = 8;
    private static final int REPEATS = 50;
    /** Number of changing keys that are changed most often. */
    static final int HOT = 8;

    private final IndexFixture fixture;
    private final PointIndex index;
    private final PublishedProgress progress;
    private final ConcurrentKeys keys;
    private final Random random;
    private final long[] newestSeen;
    private final KeyBatch batch = new KeyBatch(BATCH);
    private final int[] numbers = new int[BATCH];
    private final long[] confirmed = new long[BATCH];
    private final long[] payloads = new long[BATCH];
    private final byte[] before = new byte[PointIndex.MAX_KEY_BYTES];

    ConcurrentReader(final IndexFixture fixture, final PublishedProgress progress, final Random random) {
        this.fixture = fixture;
        this.index = fixture.index();
        this.progress = progress;
        this.keys = progress.keys();
        this.random = random;
        this.newestSeen = new long[keys.changing()];
    }

    /** Does a few reads of every kind. */
    void readOnce() {
        for (int i = 0; i < RECENT; i++) {
            get(random.nextInt(3) == 0 ? keys.stableNumber(random.nextInt(keys.stable())) : pick());
        }
        repeat(random.nextInt(Math.min(HOT, keys.changing())));
        getAll();
        if (fixture.ordered()) {
            final int guard = fixture.context().epochs().enter();
            try (EntryCursor cursor = fixture.cursor()) {
                seek(cursor, pick());
                walk(cursor, random.nextInt(3) == 0 ? next() : pick());
            } finally {
                fixture.context().epochs().exit(guard);
            }
        }
    }

    /** A changing key, or a stable one that was published, most often of late. */
    private int pick() {
        final int written = progress.stableWritten();
        final int draw = random.nextInt(4);
        if (written == 0 || draw == 0) {
            return random.nextInt(random.nextBoolean() ? keys.changing() : Math.min(HOT, keys.changing()));
        }
        return keys.stableNumber(
            draw == 1 ? random.nextInt(written) : written - 1 - random.nextInt(Math.min(RECENT, written)));
    }

    /** One of the stable keys that are being written. */
    private int next() {
        return keys.stableNumber(Math.min(progress.stableWritten() + random.nextInt(3), keys.stable() - 1));
    }

    private void get(final int number) {
        final byte[] key = keys.key(number);
        final int guard = fixture.context().epochs().enter();
        try {
            final long since = confirmedBefore(number);
            final long payload = index.get(key, 0, key.length);
            checkAnswer("get", number, since, payload);
        } finally {
            fixture.context().epochs().exit(guard);
        }
    }

    /** Looks a changing key up back to back, to meet an answer that goes back in time. */
    private void repeat(final int number) {
        final byte[] key = keys.key(number);
        final int guard = fixture.context().epochs().enter();
        try {
            for (int i = 0; i < REPEATS; i++) {
                final long since = confirmedBefore(number);
                checkAnswer("get", number, since, index.get(key, 0, key.length));
            }
        } finally {
            fixture.context().epochs().exit(guard);
        }
    }

    private void getAll() {
        batch.clear();
        final int guard = fixture.context().epochs().enter();
        try {
            for (int i = 0; i < BATCH; i++) {
                final int number = pick();
                numbers[i] = number;
                confirmed[i] = confirmedBefore(number);
                batch.add(keys.key(number), 0, keys.key(number).length);
            }
            index.getAll(batch, payloads);
            for (int i = 0; i < BATCH; i++) {
                checkAnswer("getAll", numbers[i], confirmed[i], payloads[i]);
            }
        } finally {
            fixture.context().epochs().exit(guard);
        }
    }

    /**
     * What is known before a read: the confirmed generation, or for a stable key 1 if it is there and 0 if it
     * may be.
     */
    private long confirmedBefore(final int number) {
        if (keys.isStable(number)) {
            return keys.stableNumber(progress.stableWritten()) > number ? 1 : 0;
        }
        return Math.max(newestSeen[number], progress.confirmed(number));
    }

    private void checkAnswer(final String read, final int number, final long since, final long payload) {
        if (keys.isStable(number)) {
            if (payload != ConcurrentKeys.payload(number, 0) && (since > 0 || payload != PointIndex.NONE)) {
                throw wrong(read, number, payload, since > 0 ? "it was published" : "it is being written");
            }
            return;
        }
        final long until = progress.announced(number);
        if (payload == PointIndex.NONE) {
            for (long generation = since; generation <= until; generation++) {
                if (PublishedProgress.isAbsent(generation)) {
                    newestSeen[number] = generation;
                    return;
                }
            }
            throw wrong(read, number, payload, "it has been there from generation " + since + " to " + until);
        }
        final long generation = ConcurrentKeys.generationOf(payload);
        if (ConcurrentKeys.numberOf(payload) != number || PublishedProgress.isAbsent(generation)
            || generation < since || generation > until) {
            throw wrong(read, number, payload, "it can only be of generation " + since + " to " + until);
        }
        newestSeen[number] = generation;
    }

    private AssertionError wrong(final String read, final int number, final long payload, final String why) {
        final String answer = payload == PointIndex.NONE
            ? "nothing"
            : "key " + ConcurrentKeys.numberOf(payload) + " generation "
                + ConcurrentKeys.generationOf(payload);
        return new AssertionError(
            read + " of key " + number + " " + KeyCorpus.text(keys.key(number)) + " answers " + answer
                + ", but " + why);
    }

    /** Seeks a key and checks where the cursor stands. */
    private void seek(final EntryCursor cursor, final int number) {
        final byte[] key = keys.key(number);
        final long since = confirmedBefore(number);
        final boolean found = cursor.seek(key, 0, key.length);
        final boolean hit = found
            && Arrays.equals(key, 0, key.length, cursor.keyBuffer(), 0, cursor.keyLength());
        checkAnswer("seek", number, since, hit ? cursor.payload() : PointIndex.NONE);
    }

    /**
     * Walks from a key in a random direction: keys in order, none left out that was published before the
     * walk.
     */
    private void walk(final EntryCursor cursor, final int number) {
        final boolean forward = random.nextBoolean();
        final int written = progress.stableWritten();
        final byte[] key = keys.key(number);
        int rank = keys.rankOf(key, key.length);
        boolean found = forward ? cursor.seek(key, 0, key.length) : cursor.seekLowerThan(key, 0, key.length);
        if (found && forward != keys.rankOf(cursor.keyBuffer(), cursor.keyLength()) >= rank) {
            throw new AssertionError(
                (forward ? "seek " : "seekLowerThan ") + KeyCorpus.text(key) + " goes to "
                    + KeyCorpus.text(cursor.key()));
        }
        int reached = forward ? rank - 1 : rank; // everything from here to the first key shown was left out
        int beforeLength = 0;
        for (int step = 0; found && step < STEPS; step++) {
            rank = checkShown(cursor, forward, reached, written);
            reached = rank;
            final int shared =
                Arrays.mismatch(before, 0, beforeLength, cursor.keyBuffer(), 0, cursor.keyLength());
            if (cursor.commonPrefix() != (shared < 0 ? beforeLength : shared)) {
                throw new AssertionError(
                    "commonPrefix " + cursor.commonPrefix() + " is not " + shared + " at "
                        + KeyCorpus.text(cursor.key()) + " after "
                        + KeyCorpus.text(Arrays.copyOf(before, beforeLength)));
            }
            beforeLength = cursor.keyLength();
            System.arraycopy(cursor.keyBuffer(), 0, before, 0, beforeLength);
            found = forward ? cursor.next() : cursor.previous();
        }
        if (!found) {
            checkNoneLeftOut(reached, forward ? keys.size() : -1, forward, written);
        }
    }

    private int checkShown(
        final EntryCursor cursor, final boolean forward, final int reached, final int written) {
        final int rank = keys.rankOf(cursor.keyBuffer(), cursor.keyLength());
        if (rank < 0) {
            throw new AssertionError(
                "the cursor shows " + KeyCorpus.text(cursor.key()) + ", which was never written");
        }
        if (forward ? rank <= reached : rank >= reached) {
            throw new AssertionError(
                "walking " + (forward ? Direction.FORWARD : Direction.REVERSE) + ", "
                    + KeyCorpus.text(cursor.key()) + " comes after "
                        + KeyCorpus.text(keys.key(keys.atRank(Math.max(0, reached)))));
        }
        checkNoneLeftOut(reached, rank, forward, written);
        final int number = keys.atRank(rank);
        final long payload = cursor.payload();
        final long generation = ConcurrentKeys.generationOf(payload);
        final boolean right = ConcurrentKeys.numberOf(payload) == number && (keys.isStable(number)
            ? generation == 0
            : !PublishedProgress.isAbsent(generation) && generation <= progress.announced(number));
        if (!right) {
            throw wrong("a walk", number, payload, "it can only be of another generation");
        }
        return rank;
    }

    private void checkNoneLeftOut(final int from, final int to, final boolean forward, final int written) {
        final int step = forward ? 1 : -1;
        for (int rank = from + step; (to - rank) * step > 0; rank += step) {
            final int number = keys.atRank(rank);
            if (keys.isStable(number) && keys.stableNumber(written) > number) {
                throw new AssertionError("walking " + (forward ? Direction.FORWARD : Direction.REVERSE) + ", "
                    + KeyCorpus.text(keys.key(number)) + " was left out, which was published before");
            }
        }
    }
}
