/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.EarlyLoad;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;

/**
 * Entries of leaves ({@link LeafLayout}): lookup by tag, and changes that leave all other entries in their slots. A leaf is named
 * by its offset.
 * <h2>Thread safety</h2>
 * Any thread inside a guard may read: by {@link #state}, {@link #next}, {@link #previous}, {@link #payloadOf}, {@link
 * #candidate}, {@link #isPassed} and {@link #payload}. All other methods belong to the writer.
 */
final class Leaves {
    private final BlockAllocator blocks;
    private final WriteFailure failure;
    private final Slab slab;
    private final KeySource keys;

    Leaves(final BlockAllocator blocks, final KeySource keys, final WriteFailure failure) {
        this.blocks = blocks;
        this.failure = failure;
        this.slab = blocks.slab();
        this.keys = keys;
    }

    /** Returns where a write records the error that ended it halfway; no one waits for such a write. */
    WriteFailure failure() {
        return failure;
    }

    Slab slab() {
        return slab;
    }

    KeySource keys() {
        return keys;
    }

    long state(final long leaf) {
        return slab.getLongAcquire(leaf + STATE_OFFSET);
    }

    int next(final long leaf) {
        return slab.getIntAcquire(leaf + NEXT_OFFSET);
    }

    int previous(final long leaf) {
        return slab.getIntAcquire(leaf + PREVIOUS_OFFSET);
    }

    /** Returns the payload of a key in a leaf, or {@code PointIndex.NONE}. Finds every entry that no writer is moving. */
    long payloadOf(final long leaf, final long hash, final byte[] key, final int offset, final int length) {
        final long probe = probe(hash);
        int line = homeLine(hash);
        for (int lines = 0; lines < LINES; lines++) {
            final long at = leaf + lineOffset(line);
            for (int matches = matches(at, probe); matches != 0; matches &= matches - 1) {
                final long word = slab.getLong(at + (Integer.numberOfTrailingZeros(matches) << 3));
                if (((word ^ probe) & PROBE_MASK) == 0) {
                    VarHandle.acquireFence(); // pairs with the release of the word
                    final long payload = payload(word);
                    if (keys.compareKey(payload, key, offset, length) == 0) {
                        return payload;
                    }
                }
            }
            if ((slab.getLong(at) & OVERFLOW) == 0) {
                return PointIndex.NONE;
            }
            line = nextLine(line);
        }
        return PointIndex.NONE;
    }

    /** Returns the slots of a line, as bits, whose words match a probe; without branches. */
    private int matches(final long line, final long probe) {
        int matches = 0;
        for (int i = 0; i < LINE_SLOTS; i++) {
            final long difference = (slab.getLong(line + (i << 3)) ^ probe) >>> PROBE_SHIFT;
            matches |= (int) (difference - 1 >>> Long.SIZE - 1) << i;
        }
        return matches;
    }

    /** Returns the first entry word of a line that may belong to the key of a hash, or 0. */
    long candidate(final long line, final long hash) {
        final long probe = probe(hash);
        final int matches = matches(line, probe);
        if (matches == 0) {
            return 0;
        }
        final long word = slab.getLong(line + (Integer.numberOfTrailingZeros(matches) << 3));
        VarHandle.acquireFence(); // pairs with the release of the word
        return ((word ^ probe) & PROBE_MASK) == 0 ? word : 0;
    }

    /** Returns whether entries were passed on from a line. */
    boolean isPassed(final long line) {
        return (slab.getLong(line) & OVERFLOW) != 0;
    }

    /** Loads early, all together, the lines that a put of a key reads in a leaf. */
    void loadEarly(final long leaf, final long hash) {
        final int home = homeLine(hash);
        // Many full lines pass keys on to the next one.
        int sum = slab.getInt(leaf + lineOffset(home)) ^ slab.getInt(leaf + lineOffset(nextLine(home)));
        for (int at = 0; at < ENTRIES_OFFSET; at += LINE_BYTES) {
            sum ^= slab.getInt(leaf + at);
        }
        EarlyLoad.use(sum);
    }

    /** Returns the offset of the slot of a key in a leaf, or -1. */
    long slotOf(final long leaf, final long hash, final byte[] key, final int offset, final int length) {
        final long probe = probe(hash);
        int line = homeLine(hash);
        for (int lines = 0; lines < LINES; lines++) {
            final long at = leaf + lineOffset(line);
            for (int matches = matches(at, probe); matches != 0; matches &= matches - 1) {
                final long slot = at + (Integer.numberOfTrailingZeros(matches) << 3);
                if (keys.compareKey(payload(slab.getLong(slot)), key, offset, length) == 0) {
                    return slot;
                }
            }
            if (!isPassed(at)) {
                return -1;
            }
            line = nextLine(line);
        }
        return -1;
    }

    /** Returns the payload of an entry word. */
    long payload(final long word) {
        final long payload = word & PAYLOAD_MASK;
        return (word & IN_BLOCK) == 0 ? payload : slab.getLong(payload << REFERENCE_SHIFT);
    }

