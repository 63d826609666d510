/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.TableLayout.*;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Hash table of the meta trie: from the hash of a prefix to the item word of its node. Linear hashing adds one bucket at a time,
 * so that no put moves the whole table.
 * <h2>Thread safety</h2>
 * One writer, which keeps the structure version odd during every change. Readers may miss items meanwhile; they validate by that
 * version.
 */
final class MetaTrieHashTable {
    private static final int SEGMENT_BUCKETS_SHIFT = LoweredLimit.of("wormhole.segmentBucketsShift", 6, 0);
    private static final int SEGMENT_BUCKETS = 1 << SEGMENT_BUCKETS_SHIFT;
    /* A bucket is added above 9 items for two buckets. */
    private static final int LOAD_ITEMS = 9;
    private static final int LOAD_BUCKETS = LoweredLimit.of("wormhole.loadBuckets", 2, 1);

    private final Slab slab;
    private final BlockAllocator blocks;
    private final MetaNodes nodes;
    /* References of runs of buckets. A copy with a new run replaces the array before the number of buckets grows. */
    private volatile int[] segments;
    private long items;
    private IntFunction<long[]> arrays = long[]::new;

    MetaTrieHashTable(final BlockAllocator blocks, final MetaNodes nodes) {
        this.slab = blocks.slab();
        this.blocks = blocks;
        this.nodes = nodes;
        this.segments = new int[] {LeafLayout.reference(blocks.allocate(WormholeBlockClasses.SEGMENT))};
        slab.putLongRelease(BUCKETS_OFFSET, SEGMENT_BUCKETS);
    }

    long buckets() {
        return slab.getLongAcquire(BUCKETS_OFFSET);
    }

    /** Returns the number of nodes in the table. */
    long items() {
        return items;
    }

    /** Returns the offset of the bucket of a hash. */
    long bucketOffset(final long hash) {
        return offsetOf(bucketOf(hash, buckets()));
    }

    long offsetOf(final long bucket) {
        final int segment = segments[(int) (bucket >>> SEGMENT_BUCKETS_SHIFT)];
        return LeafLayout.offset(segment) + ((bucket & SEGMENT_BUCKETS - 1) << BUCKET_SHIFT);
    }

