/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.Direction;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import io.nestling.trie.view.MergeResolver;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieEntryConsumer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Readers beside a writer that turns nodes into others and back all the time: chains into branches, sparse
 * nodes into split and flat ones, content before all of them. Stable keys stand between those that come and
 * go, and a reader must find every one of them, whatever way it reads. What is taken apart is used again
 * meanwhile, so that a reader that met a block too late would find something else there.
 */
class TrieChurnTest {
    private static final int READERS = 3;
    private static final int MILLIS = 1_000;
    private static final int LEAST_WRITES = 60_000;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int GROUPS = 12;
    /* The least that a change of nodes takes: half a block. */
    private static final long LEAST_BYTES = TrieBlockLayout.HALF_BYTES;

    private final IndexContext context = IndexContext.standalone(32L << 20);
    private final InMemoryTrie trie = new InMemoryTrie(context);
    private final NavigableMap<byte[], Long> stable = TrieMaps.empty();
    private final List<List<byte[]>> waves = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong reads = new AtomicLong();
    private long writes;
    private volatile boolean done;

    /** Groups of keys with a prefix in common; each wave of them makes a node pass through its kinds. */
    private void makeKeys(final Random random) {
        for (int group = 0; group < GROUPS; group++) {
            final byte[] prefix = new byte[random.nextInt(40)];
            random.nextBytes(prefix);
            final byte[] path = Arrays.copyOf(prefix, prefix.length + 1);
            path[prefix.length] = (byte) group;
            final int branches = List.of(2, 7, 40, 256).get(group % 4);
            final List<byte[]> wave = new ArrayList<>();
            for (int i = 0; i < branches; i++) {
                final byte[] key = Arrays.copyOf(path, path.length + 1 + random.nextInt(40));
                key[path.length] = (byte) (i * (branches == 256 ? 1 : 5));
                wave.add(key);
            }
            for (int length = 0; length <= path.length; length += 1 + random.nextInt(8)) {
                wave.add(Arrays.copyOf(path, length));
            }
            final int kept = random.nextInt(wave.size());
            stable.put(wave.remove(kept), payload(random));
            stable.put(wave.remove(random.nextInt(wave.size())), payload(random));
            waves.add(wave);
        }
        waves.forEach(wave -> wave.removeIf(stable::containsKey));
        waves.removeIf(List::isEmpty);
    }

    private static long payload(final Random random) {
        return random.nextBoolean() ? random.nextInt(1 << 20) : random.nextLong() & PointIndex.MAX_PAYLOAD;
    }