    /** Returns the payload bits of a new entry word; allocates the block of a large payload. */
    long encode(final long payload) {
        if (payload <= PAYLOAD_MASK) {
            return PRESENT | payload;
        }
        long block = blocks.tryAllocate(WormholeBlockClasses.PAYLOAD, WormholeBlockClasses.LEAF);
        if (block == 0) {
            blocks.requireSpace(1, WormholeBlockClasses.LEAF);
            block = blocks.tryAllocate(WormholeBlockClasses.PAYLOAD, WormholeBlockClasses.LEAF);
        }
        slab.putLong(block, payload); // released with the entry word
        return PRESENT | IN_BLOCK | block >>> REFERENCE_SHIFT;
    }

    /** Frees what {@link #encode} allocated and no reader ever saw. */
    void discard(final long word) {
        if ((word & IN_BLOCK) != 0) {
            blocks.free((word & PAYLOAD_MASK) << REFERENCE_SHIFT, WormholeBlockClasses.PAYLOAD);
        }
    }

    /** Retires the block of an entry word that was replaced. */
    void retire(final long word) {
        if ((word & IN_BLOCK) != 0) {
            blocks.retire((word & PAYLOAD_MASK) << REFERENCE_SHIFT, WormholeBlockClasses.PAYLOAD);
        }
    }

    /**
     * Puts an entry word into the first free slot from its home line on, and returns its number; there must be one. Reads only
     * the lines that it passes, as the header shows the taken slots.
     */
    int place(final long leaf, final long word) {
        int line = homeLine(word);
        int taken = taken(leaf, line);
        while (taken == FULL_LINE) {
            final long first = leaf + lineOffset(line);
            // Before the entry that is passed on: a reader without the flag need not look behind.
            slab.putLongRelease(first, slab.getLong(first) | OVERFLOW);
            line = nextLine(line);
            taken = taken(leaf, line);
        }
        final int free = Integer.numberOfTrailingZeros(~taken);
        slab.putByte(leaf + TAKEN_OFFSET + line, (byte) (taken | 1 << free));
        final long slot = leaf + lineOffset(line) + (free << 3);
        slab.putLongRelease(slot, free == 0 ? word | slab.getLong(slot) & OVERFLOW : word);
        return (line << LINE_SLOTS_SHIFT) + free;
    }

    /** Returns the taken slots of a line, as bits. */
    int taken(final long leaf, final int line) {
        return slab.getByte(leaf + TAKEN_OFFSET + line) & FULL_LINE;
    }

    /** Returns the discriminator of a key that belongs to a leaf. */
    int discriminatorOf(final long leaf, final byte[] key, final int offset, final int length) {
        return discriminator(slab.getLong(leaf + STATE_OFFSET), slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF,
            key, offset, length);
    }

    /** Returns the discriminator of a key in a leaf, given its state and shared length. */
    static int discriminator(
        final long state, final int shared, final byte[] key, final int offset, final int length) {
        long word = 0;
        final int end = Math.min(length, shared + DISCRIMINATING_BYTES);
        for (int i = shared; i < end; i++) {
            word |= (key[offset + i] & 0xFFL) << (Long.BYTES - 1 - (i - shared) << 3);
        }
        return behind(sharedBits(state), word);
    }

    /** Empties the slot at an offset. */
    void clear(final long leaf, final long slot) {
        slab.putLongRelease(slot, slab.getLong(slot) & OVERFLOW);
        free(leaf, slotAt(leaf, slot));
    }

    private void free(final long leaf, final int slot) {
        final long taken = leaf + TAKEN_OFFSET + (slot >> LINE_SLOTS_SHIFT);
        slab.putByte(taken, (byte) (slab.getByte(taken) & ~(1 << (slot & LINE_SLOTS - 1))));
    }

    /**
     * Empties the slots of some entries of a leaf, given all slots in key order, and clears overflow bits that no entry needs any
     * more.
     */
    void removeEntries(final long leaf, final byte[] slots, final int from, final int to) {
        int needed = 0;
        for (int i = 0; i < from; i++) {
            final int slot = slots[i];
            for (int line = homeLine(slab.getLong(leaf + slotOffset(slot))); line != slot >> LINE_SLOTS_SHIFT;
                line = nextLine(line)) {
                needed |= 1 << line;
            }
        }
        for (int i = from; i < to; i++) {
            final long slot = leaf + slotOffset(slots[i]);
            slab.putLongRelease(slot, (slots[i] & LINE_SLOTS - 1) == 0 ? slab.getLong(slot) & OVERFLOW : 0);
            free(leaf, slots[i]);
        }
        for (int line = 0; line < LINES; line++) {
            final long at = leaf + lineOffset(line);
            final long first = slab.getLong(at);
            if ((first & OVERFLOW) != 0 && (needed & 1 << line) == 0) {
                slab.putLongRelease(at, first & ~OVERFLOW);
            }
        }
    }
}
