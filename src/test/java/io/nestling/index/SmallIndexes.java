/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.LoweredLimit;
import io.nestling.catalog.IndexType;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.KeyShape;
import io.nestling.testing.OperationSequence;
import io.nestling.testing.OperationSequence.Kind;
import io.nestling.testing.OperationSequence.Operation;
import io.nestling.testing.SeededSecrets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Life of one small index after another, each with secrets, keys and operations of its own that follow from its seed. It has
 * far more memory than it needs, so no write may be refused.
 */
public final class SmallIndexes implements LongConsumer {
    private static final long MAX_BYTES = 8L << 20;
    private static final int FEW_KEYS = 64;
    /* So many indexes get the same few keys. */
    private static final int SECRETS = 40;
    private static final int CHECKED_EVERY = 400;
    private static final int MANY_RESERVED = 50;
    private static final int RESERVED_EVERY = 64;
    private static final int REPLACED_EVERY = 8;
    /* Number of the first payload that replaces another one. */
    private static final int FIRST_REPLACED = 1_000_000;
    /* Bytes that an index takes for its first keys. */
    private static final long FIRST_BYTES = 48 << 10;
    private static final int KEY_BYTES = 16;
    /* Bytes that an index takes beyond that, in multiples of the keys and KEY_BYTES for each. */
    private static final int MOST_TIMES = 4;
    /* With the lowest limits the hash table of Wormhole's prefixes is nearly empty, and much larger. */
    private static final boolean IS_USUAL = Integer.getInteger(LoweredLimit.PROP_PREFIX + "wormhole.loadBuckets") == null;

    @Override
    public void accept(final long seed) {
        final Random random = new Random(seed * SeededSecrets.SPREAD);
        final IndexType type = IndexType.values()[(int) Math.floorMod(seed, (long) IndexType.values().length)];
        if (random.nextInt(4) == 0) {
            final KeyCorpus corpus = KeyShape.draw(random);
            new OperationSequence(corpus, seed, operations(random, corpus.size()))
                .check(sequence -> live(type, seed, sequence));
        } else {
            final KeyCorpus corpus = KeyShape.draw(random, FEW_KEYS);
            final List<Operation> puts = new ArrayList<>();
            add(puts, Kind.PUT, order(random, corpus.size()));
            new OperationSequence(corpus, seed, puts).check(sequence -> {
                for (int i = 0; i < SECRETS; i++) {
                    fill(type, seed + i * SeededSecrets.SPREAD, sequence);
                }
            });
        }
    }

    private static void fill(final IndexType type, final long secret, final OperationSequence puts) {
        SeededSecrets.begin(secret);
        try (IndexFixture fixture = new IndexFixture(type, MAX_BYTES, MAX_BYTES)) {
            puts.operations().forEach(put -> fixture.put(puts.key(put)));
            fixture.check();
            checkBytes(fixture, fixture.model().size(), puts.corpus().keyBytes());
        }
    }

    /** Fills an index in some order, then changes it, or empties and fills it again. */
    private static List<Operation> operations(final Random random, final int keys) {
        final List<Operation> operations = new ArrayList<>();
        final List<Integer> order = order(random, keys);
        add(operations, Kind.PUT, order);
        for (int round = random.nextInt(3); round > 0; round--) {
            final int removeShare = random.nextInt(60);
            for (int left = random.nextInt(2 * keys + 20); left > 0; left--) {
                final int draw = random.nextInt(100);
                final Kind kind = draw < removeShare ? Kind.REMOVE : draw < 90 ? Kind.PUT
                    : draw < 98 ? Kind.GET_ALL : Kind.values()[random.nextInt(Kind.values().length)];
                operations.add(new Operation(kind, random.nextInt(keys),
                    random.nextInt(4) == 0 ? random.nextInt(KeyCorpus.NEIGHBOURS) : 0, operations.size()));
            }
            if (random.nextInt(3) == 0) {
                add(operations, Kind.REMOVE, order(random, keys));
                add(operations, Kind.PUT, order(random, keys));
            }
        }
        return operations;
    }

    private static List<Integer> order(final Random random, final int keys) {
        final Integer[] order = new Integer[keys];
        Arrays.setAll(order, i -> i);
        final List<Integer> list = new ArrayList<>(List.of(order));
        switch (random.nextInt(4)) {
            case 0 -> Collections.shuffle(list, random);
            case 1 -> Collections.reverse(list);
            default -> { } // as they were drawn: mostly ascending
        }
        return list;
    }

    private static void add(final List<Operation> operations, final Kind kind, final List<Integer> keys) {
        keys.forEach(key -> operations.add(new Operation(kind, key, 0, operations.size())));
    }

    private static void live(final IndexType type, final long secret, final OperationSequence sequence) {
        SeededSecrets.begin(secret);
        try (IndexFixture fixture = new IndexFixture(type, MAX_BYTES, MAX_BYTES);
            IndexModelRun run = new IndexModelRun(fixture, sequence, key -> true)) {
            int done = 0;
            long most = 0;
            for (final Operation operation : sequence.operations()) {
                reserve(fixture, operation);
                run.apply(operation);
                replace(fixture, run, sequence.key(operation), operation.argument());
                most = Math.max(most, fixture.model().size());
                if (++done % CHECKED_EVERY == 0) {
                    fixture.check();
                    checkBytes(fixture, most, sequence.corpus().keyBytes());
                }
            }
            fixture.check();
            checkBytes(fixture, most, sequence.corpus().keyBytes());
        }
    }

    /** Now and then promises space for some keys, or gives up what was promised. */
    private static void reserve(final IndexFixture fixture, final Operation operation) {
        final int phase = operation.argument() % RESERVED_EVERY;
        if (phase == 7) {
            final int entries = 1 + operation.argument() % MANY_RESERVED;
            fixture.index().reserve(entries, entries * 20L);
        } else if (phase == 45) {
            fixture.index().reserve(0, 0);
        }
    }

    /** Now and then replaces the payload of an index for many writers. */
    private static void replace(final IndexFixture fixture, final IndexModelRun run, final byte[] key, final int argument) {
        if (argument % REPLACED_EVERY == 0 && fixture.index() instanceof ConcurrentIndex index) {
            final Long present = fixture.model().get(key);
            final long payload = fixture.payload(FIRST_REPLACED + argument, key);
            assertEquals(present != null, index.replace(key, 0, key.length, present == null ? 0 : present, payload),
                () -> "replace " + KeyCorpus.text(key));
            if (present != null) {
                fixture.model().put(key, payload);
                run.allow(key, payload);
            }
        }
    }

    private static void checkBytes(final IndexFixture fixture, final long keys, final long keyBytes) {
        final long used = fixture.index().bytesUsed();
        final long most = FIRST_BYTES + MOST_TIMES * (KEY_BYTES * keys + keyBytes);
        assertTrue(used <= most || !IS_USUAL,
            () -> used + " bytes, expected at most " + most + " for " + keys + " keys of " + keyBytes + " bytes together");
    }
}