    /** Returns the first item in a bucket with the tag of a hash, or 0; without a branch that depends on its slot. */
    long find(final long bucketOffset, final long hash) {
        long at = bucketOffset;
        while (true) {
            long item = 0;
            int tagged = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLong(at + ((long) i << 3));
                tagged |= (int) (((item ^ hash) >>> TAG_SHIFT) - 1 >>> Long.SIZE - 1) << i;
            }
            for (; tagged != 0; tagged &= tagged - 1) {
                final long found = slab.getLongAcquire(at + ((long) Integer.numberOfTrailingZeros(tagged) << 3));
                if (isTagged(found, hash)) {
                    return found;
                }
            }
            if (kind(item) != KIND_LINK) {
                return 0;
            }
            VarHandle.acquireFence(); // before what the link leads to
            at = target(item);
        }
    }

    /** Returns the item of a given prefix, or 0; unlike {@link #find}, never another prefix's. */
    long findExact(final long hash, final byte[] key, final int offset, final int prefixLength) {
        long at = bucketOffset(hash);
        while (true) {
            long item = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLongAcquire(at + ((long) i << 3));
                if (isTagged(item, hash) && nodes.isOf(item, nodes.witness(item), key, offset, prefixLength)) {
                    return item;
                }
            }
            if (kind(item) != KIND_LINK) {
                return 0;
            }
            at = target(item);
        }
    }

    /** Adds an item; returns whether the block for a link, if there is one, was used. */
    boolean insert(final long hash, final long item, final long link) {
        items++;
        final long slot = slotOf(bucketOffset(hash), 0);
        if (slot >= 0) {
            slab.putLongRelease(slot, item);
            return false;
        }
        final long last = ~slot + LAST_ITEM_OFFSET;
        slab.putLong(link, slab.getLong(last)); // released with the link
        slab.putLong(link + Long.BYTES, item);
        slab.putLongRelease(last, linkItem(link));
        return true;
    }

    /** Returns the offset of the slot of an item, or of an empty one for 0; without one, the complement of the last line's. */
    private long slotOf(final long bucketOffset, final long wanted) {
        long at = bucketOffset;
        while (true) {
            long item = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLong(at + ((long) i << 3));
                if (item == wanted) {
                    return at + ((long) i << 3);
                }
            }
            if (kind(item) != KIND_LINK) {
                return ~at;
            }
            at = target(item);
        }
    }

    /** Replaces an item by another one; 0 removes it. */
    void replace(final long hash, final long item, final long replacement) {
        final long slot = slotOf(bucketOffset(hash), item);
        if (slot < 0) {
            throw new IllegalStateException("no item " + Long.toHexString(item) + " in bucket at " + bucketOffset(hash));
        }
        slab.putLongRelease(slot, replacement);
        items -= replacement == 0 ? 1 : 0;
    }

    /** Takes arrays from another source, for tests that run out of heap. */
    void takeArraysFrom(final IntFunction<long[]> source) {
        arrays = source;
    }

    /** Adds buckets until the load is right, as far as memory is not reserved. */
    void grow() {
        try {
            while (items * LOAD_BUCKETS > buckets() * LOAD_ITEMS) {
                if (!addBucket()) {
                    return;
                }
            }
        } catch (final OutOfMemoryError e) {
            return; // the heap is full: nothing has changed, and the next put tries again
        }
    }

    private boolean addBucket() {
        // wormhole-concurrency.md, claim 20
        final long buckets = buckets();
        final long from = offsetOf(buckets - Long.highestOneBit(buckets));
        // All heap objects are made before anything changes.
        final long[] kept = chain(from);
        final long[] links = links(from);
        final long[] moved = arrays.apply(kept.length);
        int keptCount = 0;
        int movedCount = 0;
        for (final long item : kept) {
            if (bucketOf(nodes.hashBits(target(item), sizeClass(item)), buckets + 1) == buckets) {
                moved[movedCount++] = item;
            } else {
                kept[keptCount++] = item;
            }
        }
        final long[] newLinks = arrays.apply(linksFor(movedCount));
        final int segment = (int) (buckets >>> SEGMENT_BUCKETS_SHIFT);
        final int[] grown = segment < segments.length ? segments : Arrays.copyOf(segments, segment + 1);
        blocks.expectRetired(links.length);
        if (!allocateLinks(newLinks) || grown[segment] == 0 && !addSegment(grown, segment)) {
            for (int i = 0; i < newLinks.length && newLinks[i] != 0; i++) {
                blocks.free(newLinks[i], WormholeBlockClasses.LINK);
            }
            return false;
        }
        write(offsetOf(buckets), moved, movedCount, newLinks);
        slab.putLongRelease(BUCKETS_OFFSET, buckets + 1);
        write(from, kept, keptCount, links);
        for (int i = linksFor(keptCount); i < links.length; i++) {
            blocks.retire(links[i], WormholeBlockClasses.LINK); // nothing leads to it any more
        }
        return true;
    }

    /** Returns the number of links of a bucket with a number of items; in a full line the link replaces the last item. */
    private static int linksFor(final int items) {
        return Math.max(0, (items - ITEMS + ITEMS - 2) / (ITEMS - 1));
    }

    /** Writes the items of a bucket, with as many of the given links as it needs. */
    private void write(final long bucketOffset, final long[] written, final int count, final long[] links) {
        int next = 0;
        for (int line = 0; line <= linksFor(count); line++) {
            final long at = line == 0 ? bucketOffset : links[line - 1];
            for (int i = 0; i < ITEMS; i++) {
                final boolean isLink = i == ITEMS - 1 && line < linksFor(count);
                slab.putLongRelease(at + ((long) i << 3), isLink ? linkItem(links[line]) : next < count ? written[next++] : 0);
            }
        }
    }

    private boolean allocateLinks(final long[] links) {
        for (int i = 0; i < links.length; i++) {
            links[i] = blocks.tryAllocateUnreserved(WormholeBlockClasses.LINK);
            if (links[i] == 0) {
                return false;
            }
        }
        return true;
    }

    private boolean addSegment(final int[] grown, final int segment) {
        final long block = blocks.tryAllocateUnreserved(WormholeBlockClasses.SEGMENT);
        if (block == 0) {
            return false;
        }
        grown[segment] = LeafLayout.reference(block);
        segments = grown;
        return true;
    }

    /** Returns all items of a bucket and its links. */
    long[] chain(final long bucketOffset) {
        long[] chain = arrays.apply(ITEMS);
        int count = 0;
        long at = bucketOffset;
        while (true) {
            long item = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLong(at + ((long) i << 3));
                if (item != 0 && kind(item) != KIND_LINK) {
                    if (count == chain.length) {
                        chain = Arrays.copyOf(chain, 2 * count);
                    }
                    chain[count++] = item;
                }
            }
            if (kind(item) != KIND_LINK) {
                return Arrays.copyOf(chain, count);
            }
            at = target(item);
        }
    }

    /** Returns the offsets of the link blocks of a bucket. */
    long[] links(final long bucketOffset) {
        long[] links = arrays.apply(0);
        long item = slab.getLong(bucketOffset + LAST_ITEM_OFFSET);
        while (kind(item) == KIND_LINK) {
            links = Arrays.copyOf(links, links.length + 1);
            links[links.length - 1] = target(item);
            item = slab.getLong(target(item) + LAST_ITEM_OFFSET);
        }
        return links;
    }

    /** Returns the references of the blocks that hold the buckets. */
    int[] segments() {
        return segments.clone();
    }
}
