/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The top levels of the trie: the set of prefixes of three bytes, whose parts grow with their content. It replaces all nodes at
 * levels 0 to 2, needs no hashing, and its lines mostly are cached.
 * <pre>
 *  roots[256], on the heap, by the first byte: offset of a list, or offset + 1 of an array, or 0
 *  list, of blocks of 32 bytes: three slots, of second byte and entry, four bytes each, or 0; then the next block, or 0
 *  array, 1 KiB:   256 entries by the second byte; a list becomes one at its 31st entry
 *  entry:          0, or below 0 one to three third bytes and their count, or above 0 offset / 32 of a bitmap
 *  bitmap, 32 bytes: one bit for each third byte
 * </pre>
 * A prefix is added before the first leaf below it is written, and removed after the last one was removed, so that an absent one
 * proves that no key has it. What becomes empty is unlinked.
 * <h2>Thread safety</h2>
 * One writer; readers inside guards. Every change is a release store of one word; readers load words with acquire. An entry
 * that is not 0 keeps its slot until its list becomes an array, which is published as a whole.
 */
final class FlatLevels {
    private static final int FANOUT = 256;
    private static final int BYTE_MASK = FANOUT - 1;
    private static final int PAIRS = FANOUT * FANOUT;
    private static final int SMALL_CLASS = 0;
    private static final int SMALL_SHIFT = 5;
    private static final int SMALL_MASK = (1 << SMALL_SHIFT) - 1;
    private static final int LINK_OFFSET = 24;
    private static final int MAX_LISTED = LoweredLimit.of("mlpindex.listEntries", 30, 2);
    private static final int LONG_LIST = MAX_LISTED / 2;
    private static final int ARRAY = 1;
    private static final int ARRAY_CLASS = MlpBlockClasses.of(FANOUT * Integer.BYTES);
    private static final int POINTER_SHIFT = 2;
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;
    private static final int INLINE = Integer.MIN_VALUE;
    private static final int MAX_INLINE = 3;
    private static final int COUNT_SHIFT = 24;
    private static final int ONE = 1 << COUNT_SHIFT;

    private final AtomicLongArray roots = new AtomicLongArray(FANOUT);
    private final BlockAllocator blocks;
    private final Slab slab;
    /* Number of entries by first byte; the writer's. */
    private final int[] entries = new int[FANOUT];
    /* Blocks of lists and bitmaps. */
    private int smallBlocks;
    private int arrays;
    /* Lists of LONG_LIST entries and more. */
    private int longLists;

    FlatLevels(final BlockAllocator blocks) {
        this.blocks = blocks;
        this.slab = blocks.slab();
    }

    private static int pair(final long word) {
        return (int) (word >>> Long.SIZE - 2 * Byte.SIZE);
    }

    private static boolean isArray(final long root) {
        return (root & ARRAY) != 0;
    }

    /** Returns the slot of a list after one, or 0. */
    private long nextSlot(final long slot) {
        final long next = slot + Long.BYTES;
        return (next & SMALL_MASK) == LINK_OFFSET ? slab.getLongAcquire(next) : next;
    }

    /** Returns the offset of an entry of an array. */
    private static long offset(final long root, final int pair) {
        return root - ARRAY + ((long) (pair & BYTE_MASK) << POINTER_SHIFT);
    }

    private static long bitmap(final int entry) {
        return (long) entry << SMALL_SHIFT;
    }

    private static int count(final int entry) {
        return entry >>> COUNT_SHIFT & MAX_INLINE;
    }

    private static long wordOffset(final int entry, final int third) {
        return bitmap(entry) + (third >>> 6 << 3);
    }

    /** Returns the entry of two bytes, or 0. */
    private int entry(final int pair) {
        final long root = roots.getAcquire(pair >>> Byte.SIZE);
        return isArray(root) ? slab.getIntAcquire(offset(root, pair)) : entryInList(root, pair & BYTE_MASK);
    }

    private int entryInList(final long list, final int second) {
        for (long slot = list; slot != 0; slot = nextSlot(slot)) {
            final long listed = slab.getLongAcquire(slot);
            if (listed >>> Integer.SIZE == second && listed != 0) {
                return (int) listed;
            }
        }
        return 0;
    }

