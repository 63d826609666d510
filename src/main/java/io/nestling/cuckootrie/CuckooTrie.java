/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.bytes.SecretSource;
import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexInspection;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.WriteFailure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ordered index whose trie nodes stand in a cuckoo hash table under their names: a lookup knows the addresses of all levels in
 * advance and reads them at once.
 * <p> A lookup takes one round trip to memory for all levels of a short key and one for the record; about 1.25
 * entries of 16 bytes a random key, at 77 % load. Keys are read from their records.
 * <h2>Thread safety</h2>
 * As {@link io.nestling.index.PointIndex}: one writer, lock-free readers inside guards.
 * <h2>Invariants</h2>
 * Checked by {@link #verify} under the same numbers, see {@link CuckooTrieVerifier}.
 * <h2>Pedigree</h2>
 * A. Zeitak, A. Morrison: Cuckoo Trie, SOSP 2021. What is different here: docs/design/cuckoo-trie.md.
 */
public final class CuckooTrie implements OrderedIndex, IndexInspection {
    /* Keys from this length on that repeat a symbol may run into a cycle of the hash, where many nodes share one. What memtables
       assure for keys (MemtableOptions.ASSURED_KEY_BYTES) ends before. */
    private static final int LONG_KEY_BYTES = 512;
    private static final int SEEDS = 8;
    private static final long SPARE_BUCKETS = 32;

    private final IndexContext context;
    private final WriteFailure failure;
    private final Descent descent = new Descent();
    private final ArrayList<Retired> retired = new ArrayList<>();
    private volatile NodeTable table;
    private Writers writers;
    private final AtomicLong entryCount = new AtomicLong();
    private volatile boolean closed;

    /** Makes an empty trie; throws if the context has no memory left. */
    public CuckooTrie(final IndexContext context) {
        this(context, SecretSource.nextLong());
    }

    /** Makes an empty trie with a given seed of its hash. */
    CuckooTrie(final IndexContext context, final long seed) {
        this.context = context;
        this.failure = context.failure();
        use(new Writers(new NodeTable(context, seed)));
    }

    private void use(final Writers next) {
        writers = next;
        table = next.table;
    }

    /** A table and its writers. */
    private final class Writers {
        final NodeTable table;
        final Relocator relocator;
        final CuckooTrieInserter inserter;
        final CuckooTrieRemover remover;

        Writers(final NodeTable table) {
            this.table = table;
            relocator = new Relocator(table);
            inserter = new CuckooTrieInserter(table, relocator, context.keys(), descent);
            remover = new CuckooTrieRemover(table, relocator, context.keys(), descent);
        }
    }

    /** A table that was replaced in an epoch, and that readers may still hold. */
    private static final class Retired {
        final NodeTable table;
        long epoch;

        Retired(final NodeTable table) {
            this.table = table;
        }
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        final LookupScratch scratch = LookupScratch.POOL.take();
        try {
            return get(scratch, table, key, offset, length);
        } finally {
            scratch.release();
        }
    }

    private long get(final LookupScratch scratch, final NodeTable now, final byte[] key, final int offset, final int length) {
        final int depth = now.guessedDepth();
        if (depth == 0) {
            return walkTo(scratch, now, key, offset, length);
        }
        final DepthGuessLookup guess = scratch.guess;
        long found = guess.expectsToFind() ? guess.get(now, depth, context.keys(), key, offset, length) : NONE;
        if (found == NONE) {
            found = walkTo(scratch, now, key, offset, length);
        }
        guess.learn(found == NONE ? 0 : 1, 1);
        return found;
    }

    private long walkTo(
        final LookupScratch scratch, final NodeTable now, final byte[] key, final int offset, final int length) {
        final Descent walk = scratch.walk();
        walk.begin(now, key, offset, length, Descent.FROM_CHECKPOINT);
        while (true) {
            final int stop = walk.advance(now);
            if (stop == Descent.AT_LEAF && walk.compareLeaf(context.keys()) == 0) {
                walk.forgetKey();
                return walk.end().payload();
            }
            if (stop != Descent.SUSPENDED) {
                if (walk.provesAbsence(now, context.keys())) {
                    walk.forgetKey();
                    return NONE;
                }
                walk.restart(now);
            }
            if (walk.isContended()) {
                final long found = scratch.contended().get(now, context.keys(), key, offset, length);
                if (found != ContendedLookup.INTERRUPTED) {
                    walk.forgetKey();
                    return found;
                }
            }
        }
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        EntryArguments.checkRoom(keys, payloads);
        checkOpen();
        final LookupScratch scratch = LookupScratch.POOL.take();
        try {
            CuckooTrieBatchLookup.lookup(scratch, table, context.keys(), keys, payloads);
        } finally {
            scratch.release();
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, true);
    }

    @Override
    public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        return put(key, offset, length, payload, false);
    }

    private long put(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        EntryArguments.checkEntry(key, offset, length, payload);
        checkOpen();
        failure.check();
        freeRetired();
        final long before;
        try {
            table.operations().begin();
            before = putInto(key, offset, length, payload, replaces);
            table.operations().end(); // possibly another table by now
            if (before == NONE) {
                entryCount.lazySet(entryCount.get() + 1); // a volatile store would wait for the stores before it
            }
        } catch (final RuntimeException e) {
            table.operations().end(); // nothing has changed
            throw e;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
        freeRetired(); // at once, if nobody reads
        return before;
    }

    private long putInto(
        final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        long before = writers.inserter.put(key, offset, length, payload, replaces);
        for (int i = 0; before == CuckooTrieInserter.NO_ROOM; i++) {
            if (i == SEEDS) {
                throw new SpaceExhaustedException(
                    "no room for a key after " + SEEDS + " seeds, with " + table.entries() + " entries in "
                        + table.buckets() + " buckets");
            }
            rebuild();
            before = writers.inserter.put(key, offset, length, payload, replaces);
        }
        if (before == CuckooTrieInserter.NO_MEMORY) {
            throw new SpaceExhaustedException(
                "no room for a key: " + table.entries() + " entries in " + table.buckets() + " buckets (limit "
                    + table.maxBuckets() + "); the budget has " + context.budget().remaining() + " of "
                    + context.budget().capacity() + " bytes left");
        }
        return before;
    }

    /** Rebuilds the trie in a table with another seed. */
    private void rebuild() {
        // cuckoo-trie-concurrency.md, claim 20
        final NodeTable from = table;
        long seed = from.hash().seed();
        for (int i = 0; i < SEEDS; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            final NodeTable next = new NodeTable(context, seed);
            boolean used = false;
            try {
                final Writers nextWriters = new Writers(next);
                if (new TableRebuilder(from, next, nextWriters.relocator).run()) {
                    final Retired old = new Retired(from);
                    retired.ensureCapacity(retired.size() + 1);
                    next.operations().begin(); // the put under way continues there
                    use(nextWriters);
                    used = true;
                    old.epoch = context.epochs().epochOfUnlinking();
                    retired.add(old);
                    return;
                }
            } finally {
                if (!used) {
                    next.close();
                }
            }
        }
        throw new SpaceExhaustedException(
            "no memory for a second table of " + from.buckets() + " buckets; the budget has "
                + context.budget().remaining() + " bytes left");
    }

    private void freeRetired() {
        if (retired.isEmpty()) {
            return;
        }
        context.epochs().tryAdvance();
        context.epochs().tryAdvance();
        for (int i = retired.size() - 1; i >= 0; i--) {
            if (context.epochs().isQuiescent(retired.get(i).epoch)) {
                retired.get(i).table.close();
                retired.remove(i);
            }
        }
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkOpen();
        failure.check();
        freeRetired();
        try {
            table.operations().begin();
            final long before = writers.remover.remove(key, offset, length);
            table.operations().end();
            if (before != NONE) {
                entryCount.lazySet(entryCount.get() - 1);
            }
            return before;
        } catch (final RuntimeException e) {
            table.operations().end(); // nothing has changed
            throw e;
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
        failure.check();
        freeRetired();
        try {
            reserveIn(table, entries, keyBytes);
        } catch (final Error e) {
            failure.cause = e;
            throw e;
        }
    }

    private void reserveIn(final NodeTable now, final int entries, final long keyBytes) {
        if (entries == 0) {
            now.release(0);
            return;
        }
        final long wanted =
            Relocator.bucketsFor(now.entries() + CuckooTrieInserter.entriesFor(entries, keyBytes)) + SPARE_BUCKETS;
        if (keyBytes / LONG_KEY_BYTES >= entries) {
            checkSecondTable(now, wanted, entries, keyBytes);
        }
        if (!now.canHold(wanted)) {
            throw new SpaceExhaustedException(
                "no room for " + entries + " entries: they may need " + wanted + " buckets (limit " + now.maxBuckets()
                    + "); the budget has " + context.budget().remaining() + " of "
                    + context.budget().capacity() + " bytes left");
        }
        now.release(wanted);
    }

    /** Checks, before anything is charged, that the budget has room for this table to grow and for another one of that size. */
    private void checkSecondTable(final NodeTable now, final long wanted, final int entries, final long keyBytes) {
        final MemoryBudget budget = context.budget();
        final long second = now.bytesOf(wanted) + budget.step();
        final long needed = second + Math.max(0, second - now.bytesCharged());
        if (!budget.hasRoom(needed)) {
            throw new SpaceExhaustedException(
                "no room for " + entries + " entries with keys of " + keyBytes
                    + " bytes: with a second table, which may be needed, they take " + needed
                    + "; the budget has " + budget.remaining() + " of " + budget.capacity() + " bytes left");
        }
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new CuckooTrieCursor(this, context.keys());
    }

    @Override
    public long entryCount() {
        return entryCount.get();
    }

    @Override
    public long bytesUsed() {
        return BucketLayout.bucketOffset(table.buckets());
    }

    @Override
    public void verify() {
        checkOpen();
        new CuckooTrieVerifier(table, context.keys(), entryCount.get()).verify();
    }

    /** Writes the nodes as text, one a line in key order, each below its parent. */
    @Override
    public void dump(final Appendable out) throws IOException {
        new CuckooTrieDumper(tableOpen()).dump(out);
    }

    @Override
    public Map<String, Object> figures() {
        return CuckooTrieStatistics.figures(tableOpen());
    }

    /** Returns the table; throws if the trie is closed. */
    NodeTable tableOpen() {
        checkOpen();
        return table;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the trie is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        table.close();
        for (final Retired old : retired) {
            old.table.close();
        }
    }
}
