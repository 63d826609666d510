/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * Keys like those of the Amazon reviews in the Cuckoo Trie and Wormhole papers: item, user and time, separated by
 * a minus, 35 or 36 characters. Popular items and busy users occur often, and some users review an item twice.
 * <pre>
 *   B004J2XQ9W-A2K8Z0Q1MVT7RD-1348531200
 * </pre>
 * There are 400,000 items and 3 million users, drawn with a probability proportional to the power -1/2 of their rank.
 * One item in four has ten digits (a book), the others B00 and seven letters or digits. A user is A, a digit 1 to 3, and
 * 11 or 12 letters or digits. A time is the midnight of a day from 2001 to 2014, in seconds.
 */
final class ReviewKeys implements KeyGenerator {
    private static final int MAX_BYTES = 36;
    private static final int ITEM_BYTES = 10;
    private static final int USER_BYTES = 14;
    private static final int TIME_DIGITS = 10;
    private static final int ITEMS = 400_000;
    private static final int USERS = 3_000_000;
    private static final int USER_STARTS = 3;
    private static final long SEED = 0x617A;
    private static final long FIRST_DAY = 11_575;
    private static final int DAYS = 4_700;
    private static final long DAY_SECONDS = 86_400;
    /** One review in so many is by one of the few users who review an item again. */
    private static final int AGAIN = 12;
    private static final int FAITHFUL_USERS = 3;
    private static final int BOOKS = 4;
    private static final int SHORT_USERS = 3;
    private static final byte[] ALPHABET = KeyBytes.ascii("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    private static final int DECIMAL = 10;

    private final Randomness randomness = new Randomness(SEED);

    @Override
    public int maxKeyBytes() {
        return MAX_BYTES;
    }

    @Override
    public int generate(final long number, final byte[] target) {
        randomness.restart(SEED, number);
        final int item = popular(ITEMS);
        final int user = randomness.below(AGAIN) == 0
            ? Hashing.reduce(Hashing.mix64(item * (long) FAITHFUL_USERS + randomness.below(FAITHFUL_USERS) + SEED), USERS)
            : popular(USERS);
        int end = putItem(target, 0, Hashing.mix64(item + SEED));
        target[end++] = '-';
        end = putUser(target, end, Hashing.mix64(user - SEED));
        target[end++] = '-';
        return KeyBytes.putDigits(target, end, (FIRST_DAY + randomness.below(DAYS)) * DAY_SECONDS, TIME_DIGITS);
    }

    /** Draws a rank with a probability proportional to its power -1/2. */
    private int popular(final int count) {
        final double fraction = randomness.fraction();
        return (int) (count * fraction * fraction);
    }

    private static int putItem(final byte[] target, final int start, final long hash) {
        if (hash >>> Long.SIZE - 2 == BOOKS - 1) {
            return KeyBytes.putDigits(target, start, hash >>> 2 & 0x7FFF_FFFFL, ITEM_BYTES);
        }
        target[start] = 'B';
        target[start + 1] = '0';
        target[start + 2] = '0';
        return putRandom(target, start + 3, start + ITEM_BYTES, hash & Long.MAX_VALUE >>> 2);
    }

    private static int putUser(final byte[] target, final int start, final long hash) {
        target[start] = 'A';
        target[start + 1] = (byte) ('1' + Long.remainderUnsigned(hash, USER_STARTS));
        final long rest = Long.divideUnsigned(hash, USER_STARTS);
        final int shorter = rest % DECIMAL < SHORT_USERS ? 1 : 0;
        return putRandom(target, start + 2, start + USER_BYTES - shorter, rest / DECIMAL);
    }

    private static int putRandom(final byte[] target, final int start, final int end, final long hash) {
        long rest = hash;
        for (int i = start; i < end; i++) {
            target[i] = ALPHABET[(int) (rest % ALPHABET.length)];
            rest /= ALPHABET.length;
        }
        return end;
    }
}
