/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.IndexFactory;
import io.nestling.index.ValueRules;
import io.nestling.offheap.RecordLayout;
import io.nestling.memory.MemorySource;
import io.nestling.memory.SharedBudget;
import io.nestling.offheap.SlabAllocator;

import java.util.Objects;

/**
 * Configuration of a {@link Memtable}.
 * <h2>Thread safety</h2>
 * Immutable: any thread. A builder belongs to one thread.
 */
public final class MemtableOptions {
    /** Default capacity in bytes. */
    public static final long DEFAULT_CAPACITY_BYTES = 256L << 20;
    /** Maximum number of shards. */
    public static final int MAX_SHARDS = 1024;
    /** Minimum capacity in bytes for each shard. */
    public static final long MIN_SHARD_BYTES = 128L << 10;

    /** Maximum of the default of {@link #maxEntryBytes()}. */
    public static final long DEFAULT_MAX_ENTRY_BYTES = 1L << 20;
    /** Bytes of a key up to which {@link #maxEntryBytes()} holds; a Cuckoo Trie needs a second table for longer ones. */
    public static final int ASSURED_KEY_BYTES = 511;
    /** Minimum capacity in bytes for each shard from which {@link #maxEntryBytes()} holds. */
    public static final long ASSURED_SHARD_BYTES = 1L << 20;
    /** Greatest size of an entry that can be assured to fit: half of the smallest slab that a system may limit shards to. */
    public static final long MAX_ENTRY_BYTES = 1L << 30;
    private static final int DEFAULT_ENTRIES_PER_SHARD = 64;
    private static final int LEAST_ENTRIES = 4;

    private final IndexFactory index;
    private final int shards;
    private final long capacityBytes;
    private final long maxEntryBytes;
    private final Sharding sharding;
    private final SlabAllocator slabs;
    private final KeepVersions keepVersions;
    private final long firstSequence;
    private final SharedBudget<Memtable> sharedBudget;
    private final MemtableListener listener;
    private final ValueRules rules;

    private MemtableOptions(final Builder builder, final int shards, final long maxEntryBytes) {
        this.index = builder.index;
        this.shards = shards;
        this.capacityBytes = builder.capacityBytes;
        this.maxEntryBytes = maxEntryBytes;
        this.sharding = builder.sharding;
        this.slabs = builder.slabs;
        this.keepVersions = builder.keepVersions;
        this.firstSequence = builder.firstSequence;
        this.sharedBudget = builder.sharedBudget;
        this.listener = builder.listener;
        this.rules = builder.rules;
    }

    /**
     * Returns a builder with defaults for everything but the index.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the factory of the index of each shard.
     *
     * @return the factory
     */
    public IndexFactory index() {
        return index;
    }

    /**
     * Returns the number of shards, which are written independently.
     *
     * @return 1 to {@link #MAX_SHARDS}
     */
    public int shards() {
        return shards;
    }

    /**
     * Returns the capacity.
     *
     * @return bytes that the memtable may take
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * Returns the size of an entry up to which a put fits as long as {@link Memtable#isFull()} is false, see {@link
     * Builder#maxEntryBytes}.
     *
     * @return bytes of a key and its value together; 0 if no size is assured
     */
    public long maxEntryBytes() {
        return maxEntryBytes;
    }

    /**
     * Returns the rule by which keys are distributed over shards.
     *
     * @return the sharding
     */
    public Sharding sharding() {
        return sharding;
    }

    /**
     * Returns the source of memory.
     *
     * @return the source
     */
    public MemorySource memory() {
        return slabs;
    }

    SlabAllocator slabs() {
        return slabs;
    }

    /**
     * Returns which versions a flush emits.
     *
     * @return the rule
     */
    public KeepVersions keepVersions() {
        return keepVersions;
    }

    /**
     * Returns the sequence number of the first write.
     *
     * @return the number
     */
    public long firstSequence() {
        return firstSequence;
    }

    /**
     * Returns the budget that the memtable shares with others.
     *
     * @return the budget; null if there is none
     */
    public SharedBudget<Memtable> sharedBudget() {
        return sharedBudget;
    }

    /**
     * Returns the listener to the memtable's events.
     *
     * @return the listener; null if there is none
     */
    public MemtableListener listener() {
        return listener;
    }

