/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.TableLayout.*;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

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
    private static final int LOAD_BUCKETS = 2;

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
        this.segments = new int[] {LeafLayout.reference(blocks.allocate(BlockClasses.SEGMENT))};
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

    /** Returns the first item in a bucket with the tag of a hash, or 0. */
    long find(final long bucketOffset, final long hash) {
        long at = bucketOffset;
        while (true) {
            long item = 0;
            long tagged = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLong(at + ((long) i << 3));
                tagged |= ((item ^ hash) >>> TAG_SHIFT) - 1; // negative if the tags are equal
            }
            if (tagged < 0) {
                final long found = findTagged(at, hash);
                if (found != 0) {
                    return found;
                }
            }
            if (kind(item) != KIND_LINK) {
                return 0;
            }
            at = target(item);
        }
    }

    /** Returns the first item in a line with the tag of a hash, or 0; without a branch that depends on its slot. */
    private long findTagged(final long line, final long hash) {
        int tagged = 0;
        for (int i = 0; i < ITEMS; i++) {
            final long difference = (slab.getLong(line + ((long) i << 3)) ^ hash) >>> TAG_SHIFT;
            tagged |= (int) (difference - 1 >>> Long.SIZE - 1) << i;
        }
        for (; tagged != 0; tagged &= tagged - 1) {
            final long item = slab.getLong(line + ((long) Integer.numberOfTrailingZeros(tagged) << 3));
            if (isTagged(item, hash)) {
                return item;
            }
        }
        return 0;
    }

    /** Returns the item of a given prefix, or 0; unlike {@link #find}, never another prefix's. */
    long findExact(final long hash, final byte[] key, final int offset, final int prefixLength) {
        long at = bucketOffset(hash);
        while (true) {
            long item = 0;
            for (int i = 0; i < ITEMS; i++) {
                item = slab.getLong(at + ((long) i << 3));
                if (isTagged(item, hash) && nodes.isOf(item, key, offset, prefixLength)) {
                    return item;
                }
            }
            if (kind(item) != KIND_LINK) {
                return 0;
            }
            at = target(item);
        }
    }

    /**
     * Adds an item.
     *
     * @param link block for a link, or 0
     * @return whether the block was used
     */
    boolean insert(final long hash, final long item, final long link) {
        items++;
        return insertAt(bucketOffset(hash), item, link);
    }

    private boolean insertAt(final long bucketOffset, final long item, final long link) {
        long at = bucketOffset;
        while (true) {
            for (int i = 0; i < ITEMS; i++) {
                if (slab.getLong(at + ((long) i << 3)) == 0) {
                    slab.putLongRelease(at + ((long) i << 3), item);
                    return false;
                }
            }
            final long last = slab.getLong(at + LAST_ITEM_OFFSET);
            if (kind(last) != KIND_LINK) {
                slab.putLong(link, last); // released with the link
                slab.putLong(link + Long.BYTES, item);
                slab.putLongRelease(at + LAST_ITEM_OFFSET, linkItem(link));
                return true;
            }
            at = target(last);
        }
    }

    /** Replaces an item by another one; 0 removes it. */
    void replace(final long hash, final long item, final long replacement) {
        long at = bucketOffset(hash);
        while (true) {
            for (int i = 0; i < ITEMS; i++) {
                if (slab.getLong(at + ((long) i << 3)) == item) {
                    slab.putLongRelease(at + ((long) i << 3), replacement);
                    items -= replacement == 0 ? 1 : 0;
                    return;
                }
            }
            final long last = slab.getLong(at + LAST_ITEM_OFFSET);
            if (kind(last) != KIND_LINK) {
                throw new IllegalStateException("no item " + Long.toHexString(item) + " in bucket at " + bucketOffset(hash));
            }
            at = target(last);
        }
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
        final long buckets = buckets();
        final long from = offsetOf(buckets - Long.highestOneBit(buckets));
        final long[] chain = chain(from);
        long stay = 0;
        for (final long item : chain) {
            stay += newBucket(item, buckets) == buckets ? 0 : 1;
        }
        // All heap objects are made before anything changes.
        final long[] links = arrays.apply(linksFor(chain.length - stay));
        final long[] unlinked = stay <= ITEMS ? links(from) : arrays.apply(0);
        final int segment = (int) (buckets >>> SEGMENT_BUCKETS_SHIFT);
        final int[] grown = segment < segments.length ? segments : Arrays.copyOf(segments, segment + 1);
        blocks.expectRetired(unlinked.length);
        if (!allocateLinks(links) || grown[segment] == 0 && !addSegment(grown, segment)) {
            freeLinks(links, 0);
            return false;
        }
        final long to = offsetOf(buckets);
        int used = 0;
        for (final long item : chain) {
            if (newBucket(item, buckets) == buckets
                && insertAt(to, item, used < links.length ? links[used] : 0)) {
                used++;
            }
        }
        freeLinks(links, used);
        slab.putLongRelease(BUCKETS_OFFSET, buckets + 1);
        removeEntries(from, chain, buckets, stay, unlinked);
        return true;
    }

    /** Returns the number of links of a bucket with a number of items; in a full line the link replaces the last item. */
    private static int linksFor(final long items) {
        return (int) Math.max(0, (items - ITEMS + ITEMS - 2) / (ITEMS - 1));
    }

    private boolean allocateLinks(final long[] links) {
        for (int i = 0; i < links.length; i++) {
            links[i] = blocks.tryAllocateUnreserved(BlockClasses.LINK);
            if (links[i] == 0) {
                return false;
            }
        }
        return true;
    }

    private void freeLinks(final long[] links, final int from) {
        for (int i = from; i < links.length && links[i] != 0; i++) {
            blocks.free(links[i], BlockClasses.LINK);
        }
    }

    private long newBucket(final long item, final long buckets) {
        return bucketOf(nodes.hashBits(target(item), sizeClass(item)), buckets + 1);
    }

    private boolean addSegment(final int[] grown, final int segment) {
        final long block = blocks.tryAllocateUnreserved(BlockClasses.SEGMENT);
        if (block == 0) {
            return false;
        }
        grown[segment] = LeafLayout.reference(block);
        segments = grown;
        return true;
    }

    /** Removes the items that were copied to the new bucket from the old one, and its links if the rest fits. */
    private void removeEntries(
        final long from, final long[] chain, final long buckets, final long stay, final long[] unlinked) {
        long at = from;
        final boolean unlink = stay <= ITEMS;
        long kept = 0;
        while (true) {
            final long last = slab.getLong(at + LAST_ITEM_OFFSET);
            for (int i = 0; i < ITEMS; i++) {
                final long slot = at + ((long) i << 3);
                final long item = slab.getLong(slot);
                if (item != 0 && kind(item) != KIND_LINK && (unlink || newBucket(item, buckets) == buckets)) {
                    slab.putLongRelease(slot, 0);
                }
            }
            if (kind(last) != KIND_LINK) {
                break;
            }
            at = target(last);
        }
        if (unlink) {
            slab.putLongRelease(from + LAST_ITEM_OFFSET, 0);
            for (final long item : chain) {
                if (newBucket(item, buckets) != buckets) {
                    slab.putLongRelease(from + (kept++ << 3), item);
                }
            }
        }
        for (final long link : unlinked) {
            blocks.retire(link, BlockClasses.LINK); // nothing leads to it any more
        }
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
