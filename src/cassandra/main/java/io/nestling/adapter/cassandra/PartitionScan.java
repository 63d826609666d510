/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.partitions.Partition;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Iterates over the partitions of a range, in order. It looks some entries ahead and prefetches their records. It holds a
 * guard of each shard that it has reached until it is closed; the scan of a flush, which is not closed, until it has reached its
 * end.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class PartitionScan implements Iterator<Partition>, AutoCloseable {
    private static final int MAX_AHEAD = 8;

    private final NestlingMemtable memtable;
    private final PartitionRange range;
    private final PartitionUse use;
    private final DecoratedKey[] keys = new DecoratedKey[MAX_AHEAD];
    private final long[] payloads = new long[MAX_AHEAD];
    private int position;
    private int filled;
    /* Few at first, since most reads of ranges need few partitions. */
    private int ahead = 1;
    private final ShardMemory[] entered;
    private final int[] guards;
    private int nextShard;
    private MemtableShard shard;
    private ShardMemory memory;
    private EntryCursor cursor;
    private boolean valid;

    PartitionScan(final NestlingMemtable memtable, final PartitionRange range, final PartitionUse use) {
        this.memtable = memtable;
        this.range = range;
        this.use = use;
        this.entered = new ShardMemory[memtable.shards().length];
        this.guards = new int[entered.length];
    }

    @Override
    public boolean hasNext() {
        while (position == filled) {
            if (cursor == null) {
                if (nextShard == entered.length) {
                    if (use == PartitionUse.FLUSH) {
                        close();
                    }
                    return false;
                }
                enter(nextShard++);
            } else if (valid) {
                fill();
            } else {
                cursor.close();
                cursor = null;
            }
        }
        return true;
    }

    private void enter(final int number) {
        final MemtableShard next = memtable.shards()[number];
        final ShardMemory present = next.memory();
        final int guard = present == null ? MemtableShard.NO_GUARD : next.enter(present);
        if (guard == MemtableShard.NO_GUARD) {
            return;
        }
        shard = next;
        memory = present;
        entered[number] = present;
        guards[number] = guard;
        cursor = present.partitions().cursor();
        check(range.from() == null ? cursor.first() : cursor.seek(range.from()));
    }

    private void check(final boolean found) {
        valid = found && range.reaches(cursor.keyBuffer(), cursor.keyLength());
    }

    private void fill() {
        position = 0;
        filled = 0;
        while (valid && filled < ahead) {
            payloads[filled] = cursor.payload();
            shard.prefetch(memory, payloads[filled]);
            keys[filled++] = memtable.keys().decode(cursor.keyBuffer(), cursor.keyLength());
            check(cursor.next());
        }
        ahead = Math.min(MAX_AHEAD, ahead * 2);
    }

    @Override
    public Partition next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        final int i = position++;
        return shard.partition(memory, payloads[i], keys[i], use);
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
        valid = false;
        position = 0;
        filled = 0;
        nextShard = entered.length;
        for (int i = 0; i < entered.length; i++) {
            if (entered[i] != null) {
                entered[i].epochs.exit(guards[i]);
                entered[i] = null;
            }
        }
    }
}