    @Test
    void shouldShowReadersEveryStableKeyWhileNodesChange() throws InterruptedException {
        final long seed = Seeds.seed("TrieChurnTest.shouldShowReadersEveryStableKeyWhileNodesChange");
        makeKeys(new Random(seed));
        stable.forEach((key, payload) -> trie.put(key, 0, key.length, payload));
        final long end = System.nanoTime() + MILLIS * 1_000_000L;
        final List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            final Random random = new Random(seed + i);
            readers.add(new Thread(() -> run(() -> read(random), () -> !done), "reader " + i));
        }
        readers.forEach(Thread::start);
        final Random random = new Random(seed - 1);
        run(() -> write(random), () -> System.nanoTime() < end || writes < LEAST_WRITES || reads.get() <= 100
            // Readers that stand still hold blocks up, however many writes there are meanwhile.
            || taken() > writes * LEAST_BYTES / 8 && System.nanoTime() < end + PATIENCE_MILLIS * 1_000_000L);
        done = true;
        for (final Thread reader : readers) {
            reader.join(30_000);
            assertTrue(!reader.isAlive(), () -> reader.getName() + " hangs: "
                + Arrays.toString(reader.getStackTrace()));
        }
        if (failure.get() != null) {
            throw new AssertionError("seed " + seed + ", " + writes + " writes", failure.get());
        }
        checkEnd();
    }

    private void checkEnd() {
        trie.verify();
        for (final List<byte[]> wave : waves) {
            wave.forEach(key -> trie.remove(key, 0, key.length));
        }
        trie.verify();
        TrieCursorTest.checkEntries(trie.trie(), stable, Direction.FORWARD);
        assertTrue(isUsedAgain(), () -> taken() + " bytes were taken: blocks are not used again");
        trie.close();
    }

    private boolean isUsedAgain() {
        return taken() < writes * LEAST_BYTES / 4;
    }

    private long taken() {
        return trie.blocks.bytesUsed() + trie.blocks.bytesFree() + trie.blocks.bytesRetired();
    }

    private void run(final Runnable work, final BooleanSupplier goesOn) {
        try {
            while (goesOn.getAsBoolean() && failure.get() == null) {
                work.run();
            }
        } catch (final Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Puts a wave in random order and takes it away again, or a part of it. */
    private void write(final Random random) {
        final List<byte[]> wave = waves.get(random.nextInt(waves.size()));
        final int count = 1 + random.nextInt(wave.size());
        final int from = random.nextInt(wave.size());
        final boolean put = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            final byte[] key = wave.get((from + i) % wave.size());
            if (put) {
                trie.put(key, 0, key.length, payload(random));
            } else {
                trie.remove(key, 0, key.length);
            }
        }
        writes += count;
        if (random.nextInt(8) == 0) {
            final Map.Entry<byte[], Long> same = any(random);
            assertEquals(same.getValue(), trie.put(same.getKey(), 0, same.getKey().length, same.getValue()));
        }
    }

    private Map.Entry<byte[], Long> any(final Random random) {
        final Map.Entry<byte[], Long> entry = stable.ceilingEntry(new byte[] {(byte) random.nextInt(256)});
        return entry == null ? stable.firstEntry() : entry;
    }

    private void read(final Random random) {
        final int guard = context.epochs().enter();
        try {
            switch (random.nextInt(6)) {
                case 0:
                    stable.forEach((key, payload) ->
                        assertEquals(payload, trie.get(key, 0, key.length), () -> KeyCorpus.text(key)));
                    break;
                case 1:
                    getAll();
                    break;
                case 2:
                    scan(random.nextBoolean());
                    break;
                case 3:
                    seek(random);
                    break;
                case 4:
                    walk(trie.trie(), random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE);
                    break;
                default:
                    walk(view(random), random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE);
                    break;
            }
        } finally {
            context.epochs().exit(guard);
        }
        reads.incrementAndGet();
    }

    private void getAll() {
        final KeyBatch batch = new KeyBatch();
        stable.keySet().forEach(key -> batch.add(key, 0, key.length));
        final long[] payloads = new long[batch.size()];
        trie.getAll(batch, payloads);
        int i = 0;
        for (final Map.Entry<byte[], Long> entry : stable.entrySet()) {
            assertEquals(entry.getValue(), payloads[i++], () -> KeyCorpus.text(entry.getKey()));
        }
    }

    private void scan(final boolean forward) {
        final Walk walk = new Walk(forward);
        try (EntryCursor cursor = trie.cursor()) {
            boolean more = forward ? cursor.first() : cursor.last();
            while (more) {
                walk.accept(cursor.keyBuffer(), cursor.keyLength(), cursor.payload());
                more = forward ? cursor.next() : cursor.previous();
            }
        }
        walk.end();
    }

    private void seek(final Random random) {
        final Map.Entry<byte[], Long> goal = any(random);
        try (EntryCursor cursor = trie.cursor()) {
            assertTrue(cursor.seek(goal.getKey()));
            assertTrue(Arrays.equals(goal.getKey(), cursor.key()), () -> KeyCorpus.text(goal.getKey()));
            assertEquals(goal.getValue(), cursor.payload());
            final byte[] lower = stable.lowerKey(goal.getKey());
            if (lower != null) {
                assertTrue(cursor.seekLowerThan(goal.getKey()));
                assertTrue(Arrays.compareUnsigned(lower, cursor.key()) <= 0, () -> KeyCorpus.text(lower));
            }
        }
    }

    private void walk(final Trie view, final Direction direction) {
        final Walk walk = new Walk(direction.isForward());
        view.forEachEntry(direction, walk);
        walk.end();
    }

    /** The trie seen in several pieces, merged. */
    private Trie view(final Random random) {
        final byte[] cut = any(random).getKey();
        final Trie whole = trie.trie();
        return Trie.merge(
            List.of(whole.subtrie(cut, null), whole.subtrie(null, cut), whole.intersect(whole)),
            MergeResolver.FIRST);
    }

    /** Checks that entries come in order and that no stable one is missing. */
    private final class Walk implements TrieEntryConsumer {
        private final NavigableMap<byte[], Long> expected;
        private final boolean forward;
        private byte[] before;
        private int found;

        Walk(final boolean forward) {
            this.forward = forward;
            this.expected = stable;
        }

        @Override
        public void accept(final byte[] buffer, final int length, final long payload) {
            final byte[] key = Arrays.copyOf(buffer, length);
            if (before != null) {
                final int order = Arrays.compareUnsigned(before, key);
                assertTrue(forward ? order < 0 : order > 0, () -> KeyCorpus.text(key) + " is out of order");
            }
            before = key;
            final Long known = expected.get(key);
            if (known != null) {
                assertEquals(known, payload, () -> KeyCorpus.text(key));
                found++;
            }
        }

        void end() {
            assertEquals(expected.size(), found, "stable keys found");
        }
    }
}
