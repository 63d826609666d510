/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.schedule.Mutations;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.SharedWord;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The twin of {@code Slab} for the race finder: memory in pages on the heap. Each access is a scheduling point, and in a run with
 * weak memory a load may return a stale value. It has the methods of the other variants, which a test compares.
 * <h2>Thread safety</h2>
 * The fibers of one run.
 */
public final class Slab implements AutoCloseable {
    /** Most bytes of one slab. */
    public static final long MAX_BYTES = Long.valueOf((1L << 31) - MemoryBudget.SLAB_BYTES);
    /** Fewest bytes that {@link #getBlocks} copies. */
    public static final int BLOCK_BYTES = 4 * Long.BYTES;
    /** System property that switches additional checks on. */
    public static final String CHECKS_PROP_NAME = "io.nestling.checks";
    /** True if additional checks are on. */
    public static final boolean CHECKS = Boolean.getBoolean(CHECKS_PROP_NAME);

    private static final int PAGE_SHIFT = 9;
    private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;
    private static final int NUMBER_SHIFT = 40;
    private static final int SLOT_BYTES = 16;
    private static final long[] BITS = new long[256];
    private static int count;

    static {
        for (int mask = 0; mask < BITS.length; mask++) {
            for (int i = 0; i < Long.BYTES; i++) {
                BITS[mask] |= (mask >>> i & 1) == 0 ? 0 : 0xFFL << Byte.SIZE * i;
            }
        }
    }

    private final long size;
    private final int number = ++count;
    private final long[][] pages;
    private SharedWord histories;
    /* Words that were given back; null if none were. */
    private BitSet givenBack;
    Runnable release; // null once it is closed

    private Slab(final long size, final Runnable release) {
        this.size = size;
        this.release = release;
        pages = new long[(int) ((size >>> 3) + PAGE_MASK + 1 >>> PAGE_SHIFT)][];
    }

    static Slab map(final long bytes) {
        return new Slab(bytes, () -> { });
    }

    /** Allocates memory that is given back once nothing refers to the slab any more. */
    static Slab allocateCollected(final int bytes) {
        return new Slab(bytes, () -> { });
    }

    static boolean isLazy() {
        return true;
    }

    static Slab wrap(final ByteBuffer buffer, final long address, final Runnable release) {
        return new Slab(buffer.capacity(), release);
    }

    /** Numbers the slabs of the next run from 1 again. */
    public static void reset() {
        count = 0;
    }

    // ---- memory that is given back ----

    /** A block is given back: nobody but the allocator may touch it. */
    public static void bytesAreFree(final Slab slab, final long offset, final int length) {
        slab.setGivenBack(offset, length, true);
    }

    /** Units of the skip list are given back. */
    public static void unitsAreFree(final Slab slab, final int first, final int count) {
        slab.setGivenBack((long) first << 3, count << 3, true);
    }

    /** A block is retired: nobody that finds it later may touch it. */
    public static void bytesAreRetired(final Slab slab, final long offset, final int length) {
        for (long word = offset >>> 3; word < offset + length >>> 3; word++) {
            Scheduler.retires(slab.id(word));
        }
    }

    /** Units of the skip list are retired. */
    public static void unitsAreRetired(final Slab slab, final int first, final int count) {
        bytesAreRetired(slab, (long) first << 3, count << 3);
    }

    /** Units of the skip list are handed out again. */
    public static void unitsAreTaken(final int first, final Slab slab, final int count) {
        slab.setGivenBack((long) first << 3, first == 0 ? 0 : count << 3, false);
    }

    private void setGivenBack(final long offset, final long length, final boolean back) {
        if (givenBack == null) {
            givenBack = new BitSet();
        }
        givenBack.set((int) (offset >>> 3), (int) (offset + length >>> 3), back);
    }

    private void checkUse(final long word) {
        if (givenBack != null && givenBack.get((int) word)) {
            Scheduler.givenBack(this, word << 3);
        }
    }

    // ---- words ----

    private long id(final long word) {
        return (long) number << NUMBER_SHIFT | word;
    }

    private long[] page(final long word) {
        final int page = (int) (word >>> PAGE_SHIFT);
        if (pages[page] == null) {
            pages[page] = new long[PAGE_MASK + 1];
        }
        return pages[page];
    }

    private long load(final long word, final int mask, final boolean acquire, final String what) {
        Scheduler.point(id(word), false);
        checkUse(word);
        final long[] values = pages[(int) (word >>> PAGE_SHIFT)];
        long value = values == null ? 0 : values[(int) word & PAGE_MASK];
        if (histories != null && Scheduler.isWeak()) {
            value = histories.load(word, value, mask, acquire);
        }
        Scheduler.trace(what, this, offset(word, mask), (value & BITS[mask]) >>> shift(mask));
        return value;
    }

