/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Checks an index while no writer works. Numbered invariants:
 * <ol>
 * <li>The region at a directory entry has the pattern in which the entry's number ends and a depth within the directory's, and
 * stands at all entries of that pattern: the regions cover each hash once.</li>
 * <li>Nothing is locked or frozen, and no region is closed; the core lock of a former region stays locked.</li>
 * <li>A key stands in one of its two buckets or in the stash, in the region that covers its hash, with its tag beside it, and
 * once only.</li>
 * <li>The forest is that of the keys: two buckets have the same root exactly if keys connect them, and the root is the smallest
 * of the connected buckets; the core has exactly the buckets whose root is 0; a bucket is EMPTY exactly if no key has it.</li>
 * <li>A root counts the free slots of its subgraph, which is maximal exactly if there are none. Buckets marked as full are full,
 * and belong to the subgraph of bucket 0.</li>
 * <li>The number of keys is the index's count.</li>
 * <li>Regions, stashes, free and retired blocks fill the slab up to the position.</li>
 * </ol>
 */
final class CoCuckooVerifier {
    private final CoCuckoo index;
    private final Slab slab;
    private final SubgraphForest forest;
    private final KeySource keys;
    private long entries;
    private long[] blocks = new long[64];
    private int blockCount;

    CoCuckooVerifier(final CoCuckoo index) {
        this.index = index;
        this.slab = index.reader().slab();
        this.forest = index.forest();
        this.keys = index.reader().keys();
    }

    void verify() {
        final RegionDirectory directory = index.directory();
        long share = 0;
        for (int number = 0; number < 1 << directory.depth(); number++) {
            final long region = directory.firstRegionAt(number);
            final long base = base(directory.regionAt(number));
            check(index.reader().covers(base, number), 1, "the region at entry %d has pattern %d", number,
                slab.getInt(base + PATTERN_OFFSET));
            if (region != NULL) {
                verifyRegion(region, number);
                share += 1L << directory.depth() - slab.getInt(base(region) + DEPTH_OFFSET);
            }
        }
        check(share == 1L << directory.depth(), 1, "the regions take %d of %d patterns", share, 1L << directory.depth());
        check(entries == index.entryCount(), 6, "%d keys were found, not %d", entries, index.entryCount());
        verifyBlocks();
    }

    private static void check(final boolean holds, final int invariant, final String format, final Object... arguments) {
        if (!holds) {
            throw new IllegalStateException("invariant " + invariant + ": " + String.format(Locale.ROOT, format, arguments));
        }
    }