    /**
     * Returns the rules by which reads and flushes make values of entries.
     *
     * @return the clock and the merge operator
     */
    public ValueRules rules() {
        return rules;
    }

    /** Builder of options. */
    public static final class Builder {
        private IndexFactory index;
        private int shards;
        private long capacityBytes = DEFAULT_CAPACITY_BYTES;
        private long maxEntryBytes;
        private Sharding sharding = Sharding.byHash();
        private SlabAllocator slabs = SlabAllocator.direct();
        private KeepVersions keepVersions = KeepVersions.NEWEST;
        private long firstSequence = 1;
        private SharedBudget<Memtable> sharedBudget;
        private MemtableListener listener;
        private ValueRules rules = ValueRules.DEFAULT;

        private Builder() {
        }

        /**
         * Sets the factory of the indexes; it has no default. If the index has no order, the first cursor or
         * flush sorts the keys, and each later one sorts the keys added since.
         *
         * @param factory the factory
         * @return this
         * @throws IllegalArgumentException if its {@link IndexFactory#heapBytes()} are negative
         */
        public Builder index(final IndexFactory factory) {
            if (Objects.requireNonNull(factory, "index").heapBytes() < 0) {
                throw new IllegalArgumentException("expected heapBytes of at least 0 but was " + factory.heapBytes());
            }
            this.index = factory;
            return this;
        }

        /**
         * Sets the number of shards; by default 1, or the number of ranges of the sharding. More shards help only where more
         * than two threads write at the same time and wait for nothing else, such as a log; each costs scans and flushes
         * ({@link #sharding}).
         *
         * @param count 1 to {@link #MAX_SHARDS}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder shards(final int count) {
            if (count < 1 || count > MAX_SHARDS) {
                throw new IllegalArgumentException("expected shards of 1 to " + MAX_SHARDS + " but was " + count);
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
         * Sets the size of an entry up to which a put fits as long as {@link Memtable#isFull()} is false: the memtable becomes
         * full the earlier, the larger it is, with at least twice that size left. A larger entry is taken if there is space. By
         * default a 64th of a shard's part of the capacity, at most {@link #DEFAULT_MAX_ENTRY_BYTES}; 0, which assures nothing,
         * if that part is less than {@link #ASSURED_SHARD_BYTES}.
         * <p>
         * It holds for keys of at most {@link #ASSURED_KEY_BYTES}, if no other thread writes between the question and the put.
         * Such a put is still refused if a shared budget stays without room (see {@link #sharedBudget}), or if the system gives
         * no memory or no mapping. It may be refused if its key is longer than all before it and its shard's index has come to
         * the end of its slab: half of the shard's part of the capacity if the memory is taken at once (see {@link #memory}),
         * else 2 GiB on JDK 17 and more on later ones.
         *
         * @param bytes bytes of a key and its value together, at least 1 and at most {@link #MAX_ENTRY_BYTES} and a quarter of
         *     the capacity; of a shard's part of it if the memory is taken at once. The capacity has at least {@link
         *     #ASSURED_SHARD_BYTES} for each shard
         * @return this
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder maxEntryBytes(final long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("expected maxEntryBytes of at least 1 but was " + bytes);
            }
            this.maxEntryBytes = bytes;
            return this;
        }

        /**
         * Sets how keys are distributed over shards; by default by hash. Beside one shard, a scan of 50 entries takes 1.7 to 3.7
         * times as long with 4 shards by hash, 3.5 to 7 times with 16, and 1 to 2.1 times with as many shards by ranges ({@link
         * Sharding#learned}).
         *
         * @param how the sharding
         * @return this
         */
        public Builder sharding(final Sharding how) {
            this.sharding = Objects.requireNonNull(how, "sharding");
            return this;
        }

        /**
         * Sets the source of memory; by default the system. If it takes a whole slab at once, an index gets a slab
         * of half of its shard's share, and records get slabs of that size one after the other, so that the memtable may take
         * up to half as much again as its capacity.
         *
         * @param source the source, such as {@code NettyMemory.of}
         * @return this
         * @throws IllegalArgumentException if Nestling has not made it
         */
        public Builder memory(final MemorySource source) {
            if (!(Objects.requireNonNull(source, "source") instanceof SlabAllocator made)) {
                throw new IllegalArgumentException("expected a source of memory made by Nestling but was " + source);
            }
            this.slabs = made;
            return this;
        }

