/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What readers meet that stand still while a writer goes on, step by step in one thread: stale leaves, dead leaves, cursors
 * whose neighbours are divided and joined. Each case shows that a reader without the protocol would go wrong there.
 */
class WormholeReadersTest {
    private final EpochReclaimer epochs = new EpochReclaimer();
    /* What happens once when the next key is read: a writer at work in the middle of a reader's call. */
    private Runnable meanwhile;
    private final HeapKeySource keys = new HeapKeySource(this::keyOf);
    private Wormhole index;
    private Leaves leaves;
    private WormholeLeafWalk walk;
    private int guard;

    @BeforeEach
    void open() {
        index = new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(64L << 20), epochs, keys, 64L << 20), KeyHash.ofSeed(9));
        leaves = index.leaves;
        walk = new WormholeLeafWalk(leaves);
        guard = epochs.enter();
    }

    @AfterEach
    void close() {
        epochs.exit(guard);
        index.close();
    }

    private byte[] keyOf(final long payload) {
        final Runnable once = meanwhile;
        meanwhile = null;
        if (once != null) {
            once.run();
        }
        return key(payload);
    }

    private static byte[] key(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private void put(final long number) {
        index.put(key(number), 0, Long.BYTES, number);
    }

    private void remove(final long number) {
        assertEquals(number, index.remove(key(number), 0, Long.BYTES));
    }

    private long leafOf(final long number) {
        return walk.find(LeafLayout.offset(leaves.slab().getInt(TableLayout.FIRST_LEAF_OFFSET)), key(number), 0, Long.BYTES);
    }

    private static long hash(final long number) {
        final PrefixHasher hasher = new PrefixHasher(KeyHash.ofSeed(9));
        hasher.reset(key(number), 0, Long.BYTES);
        return hasher.hash();
    }

    private long walkFrom(final long leaf, final long number) {
        return walk.get(leaf, hash(number), key(number), 0, Long.BYTES);
    }

    private long readIn(final long leaf, final long number) {
        return leaves.payloadOf(leaf, hash(number), key(number), 0, Long.BYTES);
    }

    @Test
    void shouldFindAKeyFromTheLeafThatItHasLeft() {
        for (long i = 0; i < LeafLayout.MAX_ENTRIES; i++) {
            put(i * 100);
        }
        final long stale = leafOf(8000);
        assertEquals(8000, readIn(stale, 8000));
        for (long i = 0; i < LeafLayout.MAX_ENTRIES; i++) {
            put(i * 100 + 1);
        }
        assertNotEquals(stale, leafOf(8000), "the key has moved");
        assertEquals(PointIndex.NONE, readIn(stale, 8000), "who trusts the old leaf misses the key");
        assertEquals(8000, walkFrom(stale, 8000));
        assertEquals(8000, index.get(key(8000), 0, Long.BYTES));
        assertEquals(PointIndex.NONE, walkFrom(stale, 8050));
    }

    @Test
    void shouldFindAKeyFromTheLeafThatHasDied() {
        for (long i = 0; i < 1000; i++) {
            put(i);
        }
        final long stale = leafOf(990);
        for (long i = 0; i < 985; i++) {
            remove(i);
        }
        assertTrue((leaves.state(stale) & LeafLayout.DEAD) != 0, "the leaf was joined with another one");
        put(1500);
        assertEquals(PointIndex.NONE, readIn(stale, 1500), "who trusts the dead leaf misses the key");
        assertEquals(1500, walkFrom(stale, 1500));
        assertEquals(990, walkFrom(stale, 990));
    }

    @Test
    void shouldLeaveDeadLeavesAloneWhileAGuardIsHeld() {
        for (long i = 0; i < 5000; i++) {
            put(i);
        }
        final long stale = leafOf(4000);
        for (long i = 0; i < 4990; i++) {
            remove(i);
        }
        for (long i = 0; i < 4990; i++) {
            put(i);
        }
        assertTrue((leaves.state(stale) & LeafLayout.DEAD) != 0, "it was not used again");
        index.verify();
    }

    @Test
    void shouldCopyNoMoreThanALeafHoldsWhenItsOrderNamesASlotTwice() {
        for (long i = 0; i < LeafLayout.MAX_ENTRIES; i++) {
            put(i);
        }
        final long leaf = leafOf(0);
        final int listed = LeafLayout.count(leaves.state(leaf));
        final Slab slab = leaves.slab();
        final byte[] order = new byte[listed];
        slab.getBytes(leaf + LeafLayout.ORDER_OFFSET, order, 0, listed);
        final byte[] repeated = new byte[listed];
        Arrays.fill(repeated, order[0]);
        slab.putBytes(leaf + LeafLayout.ORDER_OFFSET, repeated, 0, listed);
        final LeafSnapshot copy = new LeafSnapshot(leaves);
        assertTrue(copy.copy(leaf), "a reader that is in the middle of it sees such an order");
        assertTrue(copy.count() <= LeafLayout.SLOTS, () -> copy.count() + " entries");
        slab.putBytes(leaf + LeafLayout.ORDER_OFFSET, order, 0, listed);
        index.verify();
    }

    @Test
    void shouldTellOfAnEntryBeforeALookupFindsIt() throws InterruptedException {
        for (long i = 0; i < 24; i++) {
            put(2 * i);
        }
        final long leaf = leafOf(1);
        final long base = leaves.state(leaf);
        assertEquals(24, LeafLayout.count(base));
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicLong seen = new AtomicLong();
        final AtomicLong missed = new AtomicLong();
        final Thread reader = new Thread(() -> {
            while (!stop.get()) {
                final long before = leaves.state(leaf);
                if (readIn(leaf, 1) == 1) {
                    final long after = leaves.state(leaf);
                    // Of one version: the key was put before, so that the leaf has it in its positions.
                    if (LeafLayout.sameVersion(before, after)) {
                        seen.incrementAndGet();
                        missed.addAndGet(LeafLayout.count(after) == LeafLayout.count(base) + 1 ? 0 : 1);
                    }
                }
            }
        });
        reader.start();
        final long end = System.nanoTime() + 400_000_000L;
        while (System.nanoTime() < end && missed.get() == 0) {
            put(1);
            remove(1);
        }
        stop.set(true);
        reader.join();
        assertEquals(0, missed.get(), () -> "times that a cursor would not see an entry, of " + seen.get());
    }

    @Test
    void shouldShowALeafInOrderWhileKeysComeAndGo() throws InterruptedException {
        for (long i = 1; i <= 40; i++) {
            put(10 * i);
        }
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicLong walks = new AtomicLong();
        final AtomicReference<String> wrong = new AtomicReference<>();
        final Thread reader = new Thread(() -> {
            final int own = epochs.enter();
            try (EntryCursor cursor = index.cursor()) {
                while (!stop.get() && wrong.get() == null) {
                    wrong.set(walkOverTens(cursor));
                    walks.incrementAndGet();
                }
            } finally {
                epochs.exit(own);
            }
        });
        reader.start();
        final Random random = new Random(Seeds.seed("WormholeReaders.keysComeAndGo"));
        final long end = System.nanoTime() + 400_000_000L;
        while ((System.nanoTime() < end || walks.get() == 0) && wrong.get() == null && reader.isAlive()) {
            final long number = 10 * (1 + random.nextInt(39)) + 1 + random.nextInt(9);
            put(number);
            remove(number);
        }
        stop.set(true);
        reader.join();
        assertNull(wrong.get(), () -> wrong.get() + " in walk " + walks.get());
        assertTrue(walks.get() > 0, "the reader has failed");
    }

    /** Walks over all keys; returns what is wrong, or null if they ascend and all multiples of ten are among them. */
    private static String walkOverTens(final EntryCursor cursor) {
        long before = 0;
        int tens = 0;
        for (boolean found = cursor.seek(key(1)); found; found = cursor.next()) {
            final long number = cursor.payload();
            if (number <= before) {
                return number + " comes after " + before;
            }
            before = number;
            tens += number % 10 == 0 ? 1 : 0;
        }
        return tens == 40 ? null : tens + " of 40 keys that stay";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShowEachKeyThatStaysOnceWhileLeavesChange(final boolean forward) {
        final Random random = new Random(Seeds.seed("WormholeReaders.eachKeyThatStaysOnce" + forward));
        final TreeSet<Long> model = new TreeSet<>();
        for (int round = 0; round < 40; round++) {
            while (model.size() < 1500) {
                final long number = random.nextInt(100_000);
                if (model.add(number)) {
                    put(number);
                }
            }
            walkBesideChanges(random, model, forward);
            index.verify();
        }
    }

    private void walkBesideChanges(final Random random, final TreeSet<Long> model, final boolean forward) {
        final TreeSet<Long> staying = new TreeSet<>(model);
        long before = forward ? -1 : Long.MAX_VALUE;
        final TreeSet<Long> seen = new TreeSet<>();
        try (EntryCursor cursor = index.cursor()) {
            boolean found = forward ? cursor.first() : cursor.last();
            while (found) {
                final long number = cursor.payload();
                assertTrue(forward ? number > before : number < before, number + " comes after " + before);
                before = number;
                seen.add(number);
                change(random, model, staying, number);
                found = forward ? cursor.next() : cursor.previous();
            }
        }
        staying.removeAll(seen);
        assertTrue(staying.isEmpty(), () -> "not shown: " + staying);
    }

    /** Puts or removes many keys near the cursor, so that leaves around it are divided and joined. */
    private void change(final Random random, final TreeSet<Long> model, final TreeSet<Long> staying, final long at) {
        if (random.nextInt(20) > 0) {
            return;
        }
        if (random.nextBoolean()) {
            for (int i = 0; i < 60; i++) {
                final long number = Math.max(0, at + random.nextInt(6000) - 3000);
                if (model.add(number)) {
                    put(number);
                }
            }
            return;
        }
        final long from = Math.max(0, at + random.nextInt(8000) - 4000);
        for (final Iterator<Long> rest = model.subSet(from, from + 5000).iterator(); rest.hasNext();) {
            final long number = rest.next();
            if (random.nextInt(10) > 0) {
                rest.remove();
                staying.remove(number);
                remove(number);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBePositionedAtWhatWasNearestAtOneMomentBesideWrites(final boolean forward) {
        final int count = 3000;
        for (long i = 0; i < count; i++) {
            put(i * 1000);
        }
        int crossed = 0;
        try (EntryCursor cursor = index.cursor()) {
            for (long i = 2; i < count - 2; i++) {
                final long base = i * 1000;
                final int sign = forward ? 1 : -1;
                final long near = base + 2 * sign;
                final long far = base + 999 * sign;
                crossed += leafOf(near) == leafOf(far) ? 0 : 1;
                meanwhile = () -> {
                    put(near);
                    put(far);
                };
                assertTrue(forward ? cursor.seek(key(base + 1)) : cursor.seekLowerThan(key(base - 1)));
                final long found = cursor.payload();
                // First the next key that stays, then the near one; the far one was put when the near one was there.
                assertTrue(found == base + 1000 * sign || found == near, () -> found + " beside " + base);
                if (meanwhile == null) {
                    remove(near);
                    remove(far);
                }
                meanwhile = null;
            }
        }
        assertTrue(crossed > 0, "no key of another leaf was the nearest one");
        index.verify();
    }

    @Test
    void shouldGoOnWithATableThatCannotGrowWhenTheHeapIsFull() {
        final Random random = new Random(Seeds.seed("WormholeReaders.heapIsFull"));
        final AtomicLong failures = new AtomicLong();
        index.table.takeArraysFrom(length -> {
            if (random.nextInt(3) == 0) {
                failures.incrementAndGet();
                throw new OutOfMemoryError("planned");
            }
            return new long[length];
        });
        final long[] numbers = new long[60_000];
        long group = 0;
        for (int i = 0; i < numbers.length; i++) {
            group = i % 100 == 0 ? (long) random.nextInt(1 << 29) << Integer.SIZE : group;
            numbers[i] = group | random.nextInt(Integer.MAX_VALUE);
        }
        final long buckets = index.table.buckets();
        for (final long number : numbers) {
            put(number);
            assertEquals(0, leaves.slab().getLong(TableLayout.VERSION_OFFSET) & 1, "a change has not come to its end");
        }
        assertTrue(failures.get() > 10, () -> failures + " failures");
        index.table.takeArraysFrom(long[]::new);
        index.verify();
        assertTrue(index.table.buckets() > buckets, "other puts have made it grow");
        for (final long number : numbers) {
            assertEquals(number, index.get(key(number), 0, Long.BYTES));
        }
    }

    @Test
    void shouldNameNoLeafBehindTheTokensOfANodeThatHasLostSome() {
        final Random random = new Random(Seeds.seed("WormholeReaders.behindTheTokens"));
        final long[] numbers = random.longs(3000, 0, PointIndex.MAX_PAYLOAD).distinct().toArray();
        for (final long number : numbers) {
            put(number);
        }
        final int tokens = rootTokens();
        for (int i = 0; i < numbers.length; i += i % 100 == 98 ? 2 : 1) {
            remove(numbers[i]);
        }
        assertTrue(rootTokens() < tokens, "tokens were taken out");
        final long root = leaves.slab().getLong(TableLayout.ROOT_OFFSET);
        final int sizeClass = TableLayout.sizeClass(root);
        for (int i = rootTokens(); i < WormholeNodeLayout.capacity(sizeClass); i++) {
            final int leaf = leaves.slab().getInt(TableLayout.target(root) + WormholeNodeLayout.leafOffset(sizeClass, i));
            assertEquals(0, leaf, "a reader beside a put may follow it into memory that is in other use");
        }
    }

    private int rootTokens() {
        final long root = TableLayout.target(leaves.slab().getLong(TableLayout.ROOT_OFFSET));
        return leaves.slab().getShort(root + WormholeNodeLayout.COUNT_OFFSET) & WormholeNodeLayout.COUNT_MASK;
    }

    @Test
    void shouldSayNothingOfKeysThatAreBesideThePathsOfAnchors() {
        for (long i = 0; i < 3000; i++) {
            put(i * 3);
        }
        for (long i = 0; i < 9000; i++) {
            assertEquals(i % 3 == 0 ? i : PointIndex.NONE, index.get(key(i), 0, Long.BYTES));
        }
        for (int length = 0; length < Long.BYTES; length++) {
            assertEquals(PointIndex.NONE, index.get(new byte[length], 0, length));
            final byte[] high = new byte[length];
            Arrays.fill(high, (byte) -1);
            assertEquals(PointIndex.NONE, index.get(high, 0, length));
        }
    }
}
