/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.KeyBatch;
import io.nestling.index.LookupResult;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.ScratchPool;
import org.agrona.MutableDirectBuffer;

import java.util.Objects;

/**
 * One batched lookup: groups the keys by shard, interleaves their index lookups and prefetches their records. Allocates nothing
 * but the values or results that it is asked for.
 * <h2>Thread safety</h2>
 * One thread, inside a guard.
 */
final class MultiGet extends ScratchPool.Scratch {
    /** Lookups for one batch each. */
    static final ScratchPool<MultiGet> POOL = new ScratchPool<>(MultiGet::new);
    /** Keys looked up together. */
    private static final int CHUNK = 256;
    /** Distance, in records, at which a record is prefetched. */
    private static final int DISTANCE = 4;

    private final KeyBatch group = new KeyBatch(CHUNK);
    private final int[] shardOf = new int[CHUNK];
    private final int[] positions = new int[CHUNK];
    private final long[] records = new long[CHUNK];
    private byte[][] keys;
    /* Where to: one of the next three is not null. */
    private byte[][] values;
    private LookupResult[] results;
    private MutableDirectBuffer destination;
    private int[] offsets;
    private int[] lengths;
    /* Of the values in the destination. */
    private int end;

    private MultiGet() {
    }

    /**
     * Sets the keys and where to: values as arrays, results, or values one behind the other in a buffer, with their offsets and
     * lengths. What is not wanted is null.
     */
    void begin(
        final byte[][] wanted, final byte[][] copies, final LookupResult[] found,
        final MutableDirectBuffer buffer, final int[] valueOffsets, final int[] valueLengths) {
        Objects.requireNonNull(wanted, "keys");
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i] == null) {
                throw new NullPointerException("keys[" + i + "]");
            }
            Limits.checkKeyLength(wanted[i].length);
        }
        final int outputs = copies != null ? copies.length : found != null ? found.length
            : Math.min(valueOffsets.length, valueLengths.length);
        if (outputs < wanted.length) {
            throw new IllegalArgumentException(
                "expected an array of at least " + wanted.length + " elements, one for each key, but was " + outputs);
        }
        keys = wanted;
        values = copies;
        results = found;
        destination = buffer;
        offsets = valueOffsets;
        lengths = valueLengths;
        end = 0;
    }

    /** Forgets what was set, and releases the lookup. */
    void finish() {
        group.clear();
        keys = null;
        values = null;
        results = null;
        destination = null;
        offsets = null;
        lengths = null;
        release();
    }

    /** Fills in what is known as of a sequence number and returns the number of keys with a value. */
    int run(final ShardSet shards, final long visible, final MemtableState state) {
        final long now = state.now();
        int hits = 0;
        for (int from = 0; from < keys.length; from += CHUNK) {
            hits += chunk(shards, from, Math.min(keys.length, from + CHUNK), visible, now);
        }
        return hits;
    }

    private int chunk(final ShardSet shards, final int from, final int to, final long visible, final long now) {
        final int count = shards.count();
        for (int i = from; i < to; i++) {
            shardOf[i - from] = count == 1 ? 0 : shards.shardOf(keys[i], 0, keys[i].length);
        }
        int hits = 0;
        for (int shard = 0; shard < count; shard++) {
            group.clear();
            for (int i = from; i < to; i++) {
                if (shardOf[i - from] == shard) {
                    positions[group.size()] = i;
                    group.add(keys[i], 0, keys[i].length);
                }
            }
            if (group.size() > 0) {
                hits += read(shards.shard(shard), visible, now);
            }
        }
        return hits;
    }

    private int read(final MemtableShard shard, final long visible, final long now) {
        shard.index().getAll(group, records);
        final int size = group.size();
        for (int i = 0; i < size; i++) {
            records[i] = MemtableShard.recordOf(records[i]);
        }
        final RecordStore store = shard.records();
        for (int i = 0; i < Math.min(DISTANCE, size); i++) {
            store.prefetch(records[i]);
        }
        int hits = 0;
        for (int i = 0; i < size; i++) {
            if (i + DISTANCE < size) {
                store.prefetch(records[i + DISTANCE]);
            }
            if (take(shard, positions[i], shard.newestVisible(records[i], visible), visible, now)) {
                hits++;
            }
        }
        return hits;
    }

    /** Puts what is known of a key where it belongs, and returns whether it has a value. */
    private boolean take(final MemtableShard shard, final int position, final long record, final long visible, final long now) {
        final byte[] key = keys[position];
        if (values != null) {
            values[position] = shard.value(record, key, key.length, visible, now);
            return values[position] != null;
        }
        if (results != null) {
            results[position] = shard.lookup(record, key, key.length, visible, now);
            return results[position].kind() == LookupResult.Kind.VALUE;
        }
        offsets[position] = end;
        lengths[position] = copyValue(shard, key, record, visible, now);
        end += Math.max(0, lengths[position]);
        return lengths[position] != ReadView.NO_VALUE;
    }

    private int copyValue(
        final MemtableShard shard, final byte[] key, final long record, final long visible, final long now) {
        if (!shard.isValue(record, key, key.length, visible, now)) {
            return ReadView.NO_VALUE;
        }
        return OperandReader.isOperand(shard.records(), record)
            ? ReadView.copy(shard.value(record, key, key.length, visible, now), destination, end)
            : shard.records().copyValue(record, destination, end);
    }
}
