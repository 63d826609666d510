/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryKind;
import io.nestling.index.KeyBatch;

import java.util.Arrays;

/**
 * The order in which a batch is applied: its puts and deletes grouped by shard, each group in the batch's order; where keys are
 * looked up, each with the earlier write of the same key. A batch reuses its plan, so that writing allocates nothing once the
 * plan has grown.
 * <h2>Thread safety</h2>
 * None.
 */
final class BatchPlan {
    private static final int NONE = -1;
    private static final int RANGE = -1;

    private final KeyBatch keys = new KeyBatch();
    private int[] shardOf = {};
    private int[] order = {};
    private int[] earlier = {};
    private int[] table = {};
    private int[] starts = {};
    private boolean[] expectsNew = {};
    private long[] records = {};
    private long[] newer = {};
    private long[] payloads = {};
    private long[] recordBytes = {};
    private long[] versionWords = {};

    /** Groups the writes of a batch. */
    void assign(final WriteBatch batch, final ShardSet shards) {
        final int size = batch.size();
        if (order.length < size) {
            shardOf = new int[size];
            earlier = new int[size];
            records = new long[size];
            newer = new long[size];
            payloads = new long[size];
            recordBytes = new long[size];
            versionWords = new long[size];
            order = new int[size];
        }
        if (starts.length != shards.count() + 1) {
            expectsNew = new boolean[shards.count()];
            starts = new int[shards.count() + 1];
        }
        Arrays.fill(starts, 0);
        for (int i = 0; i < size; i++) {
            final WriteBatch.Operation operation = batch.operation(i);
            final boolean range = operation.kind() == EntryKind.RANGE_TOMBSTONE;
            shardOf[i] = range ? RANGE : shards.shardOf(operation.key(), 0, operation.key().length);
            if (!range) {
                starts[shardOf[i] + 1]++;
            }
        }
        for (int shard = 1; shard < starts.length; shard++) {
            starts[shard] += starts[shard - 1];
        }
        order(size);
    }

    /** Sorts by counting, which moves the starts of the groups to their ends and back. */
    private void order(final int size) {
        for (int i = 0; i < size; i++) {
            if (shardOf[i] != RANGE) {
                order[starts[shardOf[i]]++] = i;
            }
        }
        System.arraycopy(starts, 0, starts, 1, starts.length - 1);
        starts[0] = 0;
    }

    /** Finds, for the positions of one group, the earlier write of the same key. */
    void findEarlier(final WriteBatch batch, final KeyHash keyHash, final int from, final int to) {
        final int slots = Integer.highestOneBit(to - from) << 2;
        if (table.length < slots) {
            table = new int[slots];
        }
        Arrays.fill(table, 0, slots, NONE);
        for (int at = from; at < to; at++) {
            final byte[] key = batch.operation(order[at]).key();
            int slot = (int) keyHash.hash(key, 0, key.length) & (slots - 1);
            while (table[slot] != NONE && !Arrays.equals(key, batch.operation(order[table[slot]]).key())) {
                slot = (slot + 1) & (slots - 1);
            }
            earlier[at] = table[slot];
            table[slot] = at;
        }
    }

    /** Returns the first position of a shard's group; the group ends where the next one begins. */
    int start(final int shard) {
        return starts[shard];
    }

    /** Returns, by shard, whether its keys are expected to be new, and not looked up before they are put. */
    boolean[] expectsNew() {
        return expectsNew;
    }

    /** Returns the number in the batch of the write at a position. */
    int operation(final int at) {
        return order[at];
    }

    /** Takes each key of a group for a new one. */
    void forgetEarlier(final int from, final int to) {
        Arrays.fill(earlier, from, to, NONE);
    }

    /** Returns the position of the last write before this one with the same key, or -1; always -1 where keys are expected new. */
    int earlier(final int at) {
        return earlier[at];
    }

    /** Returns, by position, pointers of records: first of the previous versions, then of the new ones. */
    long[] records() {
        return records;
    }

    /** Returns by position the next newer records, which came before; {@code NO_RECORD} where the new record is the newest. */
    long[] newer() {
        return newer;
    }

    /** Returns a buffer for the payloads of one group. */
    long[] payloads() {
        return payloads;
    }

    /** Returns the sizes of the new records by position, in bytes. */
    long[] recordBytes() {
        return recordBytes;
    }

    /** Returns the version words of the new records by position, without sequence numbers. */
    long[] versionWords() {
        return versionWords;
    }

    /** Returns a buffer for the keys of one group. */
    KeyBatch keys() {
        return keys;
    }
}
