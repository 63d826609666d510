/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.IndexFactory;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.SlabAllocator;

import java.util.Objects;

/**
 * How a {@link Memtable} is to be made.
 * <h2>Thread safety</h2>
 * Immutable: any thread. A builder belongs to one thread.
 */
public final class MemtableOptions {
    /** Bytes of a memtable unless it is told otherwise. */
    public static final long DEFAULT_CAPACITY_BYTES = 256L << 20;
    /** Most shards unless it is told otherwise. */
    public static final int DEFAULT_MAX_SHARDS = 4;
    /** Most shards. */
    public static final int MAX_SHARDS = 1024;
    /** Least bytes of capacity for each shard. */
    public static final long MIN_SHARD_BYTES = 128L << 10;

    private final IndexFactory index;
    private final int shards;
    private final long capacityBytes;
    private final Sharding sharding;
    private final SlabAllocator allocator;
    private final KeepVersions keepVersions;
    private final long firstSequence;

    private MemtableOptions(final Builder builder, final int shards) {
        this.index = builder.index;
        this.shards = shards;
        this.capacityBytes = builder.capacityBytes;
        this.sharding = builder.sharding;
        this.allocator = builder.allocator;
        this.keepVersions = builder.keepVersions;
        this.firstSequence = builder.firstSequence;
    }

    /**
     * Options with defaults for everything but the index.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What makes the index of each shard.
     *
     * @return the factory
     */
    public IndexFactory index() {
        return index;
    }

    /**
     * Number of shards, which are written independently.
     *
     * @return 1 to {@link #MAX_SHARDS}
     */
    public int shards() {
        return shards;
    }

    /**
     * Bytes that the memtable may take.
     *
     * @return the capacity
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * How keys are spread over shards.
     *
     * @return the sharding
     */
    public Sharding sharding() {
        return sharding;
    }

    /**
     * Where the memory comes from.
     *
     * @return the source of slabs
     */
    public SlabAllocator allocator() {
        return allocator;
    }

    /**
     * Which versions a flush passes on.
     *
     * @return the rule
     */
    public KeepVersions keepVersions() {
        return keepVersions;
    }

    /**
     * Sequence number of the first write.
     *
     * @return the number
     */
    public long firstSequence() {
        return firstSequence;
    }

    /** Collects options. */
    public static final class Builder {
        private IndexFactory index;
        private int shards;
        private long capacityBytes = DEFAULT_CAPACITY_BYTES;
        private Sharding sharding = Sharding.byHash();
        private SlabAllocator allocator = SlabAllocator.direct();
        private KeepVersions keepVersions = KeepVersions.NEWEST;
        private long firstSequence = 1;

        private Builder() {
        }

        /**
         * Sets what makes the indexes; there is no default. If the index has no order, the first cursor or
         * flush sorts the keys, and later ones those that have come since.
         *
         * @param factory the factory
         * @return this
         */
        public Builder index(final IndexFactory factory) {
            this.index = Objects.requireNonNull(factory, "index");
            return this;
        }

        /**
         * Sets the number of shards; by default the number of processors, at most {@link
         * #DEFAULT_MAX_SHARDS}, or what the sharding asks for.
         *
         * @param count 1 to {@link #MAX_SHARDS}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder shards(final int count) {
            if (count < 1 || count > MAX_SHARDS) {
                throw new IllegalArgumentException("shards " + count + " is outside 1 to " + MAX_SHARDS);
            }
            this.shards = count;
            return this;
        }

        /**
         * Sets the capacity; by default {@link #DEFAULT_CAPACITY_BYTES}.
         *
         * @param bytes at least {@link #MIN_SHARD_BYTES} for each shard
         * @return this
         */
        public Builder capacityBytes(final long bytes) {
            this.capacityBytes = bytes;
            return this;
        }

        /**
         * Sets how keys are spread over shards; by default by hash.
         *
         * @param how the sharding
         * @return this
         */
        public Builder sharding(final Sharding how) {
            this.sharding = Objects.requireNonNull(how, "sharding");
            return this;
        }

        /**
         * Sets where memory comes from; by default from the system. An allocator that takes whole slabs at
         * once gives half of a shard's share to its index and records the other half at a time, so that it
         * may hold up to half as much again as the capacity.
         *
         * @param source source of slabs
         * @return this
         */
        public Builder allocator(final SlabAllocator source) {
            this.allocator = Objects.requireNonNull(source, "allocator");
            return this;
        }

        /**
         * Sets which versions a flush passes on; by default the newest.
         *
         * @param which the rule
         * @return this
         */
        public Builder keepVersions(final KeepVersions which) {
            this.keepVersions = Objects.requireNonNull(which, "keepVersions");
            return this;
        }

        /**
         * Sets the sequence number of the first write, for an owner that numbers writes across memtables; by
         * default 1.
         *
         * @param sequence 1 to half of {@link RecordLayout#MAX_SEQUENCE}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder firstSequence(final long sequence) {
            if (sequence < 1 || sequence > RecordLayout.MAX_SEQUENCE / 2) {
                throw new IllegalArgumentException(
                    "firstSequence " + sequence + " is outside 1 to " + RecordLayout.MAX_SEQUENCE / 2);
            }
            this.firstSequence = sequence;
            return this;
        }

        /**
         * Makes the options.
         *
         * @return new options
         * @throws IllegalStateException if no index was set
         * @throws IllegalArgumentException if the number of shards is not what the ranges ask for, or the
         *     capacity is too small
         */
        public MemtableOptions build() {
            if (index == null) {
                throw new IllegalStateException("no index was chosen: call index(...) with an IndexFactory");
            }
            final int count = shardCount();
            if (capacityBytes < count * MIN_SHARD_BYTES) {
                throw new IllegalArgumentException(
                    "capacityBytes " + capacityBytes + " is less than " + MIN_SHARD_BYTES + " for each of "
                    + count
                        + " shards");
            }
            return new MemtableOptions(this, count);
        }

        private int shardCount() {
            if (sharding.isByRanges()) {
                final int ranges = sharding.rangeCount();
                if (shards != 0 && shards != ranges || ranges > MAX_SHARDS) {
                    throw new IllegalArgumentException(
                        "the sharding has " + ranges + " ranges, shards is "
                        + (shards == 0 ? MAX_SHARDS : shards));
                }
                return ranges;
            }
            return shards != 0
                ? shards : Math.min(DEFAULT_MAX_SHARDS, Runtime.getRuntime().availableProcessors());
        }
    }
}
