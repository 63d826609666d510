/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.trie.InMemoryTrie;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

/** An index under measurement, of this library or of a peer, with what the comparison needs of it. */
public interface Subject extends AutoCloseable {
    /**
     * Adds a key of eight bytes.
     *
     * @param keys array that holds the key
     * @param offset its first byte
     * @param payload a small number
     */
    void put(byte[] keys, int offset, int payload);

    /**
     * Looks a key up.
     *
     * @param key the key
     * @return its payload
     */
    long get(byte[] key);

    /**
     * Looks 32 keys up.
     *
     * @param keys where they stand
     * @param from the first of them
     * @return the sum of their payloads
     */
    long getAll(byte[][] keys, int from);

    /**
     * Reads every key and payload in key order.
     *
     * @return the sum of all payloads
     */
    long iterate();

    /**
     * Memory of the index.
     *
     * @return bytes
     */
    long bytesUsed();

    @Override
    void close();

    /**
     * Makes an empty subject.
     *
     * @param name {@code trie} or {@code cassandra_trie}
     * @return a new one
     */
    static Subject of(final String name) {
        switch (name) {
            case "trie":
                return new Nestling();
            case "cassandra_trie":
                return new Cassandra();
            default:
                throw new IllegalArgumentException("unknown subject " + name);
        }
    }

    /** The block trie of this library. */
    final class Nestling implements Subject {
        private static final int BATCH = 32;
        private final InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone((1L << 31) - (2L << 20)));
        private final KeyBatch batch = new KeyBatch(BATCH);
        private final long[] payloads = new long[BATCH];

        @Override
        public void put(final byte[] keys, final int offset, final int payload) {
            trie.put(keys, offset, Long.BYTES, payload);
        }

        @Override
        public long get(final byte[] key) {
            return trie.get(key, 0, key.length);
        }

        @Override
        public long getAll(final byte[][] keys, final int from) {
            batch.clear();
            for (int i = 0; i < BATCH; i++) {
                batch.add(keys[from + i], 0, keys[from + i].length);
            }
            trie.getAll(batch, payloads);
            long sum = 0;
            for (final long payload : payloads) {
                sum += payload;
            }
            return sum;
        }

        @Override
        public long iterate() {
            long sum = 0;
            try (EntryCursor cursor = trie.cursor()) {
                for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
                    sum += cursor.payload();
                }
            }
            return sum;
        }

        @Override
        public long bytesUsed() {
            return trie.bytesUsed();
        }

        @Override
        public void close() {
            trie.close();
        }
    }

    /** Cassandra's trie with its structure off heap and its values, as it must, on the heap: few of them, shared. */
    final class Cassandra implements Subject {
        private static final Integer[] VALUES = new Integer[1024];
        private final org.apache.cassandra.db.tries.InMemoryTrie<Integer> trie =
            new org.apache.cassandra.db.tries.InMemoryTrie<>(BufferType.OFF_HEAP);
        private long sum;

        static {
            for (int i = 0; i < VALUES.length; i++) {
                VALUES[i] = i;
            }
        }

        @Override
        public void put(final byte[] keys, final int offset, final int payload) {
            try {
                trie.putRecursive(ByteComparable.fixedLength(keys, offset, Long.BYTES), VALUES[payload],
                    (existing, update) -> update);
            } catch (final org.apache.cassandra.db.tries.InMemoryTrie.SpaceExhaustedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long get(final byte[] key) {
            return trie.get(ByteComparable.fixedLength(key));
        }

        @Override
        public long getAll(final byte[][] keys, final int from) {
            long batchSum = 0;
            for (int i = 0; i < 32; i++) {
                batchSum += get(keys[from + i]);
            }
            return batchSum;
        }

        @Override
        public long iterate() {
            sum = 0;
            trie.forEachEntry((key, value) -> sum += value);
            return sum;
        }

        @Override
        public long bytesUsed() {
            return trie.sizeOffHeap() + trie.sizeOnHeap();
        }

        @Override
        public void close() {
            trie.discardBuffers();
        }
    }
}