    private void store(final long word, final int mask, final long value, final boolean ordered, final String what) {
        Scheduler.point(id(word), true);
        checkUse(word);
        set(word, mask, value, ordered, false, what);
    }

    private void set(
        final long word, final int mask, final long value, final boolean ordered, final boolean cas, final String what) {
        final long[] values = page(word);
        final int at = (int) word & PAGE_MASK;
        final long after = values[at] & ~BITS[mask] | value & BITS[mask];
        if (Scheduler.isWeak()) {
            if (histories == null) {
                histories = new SharedWord(size + 7 >>> 3);
            }
            histories.store(word, values[at], after, mask, ordered, cas);
        }
        values[at] = after;
        Scheduler.trace(what, this, offset(word, mask), (value & BITS[mask]) >>> shift(mask));
    }

    private boolean compareAndSet(final long word, final int mask, final long expected, final long value) {
        Scheduler.point(id(word), true);
        checkUse(word);
        final long before = page(word)[(int) word & PAGE_MASK];
        if (Scheduler.isWeak() && histories != null) {
            histories.beforeCompareAndSet(word);
        }
        if ((before & BITS[mask]) != (expected & BITS[mask])) {
            Scheduler.trace("cas fails", this, offset(word, mask), (before & BITS[mask]) >>> shift(mask));
            return false;
        }
        set(word, mask, value, true, true, "cas");
        return true;
    }

    private static int shift(final int mask) {
        return Byte.SIZE * Integer.numberOfTrailingZeros(mask);
    }

    private static long offset(final long word, final int mask) {
        return (word << 3) + Integer.numberOfTrailingZeros(mask);
    }

    // ---- numbers of 1 to 8 bytes, which may lie in two words ----

    private long get(final long offset, final int bytes, final boolean ordered, final String what) {
        check(offset, bytes);
        final int shift = (int) offset & 7;
        final int mask = (1 << bytes) - 1 << shift;
        long value = load(offset >>> 3, mask & 0xFF, ordered, what) >>> 8 * shift;
        if (mask > 0xFF) {
            value |= load((offset >>> 3) + 1, mask >>> 8, ordered, what) << 64 - 8 * shift;
        }
        return value;
    }

    private void put(final long offset, final int bytes, final long value, final boolean ordered, final String what) {
        check(offset, bytes);
        final int shift = (int) offset & 7;
        final int mask = (1 << bytes) - 1 << shift;
        store(offset >>> 3, mask & 0xFF, value << 8 * shift, ordered, what);
        if (mask > 0xFF) {
            store((offset >>> 3) + 1, mask >>> 8, value >>> 64 - 8 * shift, ordered, what);
        }
    }

    private static void aligned(final long offset, final int bytes) {
        if ((offset & bytes - 1) != 0) {
            throw new IllegalStateException("access mode needs alignment: " + offset);
        }
    }

    public long size() {
        return size;
    }

    public boolean zeroed() {
        return true;
    }

    /** Not 0, so that nothing is read in place of a request. */
    public long address(final long offset) {
        return (long) number << 40 | offset | 1L << 62;
    }

    public void useSmallPages(final long offset, final long bytes) {
    }

    public void prefetch(final long offset) {
    }

    public byte getByte(final long offset) {
        return (byte) get(offset, 1, false, "get1");
    }

    public void putByte(final long offset, final byte value) {
        put(offset, 1, value, false, "put1");
    }

    public short getShort(final long offset) {
        return (short) get(offset, 2, false, "get2");
    }

    public int getShortPair(final long offset) {
        return getShort(offset) & 0xFFFF | getShort(offset + Long.BYTES) << Short.SIZE;
    }

    public void putShort(final long offset, final short value) {
        put(offset, 2, value, false, "put2");
    }

    public int getInt(final long offset) {
        return (int) get(offset, 4, false, "get4");
    }

    public int getIntAcquire(final long offset) {
        aligned(offset, 4);
        return (int) get(offset, 4, Mutations.keepsNext(), "get4acq");
    }

    public void putInt(final long offset, final int value) {
        put(offset, 4, value, false, "put4");
    }

    public void putIntRelease(final long offset, final int value) {
        aligned(offset, 4);
        put(offset, 4, value, Mutations.keepsNext(), "put4rel");
    }

    public boolean compareAndSetInt(final long offset, final int expected, final int value) {
        aligned(offset, 4);
        check(offset, 4);
        final int shift = (int) offset & 7;
        return compareAndSet(offset >>> 3, 0xF << shift, (long) expected << 8 * shift, (long) value << 8 * shift);
    }

    public long getLong(final long offset) {
        return get(offset, 8, false, "get8");
    }