    /** Returns whether a key with a word's first three bytes may be present. */
    boolean contains(final long word) {
        return contains(entry(pair(word)), KeyWord.byteAt(word, 2));
    }

    private boolean contains(final int entry, final int third) {
        return entry > 0 ? (slab.getLongAcquire(wordOffset(entry, third)) >>> third & 1) != 0 : indexOf(entry, third) >= 0;
    }

    private static int indexOf(final int entry, final int third) {
        int i = count(entry) - 1;
        while (i >= 0 && ChildMap.at(entry, i) != third) {
            i--;
        }
        return i;
    }

    /** Copies the third bytes that follow two bytes, given as a number. */
    void copyBits(final int pair, final long[] bits) {
        final int entry = entry(pair);
        for (int i = 0; i < ChildMap.WORDS; i++) {
            bits[i] = entry <= 0 ? 0 : slab.getLongAcquire(bitmap(entry) + ((long) i << 3));
        }
        if (entry < 0) {
            ChildMap.addAll(entry, count(entry), bits, 0);
        }
    }

    /** Returns the nearest pair of bytes with an entry, from a given one on up or down; negative if there is none. */
    int nextPair(final int start, final boolean forward) {
        final int step = forward ? 1 : -1;
        int pair = start;
        while (pair >= 0 && pair < PAIRS) {
            final long root = roots.getAcquire(pair >>> Byte.SIZE);
            if (!isArray(root)) {
                final int found = nextInList(root, pair & BYTE_MASK, forward);
                if (found >= 0) {
                    return pair & ~BYTE_MASK | found;
                }
                pair = forward ? (pair | BYTE_MASK) + 1 : (pair & ~BYTE_MASK) - 1;
            } else if (slab.getIntAcquire(offset(root, pair)) != 0) {
                return pair;
            } else {
                pair += step;
            }
        }
        return -1;
    }

    /** Returns the nearest second byte of a list, from a given one on up or down, or -1. */
    private int nextInList(final long list, final int start, final boolean forward) {
        int nearest = -1;
        for (long slot = list; slot != 0; slot = nextSlot(slot)) {
            final long listed = slab.getLongAcquire(slot);
            final int second = (int) (listed >>> Integer.SIZE);
            if (listed != 0 && (forward ? second >= start && (nearest < 0 || second < nearest)
                : second <= start && second > nearest)) {
                nearest = second;
            }
        }
        return nearest;
    }

    /** Adds an absent prefix; if no block is left, it throws, and the prefix is not added. */
    void add(final long word) {
        final int pair = pair(word);
        final int first = pair >>> Byte.SIZE;
        final int third = KeyWord.byteAt(word, 2);
        final int entry = entry(pair);
        final int count = count(entry);
        if (entry > 0) {
            final long at = wordOffset(entry, third);
            slab.putLongRelease(at, slab.getLong(at) | 1L << third);
        } else if (count == MAX_INLINE) {
            putEntry(pair, newBitmap(entry, third));
        } else if (entry < 0) {
            putEntry(pair, entry + ONE | third << Byte.SIZE * count);
        } else {
            requireSlot(first);
            putEntry(pair, INLINE | ONE | third);
            entries[first]++;
            longLists += entries[first] == LONG_LIST && !isArray(roots.getPlain(first)) ? 1 : 0;
        }
    }

    /** Returns the entry of a new bitmap of the third bytes of an entry and another one. */
    private int newBitmap(final int entry, final int third) {
        final long bitmap = MlpBlockClasses.allocate(blocks, SMALL_CLASS);
        smallBlocks++;
        for (int i = 0; i <= MAX_INLINE; i++) {
            final int bit = i == MAX_INLINE ? third : ChildMap.at(entry, i);
            final long at = bitmap + (bit >>> 6 << 3);
            slab.putLong(at, slab.getLong(at) | 1L << bit); // published with the entry
        }
        return (int) (bitmap >>> SMALL_SHIFT);
    }

