/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.CheckedCursor;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableChecks;
import io.nestling.memtable.MemtableModel;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.MemtableStats;
import io.nestling.memtable.WriteBatch;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.KeyShape;
import io.nestling.testing.SeededSecrets;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Life of one small memtable after another, with secrets and writes of its own that follow from its seed. Half of them have more
 * memory than they need, the others 128 KiB to 2 MiB, and are filled until they refuse a write.
 */
public final class SmallMemtables implements LongConsumer {
    private static final int MAX_SHARDS = 4;
    private static final int MAX_BATCH = 30;
    private static final long ROOMY_BYTES = 24L << 20;
    private static final long TINY_BYTES = 2L << 20;
    /* A memtable of not too small shards uses a quarter of its capacity at least before it is full. */
    private static final long LEAST_USED_PART = 4;
    private static final int REFUSED_WRITES = 3;
    /* One that recycles its records may never be full. */
    private static final int MOST_WRITES = 4_000;
    private static final int LEAST_VALUES = 100;
    private static final int LARGEST_EVERY = 10;
    private static final int MOST_VALUE_BYTES = 60_000;

    private Random random;
    private KeyCorpus keys;
    private MemtableOptions options;
    private Memtable memtable;
    private MemtableModel model;
    private int valueBytes;

    @Override
    public void accept(final long seed) {
        random = new Random(seed * SeededSecrets.SPREAD);
        SeededSecrets.begin(seed);
        keys = KeyShape.draw(random);
        final boolean roomy = random.nextBoolean();
        final long capacity =
            roomy ? ROOMY_BYTES : MemtableOptions.MIN_SHARD_BYTES + (long) (random.nextDouble() * (TINY_BYTES - (128 << 10)));
        final int mostShards = (int) Math.min(MAX_SHARDS, capacity / MemtableOptions.MIN_SHARD_BYTES);
        options = MemtableOptions.builder()
            .index(IndexType.values()[(int) Math.floorMod(seed, (long) IndexType.values().length)])
            .shards(1 + random.nextInt(mostShards)).capacityBytes(capacity)
            .keepVersions(KeepVersions.values()[random.nextInt(KeepVersions.values().length)]).build();
        model = new MemtableModel(1);
        try (Memtable opened = Memtable.open(options)) {
            memtable = opened;
            assertFalse(opened.isFull(), () -> this + " is full when empty");
            if (roomy) {
                valueBytes = 1 + random.nextInt(100);
                for (int left = 1 + random.nextInt(3 * keys.size()); left > 0; left--) {
                    assertTrue(write(), () -> this + " refuses a write: " + opened.stats());
                }
            } else {
                final int values = Math.max(keys.size(), LEAST_VALUES);
                valueBytes = 1 + (int) Math.min(MOST_VALUE_BYTES, (1 + random.nextInt(4)) * capacity / values);
                fill();
            }
            check();
        }
        MemtableChecks.allGivenBack(memtable);
    }

    @Override
    public String toString() {
        return options.index() + " of " + options.capacityBytes() + " bytes with " + options.shards() + " shards, "
            + options.keepVersions() + ", " + keys + ", values of less than " + valueBytes + " bytes";
    }

    /** Writes until nothing more fits, and a little longer. */
    private void fill() {
        int refused = 0;
        boolean wasFull = false;
        for (int left = MOST_WRITES; refused < REFUSED_WRITES && left > 0; left--) {
            if (refused == 0 && !wasFull && memtable.isFull()) { // not because of one batch that was too large
                wasFull = true;
                checkUse();
            }
            refused += write() ? 0 : 1;
        }
    }

    /** Little of the memory of a memtable may be left or idle when it is full for the first time. */
    private void checkUse() {
        final MemtableStats stats = memtable.stats();
        assertTrue(stats.reservedBytes() <= stats.capacityBytes(), stats::toString);
        // Of records of many sizes, those that were replaced are seldom of the size that is wanted next.
        final long used = stats.indexBytes() + stats.recordBytes() + stats.freeRecordBytes();
        if (options.capacityBytes() / options.shards() >= MemtableOptions.ASSURED_SHARD_BYTES) {
            assertTrue(used > options.capacityBytes() / LEAST_USED_PART, () -> this + " is full with " + stats);
        }
    }

    private byte[] key() {
        final byte[] key = keys.key(random.nextInt(keys.size()));
        return random.nextInt(10) == 0 ? KeyCorpus.neighbour(key, random.nextInt(KeyCorpus.NEIGHBOURS)) : key;
    }

    /** Any length; when little memory is left, at times that of the largest entry that fits until the memtable is full. */
    private int valueLength(final byte[] key) {
        final int largest = (int) options.maxEntryBytes() - key.length;
        final boolean isLargest = largest >= 0 && largest <= MOST_VALUE_BYTES && random.nextInt(LARGEST_EVERY) == 0
            && memtable.stats().reservedBytes() > options.capacityBytes() / 8 * 7;
        return isLargest ? largest : random.nextInt(valueBytes);
    }

    /** Writes one or some entries. Returns false, with nothing changed, if there is no space for them. */
    private boolean write() {
        final WriteBatch batch = new WriteBatch();
        for (int left = random.nextInt(8) == 0 ? 1 + random.nextInt(MAX_BATCH) : 1; left > 0; left--) {
            final byte[] key = key();
            if (random.nextInt(10) == 0) {
                batch.delete(key);
            } else {
                final byte[] value = new byte[valueLength(key)];
                Arrays.fill(value, (byte) random.nextInt());
                batch.put(key, value);
            }
        }
        final WriteBatch.Operation first = batch.iterator().next();
        final boolean assured = batch.size() == 1 && !memtable.isFull() && options.maxEntryBytes() > 0
            && first.key().length <= MemtableOptions.ASSURED_KEY_BYTES && batch.byteSize() <= options.maxEntryBytes();
        final long last = model.last();
        try {
            memtable.write(batch);
        } catch (final SpaceExhaustedException e) {
            assertFalse(assured, () -> this + " refuses an entry of " + batch.byteSize() + " bytes that it assures: " + e
                + ", " + memtable.stats());
            assertTrue(memtable.isFull(), () -> this + " refuses a write and is not full");
            assertTrue(e.getMessage() != null && e.getMessage().matches("(?s).*\\d.*"), () -> this + " says " + e.getMessage());
            assertEquals(last, memtable.lastSequence());
            batch.forEach(operation -> MemtableChecks.point(memtable, model, operation.key(), null));
            return false;
        }
        batch.forEach(model::apply);
        if (random.nextInt(20) == 0) {
            MemtableChecks.point(memtable, model, first.key(), null);
        }
        return true;
    }

    /** Compares everything that can be read, and what is flushed before and after the end of all writing. */
    private void check() {
        MemtableChecks.verifyIndexes(memtable);
        MemtableChecks.stats(memtable, model, 0);
        final byte[][] some = new byte[random.nextInt(200)][];
        Arrays.setAll(some, i -> key());
        MemtableChecks.all(memtable, model, some, random.nextInt(2));
        try (CheckedCursor cursor = new CheckedCursor(
            MemtableChecks.cursor(memtable, null, random), model.visible(model.last()))) {
            cursor.walk();
        }
        MemtableChecks.flush(memtable, model, options.keepVersions(), List.of(), random);
        memtable.freeze();
        MemtableChecks.flush(memtable, model, options.keepVersions(), List.of(), random);
    }
}
