/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.RetiredBlocks;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An index asks for the key of a replaced payload no longer than {@link KeySource} says: a memtable recycles its record. */
class ReplacedPayloadsTest {
    private static final int KEYS = 3_000;
    private static final int STEADY_KEYS = 1_500;
    private static final int KEY_BITS = 16;
    private static final int MAX_BYTES = 64 << 20;

    /** Keys of all lengths, many with long common prefixes; the payload is a version and, below, the number of the key. */
    private static final class Keys implements KeySource {
        private final byte[][] keys = new byte[KEYS][];
        /* The newest version of each key that may not be asked for any more. */
        private final AtomicLongArray gone = new AtomicLongArray(KEYS);
        private final AtomicLong asked = new AtomicLong();

        Keys(final Random random) {
            for (int i = 0; i < KEYS; i++) {
                final String number = Integer.toString(i * 7919 % KEYS);
                final String beginning = switch (random.nextInt(3)) {
                    case 0 -> "key ";
                    case 1 -> "a common beginning of some length/" + number.charAt(0) + "/";
                    default -> "12345678"; // the first word is that of many
                };
                keys[i] = (beginning + number).getBytes(StandardCharsets.US_ASCII);
            }
        }

        private byte[] key(final long payload) {
            final int number = (int) payload & (1 << KEY_BITS) - 1;
            if (payload >>> KEY_BITS <= gone.get(number)) {
                asked.compareAndSet(0, payload);
                throw new AssertionError("version " + (payload >>> KEY_BITS) + " of key " + number + " is asked for");
            }
            return keys[number];
        }

        @Override
        public int keyLength(final long payload) {
            return key(payload).length;
        }

        @Override
        public int copyKey(final long payload, final byte[] destination, final int offset) {
            final byte[] key = key(payload);
            System.arraycopy(key, 0, destination, offset, key.length);
            return key.length;
        }

        @Override
        public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
            final byte[] own = key(payload);
            return Arrays.compareUnsigned(own, 0, own.length, key, offset, offset + length);
        }

        @Override
        public long address(final long payload) {
            return 0;
        }

        @Override
        public void addTo(final PrefetchVector lines, final long payload, final int length) {
            // Nothing of a key here is off heap.
        }
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldNotAskForKeysOfReplacedPayloadsTwoEpochsLater(final IndexType type) throws Exception {
        final Random random = Seeds.random("ReplacedPayloadsTest " + type);
        final Keys keys = new Keys(random);
        final EpochReclaimer epochs = new EpochReclaimer();
        final RetiredBlocks retired = new RetiredBlocks(epochs, payload ->
            keys.gone.accumulateAndGet((int) payload & (1 << KEY_BITS) - 1, payload >>> KEY_BITS, Math::max));
        final IndexContext context =
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(MAX_BYTES), epochs, keys, MAX_BYTES);
        try (PointIndex index = type.create(context)) {
            final StressThreads readers = new StressThreads();
            readers.start("gets", () -> get(index, keys, epochs, readers));
            if (type.ordered()) {
                readers.start("scans", () -> scan((OrderedIndex) index, epochs, readers));
            }
            long version = 0;
            for (int i = Effort.count(60_000, 300_000, 3_000_000); i > 0 && readers.goOn(); i--) {
                // Keys come and go, so that what holds payloads moves; only replaced ones are forgotten.
                final int number = random.nextInt(random.nextBoolean() ? STEADY_KEYS : KEYS);
                final byte[] key = keys.keys[number];
                if (number >= STEADY_KEYS && random.nextInt(3) == 0) {
                    index.remove(key, 0, key.length);
                    continue;
                }
                final long before = index.put(key, 0, key.length, ++version << KEY_BITS | number);
                if (before != PointIndex.NONE && number < STEADY_KEYS) {
                    retired.retire(before, 0);
                }
            }
            readers.finish();
            assertTrue(keys.asked.get() == 0, "a key was asked for: " + keys.asked);
            index.verify();
        }
    }

    private static void get(final PointIndex index, final Keys keys, final EpochReclaimer epochs, final StressThreads threads) {
        final Random random = new Random(1);
        final KeyBatch batch = new KeyBatch();
        final long[] payloads = new long[16];
        while (threads.goOn()) {
            final int guard = epochs.enter();
            try {
                batch.clear();
                for (int i = 0; i < payloads.length; i++) {
                    final byte[] key = keys.keys[random.nextInt(KEYS)];
                    index.get(key, 0, key.length);
                    batch.add(key, 0, key.length);
                }
                index.getAll(batch, payloads);
            } finally {
                epochs.exit(guard);
            }
        }
    }

    /** A cursor's place is used again under another guard while the epoch is the same. */
    private static void scan(final OrderedIndex index, final EpochReclaimer epochs, final StressThreads threads) {
        try (EntryCursor cursor = index.cursor()) {
            boolean forward = false;
            while (threads.goOn()) {
                forward = !forward;
                boolean found = true;
                long epoch = -1;
                byte[] key = {}; // copied in the guard of the last move: the cursor may read it when it is asked for it
                while (found) {
                    final int guard = epochs.enter();
                    try {
                        if (epoch < 0) {
                            epoch = epochs.epoch();
                            found = forward ? cursor.first() : cursor.last();
                        } else if (epoch != epochs.epoch()) {
                            epoch = epochs.epoch();
                            found = forward ? cursor.seek(key) : cursor.seekLowerThan(key);
                        }
                        for (int i = 0; i < 30 && found; i++) {
                            found = forward ? cursor.next() : cursor.previous();
                        }
                        key = found ? cursor.key() : key;
                    } finally {
                        epochs.exit(guard);
                    }
                }
            }
        }
    }
}