    /** Gives the list or array of a first byte room for an entry. */
    private void requireSlot(final int first) {
        final long root = roots.getPlain(first);
        if (isArray(root)) {
            return;
        }
        if (entries[first] == MAX_LISTED) {
            makeArray(first, root);
            return;
        }
        long last = 0;
        for (long slot = root; slot != 0; slot = nextSlot(slot)) {
            if (slab.getLong(slot) == 0) {
                return;
            }
            last = slot;
        }
        final long block = MlpBlockClasses.allocate(blocks, SMALL_CLASS);
        smallBlocks++;
        if (root == 0) {
            roots.setRelease(first, block);
        } else {
            slab.putLongRelease(last + Long.BYTES, block);
        }
    }

    private void makeArray(final int first, final long list) {
        final long array = MlpBlockClasses.allocate(blocks, ARRAY_CLASS) | ARRAY;
        arrays++;
        longLists--;
        for (long slot = list; slot != 0; slot = nextSlot(slot)) {
            final long listed = slab.getLong(slot);
            if (listed != 0) {
                slab.putInt(offset(array, (int) (listed >>> Integer.SIZE)), (int) listed); // published with the array
            }
        }
        roots.setRelease(first, array);
        retire(list);
    }

    private void retire(final long root) {
        if (isArray(root)) {
            arrays--;
            blocks.retire(root - ARRAY, ARRAY_CLASS);
            return;
        }
        for (long block = root; block != 0;) {
            final long next = slab.getLong(block + LINK_OFFSET);
            smallBlocks--;
            blocks.retire(block, SMALL_CLASS); // may be used again at once
            block = next;
        }
    }

    /** Stores an entry: in the slot of its second byte, or in a free one. */
    private void putEntry(final int pair, final int entry) {
        final long root = roots.getPlain(pair >>> Byte.SIZE);
        if (isArray(root)) {
            slab.putIntRelease(offset(root, pair), entry);
            return;
        }
        final long second = pair & BYTE_MASK;
        long at = 0;
        for (long slot = root; slot != 0; slot = nextSlot(slot)) {
            final long listed = slab.getLong(slot);
            if (listed != 0 && listed >>> Integer.SIZE == second) {
                at = slot;
                break;
            }
            at = listed == 0 && at == 0 ? slot : at;
        }
        slab.putLongRelease(at, entry == 0 ? 0 : second << Integer.SIZE | entry & UNSIGNED_INT_MASK);
    }

    /** Removes a prefix. */
    void remove(final long word) {
        final int pair = pair(word);
        final int third = KeyWord.byteAt(word, 2);
        final int entry = entry(pair);
        if (entry < 0) {
            final int last = count(entry) - 1;
            final long moved = ChildMap.with(entry, indexOf(entry, third), ChildMap.at(entry, last));
            putEntry(pair, last == 0 ? 0 : (int) ChildMap.with(moved, last, 0) - ONE);
        } else if (clear(entry, third)) {
            putEntry(pair, 0);
            smallBlocks--;
            blocks.retire(bitmap(entry), SMALL_CLASS);
        }
        if (entry(pair) == 0) {
            final int first = pair >>> Byte.SIZE;
            final long root = roots.getPlain(first);
            longLists -= entries[first] == LONG_LIST && !isArray(root) ? 1 : 0;
            entries[first]--;
            if (entries[first] == 0) {
                roots.setRelease(first, 0);
                retire(root);
            }
        }
    }

    /** Clears a bit; returns whether no other one is set. */
    private boolean clear(final int entry, final int third) {
        final long at = wordOffset(entry, third);
        slab.putLongRelease(at, slab.getLong(at) & ~(1L << third));
        long any = 0;
        for (int i = 0; i < ChildMap.WORDS; i++) {
            any |= slab.getLong(bitmap(entry) + ((long) i << 3));
        }
        return any == 0;
    }

    /** Returns the greatest number of bytes of blocks for a number of new prefixes. */
    long bytesFor(final long prefixes) {
        final long most = Math.min(prefixes, longLists) + prefixes / LONG_LIST;
        return prefixes * MlpBlockClasses.bytes(SMALL_CLASS)
            + Math.min(most, FANOUT - arrays) * MlpBlockClasses.bytes(ARRAY_CLASS);
    }

    /** Returns the number of bytes of blocks in use. */
    long bytesUsed() {
        return smallBlocks * MlpBlockClasses.bytes(SMALL_CLASS) + arrays * MlpBlockClasses.bytes(ARRAY_CLASS);
    }
}
