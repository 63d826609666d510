/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;
import io.nestling.workload.KeySet;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Loads keys into a subject in one thread: puts, chunk by chunk, with lookups of keys that this thread has put before.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class LoadWorker {
    /** Number of keys of a chunk. */
    static final int CHUNK = 1024;
    private static final int CHUNK_SHIFT = 10;
    private static final int BATCH = 32;
    private static final long SEED = 0x66_696C_6CL;
    /** Added to the sum for each wrong answer, so that the check of the sum fails. */
    private static final long WRONG = 1L << 40;

    private final Target target;
    private final KeySet keys;
    private final int[] payloads;
    private final int inserts;
    private final int lookups;
    private final boolean batched;
    private final KeyBatch batch = new KeyBatch(BATCH);
    private final SplittableRandom random;
    private int[] chunks = new int[64];
    private int chunkCount;

    /** Creates a worker before its first chunk; {@code type} is a load, which defines the ratio of lookups to puts. */
    LoadWorker(final Target target, final KeySet keys, final int[] payloads, final WorkloadType type, final int thread) {
        this.target = target;
        this.keys = keys;
        this.payloads = payloads;
        this.inserts = type.inserts();
        this.lookups = type.lookups();
        this.batched = type == WorkloadType.LOAD_BATCHED;
        this.random = new SplittableRandom(SEED + thread);
    }

    /** Loads the keys from a number up to another one; returns the sum of the results of the puts. */
    long run(final int from, final int to) {
        if (batched) {
            return runBatched(from, to);
        }
        if (lookups == 0) {
            return target.writeAll(keys, payloads, from, to);
        }
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
        }
        chunks[chunkCount] = from;
        long sum = 0;
        int due = 0;
        for (int i = from; i < to; i++) {
            sum += target.write(keys.array(i), keys.offset(i), keys.length(i), payloads[i]);
            for (due += lookups; due >= inserts; due -= inserts) {
                sum += lookUp((chunkCount << CHUNK_SHIFT) + i - from + 1);
            }
        }
        chunkCount++;
        return sum;
    }

    private long runBatched(final int from, final int to) {
        long sum = 0;
        for (int begin = from; begin < to; begin += BATCH) {
            batch.clear();
            for (int i = begin; i < Math.min(begin + BATCH, to); i++) {
                batch.add(keys.array(i), keys.offset(i), keys.length(i));
            }
            sum += target.writeBatch(batch, keys, payloads, begin);
        }
        return sum;
    }

    /** Looks up one of the keys that this thread has put so far; returns 0 if the answer is right. */
    private long lookUp(final int count) {
        final int number = random.nextInt(count);
        final int i = chunks[number >>> CHUNK_SHIFT] + (number & CHUNK - 1);
        return target.read(keys.array(i), keys.offset(i), keys.length(i)) == payloads[i] ? 0 : WRONG;
    }
}
