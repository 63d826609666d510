/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static io.nestling.offheap.SlabBytes.isZero;

import io.nestling.bridge.MemoryAdvice;
import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A contiguous region of off-heap memory and the only way to read and write it. Offsets are bytes from its start;
 * numbers are little-endian. A method's suffix is its access mode: no suffix is a plain access, {@code Acquire} pairs
 * with {@code Release}.
 * <p>
 * This is the variant for JDK 22 and later: a shared memory segment. If native access is allowed, single numbers are accessed
 * by address, and every access checks the slab's own bounds, which are empty once it is closed.
 * <h2>Thread safety</h2>
 * Any thread may access a slab, with the ordering of the access mode. {@link #close} must not run beside other
 * calls: the owner keeps readers out first. Access after close throws {@link IllegalStateException} or
 * {@link IndexOutOfBoundsException}, and never reaches released memory.
 */
public final class Slab implements AutoCloseable {
    /** Maximum size of a slab on this JDK in bytes. Not a compile-time constant, which callers would inline from one variant. */
    public static final long MAX_BYTES = Long.valueOf(1L << 40);
    /** Minimum number of bytes that {@link #getBlocks} copies. */
    public static final int BLOCK_BYTES = 4 * Long.BYTES;
    /** System property that turns additional checks on. */
    public static final String CHECKS_PROP_NAME = "io.nestling.checks";
    /** True if additional checks are on. */
    public static final boolean CHECKS = Boolean.getBoolean(CHECKS_PROP_NAME);

    private static final int LINE_BYTES = 64;
    private static final int TWO_BLOCKS_BYTES = 40;
    private static final int PAIR_BYTES = Long.BYTES + Short.BYTES;
    private static final int SHORT_MASK = 0xFFFF;
    private static final int SLOT_BYTES = 16;
    private static final int SLOT_HALF = 8;
    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean NATIVE = BRIDGE.isNative();
    private static final ValueLayout.OfShort PLAIN_SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt PLAIN_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong PLAIN_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
        ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG =
        ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
    private static final VarHandle ARRAY_LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();

    private static final MemorySegment CLOSED = MemorySegment.ofArray(new byte[0]);
    /* All memory, as a constant: if native access is allowed, an access checks one bound of the slab's own and no more. */
    private static final MemorySegment MEMORY = NATIVE ? allMemory() : CLOSED;
    /* Changes no address, and shows the compiler that all lie within that segment. */
    private static final long ADDRESS_MASK = Long.MAX_VALUE >>> 1;
    /* Keeps wrapped buffers reachable while their slabs are open, since accesses use only their addresses. */
    private static final Set<Slab> WRAPPED = ConcurrentHashMap.newKeySet();

    private final long size;
    private final long address;
    private final boolean zeroed;
    Runnable release; // null once it is closed
    /* Replaced by an empty segment on close: a wrapped buffer's own segment does not end with it. */
    private MemorySegment segment;
    /* Limits of the offsets at which accesses of these sizes may begin: 0 once the slab is closed. */
    private long lineLimit;
    private long blockLimit;
    private long pairLimit;
    private long longLimit;
    private long intLimit;
    private long shortLimit;
    private long byteLimit;

    Slab(final MemorySegment segment, final boolean zeroed, final Runnable release) {
        this.segment = segment;
        this.size = segment.byteSize();
        this.address = NATIVE ? segment.address() : 0;
        this.zeroed = zeroed;
        this.release = release;
        setLimits(size);
    }

    private void setLimits(final long bytes) {
        lineLimit = Math.max(0, bytes - LINE_BYTES + 1);
        blockLimit = Math.max(0, bytes - BLOCK_BYTES + 1);
        pairLimit = Math.max(0, bytes - PAIR_BYTES + 1);
        longLimit = Math.max(0, bytes - Long.BYTES + 1);
        intLimit = Math.max(0, bytes - Integer.BYTES + 1);
        shortLimit = Math.max(0, bytes - Short.BYTES + 1);
        byteLimit = bytes;
    }

    @SuppressWarnings("restricted") // what is read and written of it lies in slabs
    private static MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    static Slab map(final long bytes) {
        return SlabMapping.map(bytes);
    }

    /** Allocates memory that the garbage collector frees once the slab is unreachable. */
    static Slab allocateCollected(final int bytes) {
        return new Slab(Arena.ofAuto().allocate(bytes, LINE_BYTES), true, () -> { });
    }

    /** Returns whether {@link #map} takes memory only as it is touched. */
    static boolean isLazy() {
        return NATIVE || TemporaryFiles.LAZY;
    }

    static Slab wrap(final ByteBuffer buffer, final long unused, final Runnable release) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("expected a direct buffer but was one on the heap");
        }
        final Slab slab = new Slab(MemorySegment.ofBuffer(buffer), false, release);
        if (NATIVE) {
            WRAPPED.add(slab);
        }
        return slab;
    }

    /** Returns the size of this slab in bytes. */
    public long size() {
        return size;
    }

    /** Returns whether memory that was never written reads as zeroes; otherwise its content is arbitrary. */
    public boolean zeroed() {
        return zeroed;
    }

    /**
     * Returns the machine address of an offset, for prefetching; 0 if that is not possible. The caller keeps the slab reachable
     * while it uses the address.
     */
    public long address(final long offset) {
        return address == 0 ? 0 : address + offset;
    }

    /**
     * Asks for small pages instead of huge ones, for memory that is touched later, from a multiple of the size of huge pages on.
     * The system may ignore it.
     */
    public void useSmallPages(final long offset, final long bytes) {
        if (NATIVE && address != 0 && zeroed && bytes > 0) {
            BRIDGE.advise(address + offset, bytes, MemoryAdvice.NO_HUGE_PAGES);
        }
    }

    /** Prefetches the cache line of an offset; does nothing without a native bridge. */
    public void prefetch(final long offset) {
        if (NATIVE && address != 0) {
            BRIDGE.prefetch(address + offset);
        }
    }

    /** Reads one byte. */
    public byte getByte(final long offset) {
        return memory().get(ValueLayout.JAVA_BYTE, index(offset, byteLimit, 1));
    }

    /** Writes one byte. */
    public void putByte(final long offset, final byte value) {
        memory().set(ValueLayout.JAVA_BYTE, index(offset, byteLimit, 1), value);
    }

    /** Reads two bytes. */
    public short getShort(final long offset) {
        return memory().get(PLAIN_SHORT, index(offset, shortLimit, Short.BYTES));
    }

    /** Reads two bytes, and the two bytes eight bytes further, with one check of the bounds: into the low and the high half. */
    public int getShortPair(final long offset) {
        final long at = index(offset, pairLimit, PAIR_BYTES);
        return memory().get(PLAIN_SHORT, at) & SHORT_MASK | memory().get(PLAIN_SHORT, at + Long.BYTES) << Short.SIZE;
    }

    /** Writes two bytes. */
    public void putShort(final long offset, final short value) {
        memory().set(PLAIN_SHORT, index(offset, shortLimit, Short.BYTES), value);
    }

    /** Reads four bytes. */
    public int getInt(final long offset) {
        return memory().get(PLAIN_INT, index(offset, intLimit, Integer.BYTES));
    }

    /** Reads four bytes with acquire semantics, at a multiple of 4. */
    public int getIntAcquire(final long offset) {
        return (int) INT.getAcquire(memory(), index(offset, intLimit, Integer.BYTES));
    }

    /** Writes four bytes. */
    public void putInt(final long offset, final int value) {
        memory().set(PLAIN_INT, index(offset, intLimit, Integer.BYTES), value);
    }

    /** Writes four bytes with release semantics, at a multiple of 4. */
    public void putIntRelease(final long offset, final int value) {
        INT.setRelease(memory(), index(offset, intLimit, Integer.BYTES), value);
    }

    /** Replaces four bytes at a multiple of 4 if they are as expected, with volatile semantics; returns whether it did. */
    public boolean compareAndSetInt(final long offset, final int expected, final int value) {
        return INT.compareAndSet(memory(), index(offset, intLimit, Integer.BYTES), expected, value);
    }

    /** Reads eight bytes. */
    public long getLong(final long offset) {
        return memory().get(PLAIN_LONG, index(offset, longLimit, Long.BYTES));
    }

    /**
     * Compares a number with four numbers of four bytes, {@code stride} bytes apart, without a branch, by plain reads. Bit i of
     * the result is 1 if number i of the four equals it in the bits of the mask; it has no others.
     */
    public int matchInts(final long first, final int stride, final int number, final int mask) {
        final long at = index(first, intLimit, Integer.BYTES);
        index(first + 3L * stride, intLimit, Integer.BYTES); // and so are those between
        return isZero(memory().get(PLAIN_INT, at) & mask ^ number)
            + 2 * (isZero(memory().get(PLAIN_INT, at + stride) & mask ^ number)
            + 2 * (isZero(memory().get(PLAIN_INT, at + 2L * stride) & mask ^ number)
            + 2 * isZero(memory().get(PLAIN_INT, at + 3L * stride) & mask ^ number)));
    }

    /**
     * Compares a number with the second half of each of the four 16-byte slots of a 64-byte line, but for the lowest 0 to 63
     * bits, without a branch. Bit i of the result is 1 if slot i has the number.
     */
    public int matchSlots(final long line, final long number, final int ignoredBits) {
        final long slots = index(line, lineLimit, LINE_BYTES);
        return isZero((memory().get(PLAIN_LONG, slots + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((memory().get(PLAIN_LONG, slots + SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((memory().get(PLAIN_LONG, slots + 2 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * isZero((memory().get(PLAIN_LONG, slots + 3 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)));
    }

    /**
     * Returns one bit of the first half of each of the four 16-byte slots of a 64-byte line, by plain reads: bit i is that of
     * slot i.
     */
    public int slotBits(final long line, final int bit) {
        final long slots = index(line, lineLimit, LINE_BYTES);
        return (int) (memory().get(PLAIN_LONG, slots) >>> bit & 1
            | (memory().get(PLAIN_LONG, slots + SLOT_BYTES) >>> bit & 1) << 1
            | (memory().get(PLAIN_LONG, slots + 2 * SLOT_BYTES) >>> bit & 1) << 2
            | (memory().get(PLAIN_LONG, slots + 3 * SLOT_BYTES) >>> bit & 1) << 3);
    }

    /** Returns the bits of {@link #slotBits}, unless the second half of a slot is a certain number, which is rare: then -1. */
    public int slotBitsWithout(final long line, final int bit, final long number) {
        final long slots = index(line, lineLimit, LINE_BYTES);
        // Branches that are predicted well cost less than code without branches.
        if (memory().get(PLAIN_LONG, slots + SLOT_HALF) == number
            || memory().get(PLAIN_LONG, slots + SLOT_BYTES + SLOT_HALF) == number
            || memory().get(PLAIN_LONG, slots + 2 * SLOT_BYTES + SLOT_HALF) == number
            || memory().get(PLAIN_LONG, slots + 3 * SLOT_BYTES + SLOT_HALF) == number) {
            return -1;
        }
        return slotBits(line, bit);
    }

    /** Reads eight bytes with acquire semantics, at a multiple of 8. */
    public long getLongAcquire(final long offset) {
        return (long) LONG.getAcquire(memory(), index(offset, longLimit, Long.BYTES));
    }

    /** Writes eight bytes. */
    public void putLong(final long offset, final long value) {
        memory().set(PLAIN_LONG, index(offset, longLimit, Long.BYTES), value);
    }

    /** Writes four numbers of eight bytes, each larger than the one before by the same amount. */
    public void putSeries(final long offset, final long first, final long step) {
        final long at = index(offset, blockLimit, BLOCK_BYTES);
        memory().set(PLAIN_LONG, at, first);
        memory().set(PLAIN_LONG, at + Long.BYTES, first + step);
        memory().set(PLAIN_LONG, at + 2 * Long.BYTES, first + 2 * step);
        memory().set(PLAIN_LONG, at + 3 * Long.BYTES, first + 3 * step);
    }

    /** Writes eight bytes with release semantics, at a multiple of 8. */
    public void putLongRelease(final long offset, final long value) {
        LONG.setRelease(memory(), index(offset, longLimit, Long.BYTES), value);
    }

    /** Replaces eight bytes at a multiple of 8 if they are as expected, with volatile semantics; returns whether it did. */
    public boolean compareAndSetLong(final long offset, final long expected, final long value) {
        return LONG.compareAndSet(memory(), index(offset, longLimit, Long.BYTES), expected, value);
    }

    /** Copies numbers of eight bytes to the beginning of an array, by plain reads in any order. */
    public void getLongs(final long offset, final long[] destination, final int count) {
        MemorySegment.copy(segment, PLAIN_LONG, index(offset, Math.multiplyExact(count, Long.BYTES)), destination, 0, count);
    }

    /** Copies numbers of eight bytes from the beginning of an array, by plain writes in any order. */
    public void putLongs(final long offset, final long[] source, final int count) {
        MemorySegment.copy(source, 0, segment, PLAIN_LONG, index(offset, Math.multiplyExact(count, Long.BYTES)), count);
    }

    /** Copies bytes to an array. */
    public void getBytes(final long offset, final byte[] destination, final int destinationOffset, final int length) {
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, index(offset, length), destination, destinationOffset, length);
    }

    /**
     * Copies {@link #BLOCK_BYTES} to four times as many bytes to an array, by single loads and stores, faster than a bulk copy.
     */
    public void getBlocks(final long offset, final byte[] destination, final int destinationOffset, final int length) {
        final int last = length - BLOCK_BYTES;
        final long from = index(offset, blockLimit, BLOCK_BYTES);
        final long to = index(offset + last, blockLimit, BLOCK_BYTES);
        getBlock(from, destination, destinationOffset);
        if (length > TWO_BLOCKS_BYTES) {
            // Two or four overlapping blocks: a further, unpredictable branch would cost more than the overlap.
            final int second = Math.min(last, BLOCK_BYTES);
            final int third = Math.max(last - BLOCK_BYTES, 0);
            getBlock(from + second, destination, destinationOffset + second);
            getBlock(from + third, destination, destinationOffset + third);
        }
        getBlock(to, destination, destinationOffset + last);
    }

    private void getBlock(final long block, final byte[] destination, final int at) {
        ARRAY_LONG.set(destination, at, memory().get(PLAIN_LONG, block));
        ARRAY_LONG.set(destination, at + 3 * Long.BYTES, memory().get(PLAIN_LONG, block + 3 * Long.BYTES));
        ARRAY_LONG.set(destination, at + Long.BYTES, memory().get(PLAIN_LONG, block + Long.BYTES));
        ARRAY_LONG.set(destination, at + 2 * Long.BYTES, memory().get(PLAIN_LONG, block + 2 * Long.BYTES));
    }

    /** Copies bytes from an array. */
    public void putBytes(final long offset, final byte[] source, final int sourceOffset, final int length) {
        MemorySegment.copy(source, sourceOffset, segment, ValueLayout.JAVA_BYTE, index(offset, length), length);
    }

    /** Copies bytes to a buffer. */
    public void getBytes(
        final long offset, final MutableDirectBuffer destination, final int destinationOffset, final int length) {
        SlabBytes.copyOut(this, offset, destination, destinationOffset, length);
    }

    /** Copies bytes from a buffer. */
    public void putBytes(final long offset, final DirectBuffer source, final int sourceOffset, final int length) {
        SlabBytes.copyIn(this, offset, source, sourceOffset, length);
    }

    /** Sets a range to zero. */
    public void clear(final long offset, final long length) {
        SlabBytes.clear(this, offset, length);
    }

    /** Returns a little-endian buffer over a range, for copying in bulk. It must not be kept. */
    public ByteBuffer view(final long offset, final int length) {
        return segment.asSlice(index(offset, length), length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Releases the memory. Closing twice does nothing, but throws {@link IllegalStateException} while checks are on. */
    @Override
    public void close() {
        final Runnable action = release;
        if (action == null) {
            if (CHECKS) {
                throw new IllegalStateException("slab of " + size + " bytes was closed before");
            }
            return;
        }
        segment = CLOSED;
        setLimits(0);
        WRAPPED.remove(this);
        action.run();
        release = null; // not if the action throws: then closing can be repeated
    }

    /** Returns the memory in which the results of {@link #index(long, long, int)} are offsets. */
    private MemorySegment memory() {
        return NATIVE ? MEMORY : segment;
    }

    /** Returns the offset in {@link #memory} of bytes of this slab, whose offset must be below the limit of their size. */
    private long index(final long offset, final long limit, final int length) {
        if (!NATIVE) {
            return index(offset, length); // the segment checks for itself
        }
        if (Long.compareUnsigned(offset, limit) >= 0) {
            throw outside(offset, length);
        }
        return address + offset & ADDRESS_MASK;
    }

    private long index(final long offset, final int length) {
        if (CHECKS && (release == null || offset < 0 || length < 0 || offset + length > size)) {
            throw outside(offset, length);
        }
        return offset;
    }

    private RuntimeException outside(final long offset, final int length) {
        return release == null ? new IllegalStateException("slab of " + size + " bytes is closed")
            : new IndexOutOfBoundsException(
                "expected a part of the slab of " + size + " bytes but was " + length + " bytes at " + offset);
    }
}