    public int matchInts(final long first, final int stride, final int number, final int mask) {
        int bits = 0;
        for (int i = 0; i < 4; i++) {
            bits |= (getInt(first + (long) i * stride) & mask) == number ? 1 << i : 0;
        }
        return bits;
    }

    public int matchSlots(final long line, final long number, final int ignoredBits) {
        int bits = 0;
        for (int i = 0; i < 4; i++) {
            bits |= (getLong(line + (long) SLOT_BYTES * i + 8) ^ number) >>> ignoredBits == 0 ? 1 << i : 0;
        }
        return bits;
    }

    public int slotBits(final long line, final int bit) {
        int bits = 0;
        for (int i = 0; i < 4; i++) {
            bits |= (int) (getLong(line + (long) SLOT_BYTES * i) >>> bit & 1) << i;
        }
        return bits;
    }

    public int slotBitsWithout(final long line, final int bit, final long number) {
        for (int i = 0; i < 4; i++) {
            if (getLong(line + (long) SLOT_BYTES * i + 8) == number) {
                return -1;
            }
        }
        return slotBits(line, bit);
    }

    public long getLongAcquire(final long offset) {
        aligned(offset, 8);
        return get(offset, 8, Mutations.keepsNext(), "get8acq");
    }

    public void putLong(final long offset, final long value) {
        put(offset, 8, value, false, "put8");
    }

    public void putSeries(final long offset, final long first, final long step) {
        for (int i = 0; i < 4; i++) {
            putLong(offset + 8L * i, first + i * step);
        }
    }

    public void putLongRelease(final long offset, final long value) {
        aligned(offset, 8);
        put(offset, 8, value, Mutations.keepsNext(), "put8rel");
    }

    public boolean compareAndSetLong(final long offset, final long expected, final long value) {
        aligned(offset, 8);
        check(offset, 8);
        return compareAndSet(offset >>> 3, 0xFF, expected, value);
    }

    public void getBlocks(final long offset, final byte[] destination, final int destinationOffset, final int length) {
        getBytes(offset, destination, destinationOffset, length);
    }

    public void getLongs(final long offset, final long[] destination, final int count) {
        for (int i = 0; i < count; i++) {
            destination[i] = getLong(offset + 8L * i);
        }
    }

    public void putLongs(final long offset, final long[] source, final int count) {
        for (int i = 0; i < count; i++) {
            putLong(offset + 8L * i, source[i]);
        }
    }

    public void getBytes(final long offset, final byte[] destination, final int destinationOffset, final int length) {
        check(offset, length);
        int i = 0;
        while (i < length) {
            final int bytes = Math.min(length - i, 8 - (int) (offset + i & 7));
            long value = get(offset + i, bytes, false, "copy");
            for (int end = i + bytes; i < end; i++) {
                destination[destinationOffset + i] = (byte) value;
                value >>>= 8;
            }
        }
    }

    public void putBytes(final long offset, final byte[] source, final int sourceOffset, final int length) {
        check(offset, length);
        int i = 0;
        while (i < length) {
            final int bytes = Math.min(length - i, 8 - (int) (offset + i & 7));
            long value = 0;
            for (int j = 0; j < bytes; j++) {
                value |= (source[sourceOffset + i + j] & 0xFFL) << 8 * j;
            }
            put(offset + i, bytes, value, false, "copy in");
            i += bytes;
        }
    }

    public void getBytes(
        final long offset, final MutableDirectBuffer destination, final int destinationOffset, final int length) {
        final byte[] bytes = new byte[length];
        getBytes(offset, bytes, 0, length);
        destination.putBytes(destinationOffset, bytes);
    }

    public void putBytes(final long offset, final DirectBuffer source, final int sourceOffset, final int length) {
        final byte[] bytes = new byte[length];
        source.getBytes(sourceOffset, bytes);
        putBytes(offset, bytes, 0, length);
    }

    public void clear(final long offset, final long length) {
        if (givenBack != null && Scheduler.isAllocators()) {
            setGivenBack(offset, length, false); // a block that is handed out again
        }
        SlabBytes.clear(this, offset, length);
    }

    /** A copy, to be read only. */
    public ByteBuffer view(final long offset, final int length) {
        final byte[] bytes = new byte[length];
        getBytes(offset, bytes, 0, length);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() {
        final Runnable action = release;
        if (action == null) {
            throw new IllegalStateException("slab was closed before");
        }
        action.run();
        release = null;
    }

    @Override
    public String toString() {
        return "s" + number;
    }

    private void check(final long offset, final int length) {
        if (release == null) {
            throw new IllegalStateException("slab of " + size + " bytes is closed");
        }
        if (offset < 0 || length < 0 || offset + length > size) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset + " are outside the slab of " + size);
        }
    }
}
