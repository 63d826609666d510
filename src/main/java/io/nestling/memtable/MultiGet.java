/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.KeyBatch;
import io.nestling.index.LookupResult;
import io.nestling.offheap.RecordStore;

import java.util.Objects;

/**
 * One batched lookup: groups the keys by shard, interleaves their index lookups and prefetches their records.
 * <h2>Thread safety</h2>
 * One thread, inside a guard.
 */
final class MultiGet {
    /** Keys looked up together. */
    private static final int CHUNK = 256;
    /** Distance, in records, at which a record is prefetched. */
    private static final int DISTANCE = 4;

    private final ShardSet shards;
    private final byte[][] keys;
    private final byte[][] values;
    private final LookupResult[] results;
    private final KeyBatch group = new KeyBatch(CHUNK);
    private final int[] shardOf;
    private final int[] positions;
    private final long[] records;
    private long now;

    /** Creates a lookup of values or, if those are null, of what is known of each key. */
    MultiGet(final ShardSet shards, final byte[][] keys, final byte[][] values, final LookupResult[] results) {
        checkKeys(keys);
        final int outputs = results != null ? results.length : Objects.requireNonNull(values, "values").length;
        if (outputs < keys.length) {
            throw new IllegalArgumentException(
                "expected an array of at least " + keys.length + " elements, one for each key, but was " + outputs);
        }
        final int chunk = Math.min(CHUNK, keys.length);
        this.shards = shards;
        this.keys = keys;
        this.values = values;
        this.results = results;
        this.shardOf = new int[chunk];
        this.positions = new int[chunk];
        this.records = new long[chunk];
    }

    private static void checkKeys(final byte[][] keys) {
        Objects.requireNonNull(keys, "keys");
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == null) {
                throw new NullPointerException("keys[" + i + "]");
            }
            Limits.checkKeyLength(keys[i].length);
        }
    }

    /** Fills in all values as of a sequence number and returns their number. */
    int run(final long visible, final MemtableState state) {
        now = state.now();
        int hits = 0;
        for (int from = 0; from < keys.length; from += CHUNK) {
            hits += chunk(from, Math.min(keys.length, from + CHUNK), visible);
        }
        return hits;
    }

    private int chunk(final int from, final int to, final long visible) {
        if (shards.count() > 1) {
            for (int i = from; i < to; i++) {
                shardOf[i - from] = shards.shardOf(keys[i], 0, keys[i].length);
            }
        }
        int hits = 0;
        for (int shard = 0; shard < shards.count(); shard++) {
            group.clear();
            for (int i = from; i < to; i++) {
                if (shardOf[i - from] == shard) {
                    positions[group.size()] = i;
                    group.add(keys[i], 0, keys[i].length);
                }
            }
            if (group.size() > 0) {
                hits += read(shards.shard(shard), visible);
            }
        }
        return hits;
    }

    private int read(final MemtableShard shard, final long visible) {
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
            final byte[] key = keys[positions[i]];
            final long record = shard.newestVisible(records[i], visible);
            if (results != null) {
                final LookupResult result = shard.lookup(record, key, key.length, visible, now);
                results[positions[i]] = result;
                hits += result.kind() == LookupResult.Kind.VALUE ? 1 : 0;
            } else {
                final byte[] value = shard.value(record, key, key.length, visible, now);
                values[positions[i]] = value;
                hits += value == null ? 0 : 1;
            }
        }
        return hits;
    }
}