        /**
         * Sets a budget that the memtable shares with others; by default there is none. Its capacity bounds it as well. A
         * write then may ask for the flush of a memtable, and waits for one at the limit, see {@link SharedBudget}.
         *
         * @param budget the budget, which outlives the memtable
         * @return this
         */
        public Builder sharedBudget(final SharedBudget<Memtable> budget) {
            this.sharedBudget = Objects.requireNonNull(budget, "budget");
            return this;
        }

        /**
         * Sets the listener to the memtable's events; by default there is none. With one, each write looks whether the memtable
         * is full.
         *
         * @param events the listener
         * @return this
         */
        public Builder listener(final MemtableListener events) {
            this.listener = Objects.requireNonNull(events, "listener");
            return this;
        }

        /**
         * Sets the rules by which reads and flushes make values of entries; by default those of {@link ValueRules#DEFAULT}. The
         * clock is asked only if an entry with an expiry was put: by each get once, by a {@code getAll} once, by a cursor once,
         * when it is made, and by a flush once. A read of the memtable throws what the clock throws.
         * <p>
         * Without a merge operator the memtable refuses {@link Memtable#merge}. Reads and flushes combine operands, from the
         * newest back to the first value, tombstone, expired entry or covering range tombstone. If the operator throws, that read
         * or flush fails with a {@link io.nestling.index.MergeFailedException} that names the key; nothing else changes. Operands
         * are kept until the memtable is closed, or a newer put or deletion replaces them. A flush asks the operator twice.
         *
         * @param how the rules
         * @return this
         */
        public Builder rules(final ValueRules how) {
            this.rules = Objects.requireNonNull(how, "rules");
            return this;
        }

        /**
         * Sets which versions a flush emits; by default the newest.
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
                    "expected firstSequence of 1 to " + RecordLayout.MAX_SEQUENCE / 2 + " but was " + sequence);
            }
            this.firstSequence = sequence;
            return this;
        }

        /**
         * Returns the options.
         *
         * @return new options
         * @throws IllegalStateException if no index was set
         * @throws IllegalArgumentException if the number of shards is not the number of ranges, the capacity is too small, or
         *     the greatest entry too large for it
         */
        public MemtableOptions build() {
            if (index == null) {
                throw new IllegalStateException("expected an index but was none: call index(...) with an IndexFactory");
            }
            final int count = shardCount();
            if (capacityBytes < count * MIN_SHARD_BYTES) {
                throw new IllegalArgumentException("expected capacityBytes of at least " + MIN_SHARD_BYTES
                    + " for each of " + count + " shards but was " + capacityBytes);
            }
            return new MemtableOptions(this, count, entryBytes(count));
        }

        private long entryBytes(final int count) {
            if (capacityBytes / count < ASSURED_SHARD_BYTES) {
                if (maxEntryBytes > 0) {
                    throw new IllegalArgumentException("expected no maxEntryBytes with less than " + ASSURED_SHARD_BYTES
                        + " bytes of capacity for each of " + count + " shards but was " + maxEntryBytes + " with capacityBytes "
                        + capacityBytes);
                }
                return 0;
            }
            final long part = capacityBytes / (slabs.lazy() ? LEAST_ENTRIES : LEAST_ENTRIES * count);
            final long most = Math.min(part, MAX_ENTRY_BYTES);
            if (maxEntryBytes > most) {
                throw new IllegalArgumentException("expected maxEntryBytes of at most " + most + ", with capacityBytes "
                    + capacityBytes + ", but was " + maxEntryBytes);
            }
            return maxEntryBytes > 0 ? maxEntryBytes
                : Math.min(Math.min(most, DEFAULT_MAX_ENTRY_BYTES), capacityBytes / count / DEFAULT_ENTRIES_PER_SHARD);
        }

        private int shardCount() {
            if (sharding.isByRanges()) {
                final int ranges = sharding.rangeCount();
                if (shards != 0 && shards != ranges || ranges > MAX_SHARDS) {
                    throw new IllegalArgumentException(ranges > MAX_SHARDS
                        ? "expected a sharding of at most " + MAX_SHARDS + " ranges but was " + ranges
                        : "expected shards " + ranges + ", one for each range, but was " + shards);
                }
                return ranges;
            }
            return shards != 0 ? shards : 1;
        }
    }
}