    private void verifyRegion(final long region, final int number) {
        final long base = base(region);
        final int depth = slab.getInt(base + DEPTH_OFFSET);
        check(slab.getInt(base + PATTERN_OFFSET) == number, 1, "region %d at entry %d has pattern %d", region, number,
            slab.getInt(base + PATTERN_OFFSET));
        check(depth <= index.directory().depth() && number < 1L << depth, 1, "region %d at entry %d has depth %d", region, number,
            depth);
        check(slab.getLongAcquire(base + LOCKED_OFFSET) == 0, 2, "region %d is locked", region);
        final boolean special = sizeClass(region) != LAST_CLASS || Stash.first(slab, base) != NULL;
        check((slab.getLongAcquire(base + CORE_LOCK_OFFSET) & CORE_MASK) == (CORE_REGION | (special ? CORE_SPECIAL : 0)), 2,
            "the subgraph of bucket 0 of region %d is locked, or its lock says wrongly which puts are simple", region);
        check((slab.getIntAcquire(base + STATE_OFFSET) & CLOSED) == 0, 2, "region %d is closed", region);
        addBlock(base, sizeClass(region));
        final Set<ByteBuffer> seen = new HashSet<>();
        final int buckets = bucketsOf(region);
        final BucketGraph expected = new BucketGraph();
        for (int bucket = 0; bucket < buckets; bucket++) {
            for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
                final long slot = slotOffset(base, bucket, i);
                if (isPresent(slab.getLongAcquire(slot))) {
                    final long hash = verifySlot(region, slot, seen);
                    final int primary = primary(hash, buckets);
                    final int secondary = secondary(hash, buckets, primary);
                    check(bucket == primary || bucket == secondary, 3,
                        "region %d, bucket %d, slot %d: the key belongs to %d or %d",
                        region, bucket, i, primary, secondary);
                    expected.fill(bucket, 1);
                    expected.connect(primary, secondary, 1);
                }
            }
        }
        verifyForest(region, expected);
        for (long full = forest.full(base); full != 0; full &= full - 1) {
            final int bucket = Long.numberOfTrailingZeros(full);
            final int free = freeSlots(slab, bucketOffset(base, bucket));
            check(bucket < buckets && forest.root(base, bucket) == 0 && free == 0, 5,
                "region %d, bucket %d is marked as full, but is not, or not in the subgraph of bucket 0", region, bucket);
        }
        for (long block = Stash.first(slab, base); block != NULL; block = slab.getLong(block)) {
            addBlock(block, RegionArena.STASH);
            for (long slot = Stash.slots(block); slot < block + RegionArena.STASH_BYTES; slot += SLOT_BYTES) {
                if (isPresent(slab.getLongAcquire(slot))) {
                    verifySlot(region, slot, seen);
                }
            }
        }
    }

    private void verifyForest(final long region, final BucketGraph expected) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        for (int bucket = 0; bucket < buckets; bucket++) {
            check(forest.isEmpty(base, bucket) == expected.isEmpty(bucket), 4,
                "region %d: the forest says wrongly whether bucket %d is EMPTY", region, bucket);
            final int root = forest.root(base, bucket);
            final long members = expected.members(bucket);
            check(bucket == 0 || forest.isInCore(base, bucket) == (forest.walkToRoot(base, bucket) == 0), 4,
                "region %d, bucket %d: the core says wrongly whether it is of the subgraph of bucket 0", region, bucket);
            check(root == Long.numberOfTrailingZeros(members), 4, "region %d, the root of bucket %d is %d, not the smallest",
                region, bucket, root);
            check(forest.members(base, buckets, root) == members, 4,
                "region %d: the subgraph of bucket %d has the buckets %x, not %x", region, bucket,
                forest.members(base, buckets, root), members);
            final int vacancies = expected.vacancies(members);
            check(expected.isEmpty(bucket) || forest.isRoot(base, root) && forest.vacancies(base, root) == vacancies, 5,
                "region %d, the subgraph of bucket %d has %d vacancies, not %d", region, bucket, vacancies,
                forest.vacancies(base, root));
        }
    }

    private long verifySlot(final long region, final long slot, final Set<ByteBuffer> seen) {
        entries++;
        final long word = slab.getLongAcquire(slot);
        final long tag = slab.getLong(slot + TAG_OFFSET);
        check((word & MOVING) == 0, 2, "slot at %d of region %d is frozen", slot, region);
        final byte[] key = new byte[keys.keyLength(payload(word))];
        keys.copyKey(payload(word), key, 0);
        final long hash = index.hash(key, 0, key.length);
        check(hash == tag, 3, "slot at %d of region %d: tag %x is not that of the key", slot, region, tag);
        check(index.reader().covers(base(region), hash), 3, "slot at %d: region %d does not take hash %x", slot, region, hash);
        check(seen.add(ByteBuffer.wrap(key)), 3, "slot at %d of region %d: the key stands elsewhere too", slot, region);
        return hash;
    }

    private void addBlock(final long block, final int kind) {
        if (blockCount == blocks.length) {
            blocks = Arrays.copyOf(blocks, blockCount * 2);
        }
        blocks[blockCount++] = block | kind;
    }

    private void verifyBlocks() {
        final RegionArena arena = index.arena();
        for (final long idle : arena.idleBlocks()) {
            addBlock(idle & -LINE_BYTES, (int) idle & LINE_BYTES - 1);
            verifyIdle(idle & -LINE_BYTES);
        }
        Arrays.sort(blocks, 0, blockCount);
        long end = RegionArena.FIRST_REGION;
        long lost = 0;
        for (int i = 0; i < blockCount; i++) {
            final long block = blocks[i] & -LINE_BYTES;
            check(block >= end, 7, "the block at %d begins before %d, where the one before ends", block, end);
            lost += block - end;
            end = block + arena.kindBytes((int) blocks[i] & LINE_BYTES - 1);
        }
        lost += arena.position() - end;
        check(lost == arena.bytesLost(), 7, "%d bytes belong to no block, %d were lost", lost, arena.bytesLost());
    }

    /** Checks that the block of a former region cannot be locked by its number, whatever the block is by now. */
    private void verifyIdle(final long block) {
        check((slab.getLongAcquire(block + CORE_LOCK_OFFSET) & CORE_MASK) != CORE_REGION, 2,
            "the unused block at %d looks like a region whose core is not locked", block);
    }
}
