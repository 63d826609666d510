/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static io.nestling.offheap.SlabBytes.isZero;

import io.nestling.bridge.MemoryAdvice;
import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A contiguous region of off-heap memory and the only way to read and write it. Offsets are bytes from its start;
 * numbers are little-endian. A method's suffix is its access mode: no suffix is a plain access, {@code Acquire} pairs
 * with {@code Release}.
 * <p>
 * This is the variant for JDK 17: a direct {@link ByteBuffer} of at most {@link #MAX_BYTES}. On JDK 22 and later a
 * variant with the same methods on a memory segment replaces it.
 * <h2>Thread safety</h2>
 * Any thread may access a slab, with the ordering of the access mode. {@link #close} must not run beside other
 * calls: the owner keeps readers out first. Access after close throws {@link IllegalStateException} or
 * {@link IndexOutOfBoundsException}, and never reaches released memory.
 */
public final class Slab implements AutoCloseable {
    /** Maximum size of a slab on this JDK in bytes. Not a compile-time constant, which callers would inline from one variant. */
    public static final long MAX_BYTES = Long.valueOf((1L << 31) - MemoryBudget.SLAB_BYTES);
    /** Minimum number of bytes that {@link #getBlocks} copies. */
    public static final int BLOCK_BYTES = 4 * Long.BYTES;
    /** System property that turns additional checks on. */
    public static final String CHECKS_PROP_NAME = "io.nestling.checks";
    /** True if additional checks are on. */
    public static final boolean CHECKS = Boolean.getBoolean(CHECKS_PROP_NAME);

    private static final int LINE_BYTES = 64;
    private static final int TWO_BLOCKS_BYTES = 40;
    private static final int SHORT_MASK = 0xFFFF;
    private static final int SLOT_BYTES = 16;
    private static final int SLOT_HALF = 8;
    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean NATIVE = BRIDGE.isNative();
    private static final ByteBuffer CLOSED = ByteBuffer.allocateDirect(0);
    private static final VarHandle SHORT =
        MethodHandles.byteBufferViewVarHandle(short[].class,
        ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final VarHandle INT =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class,
        ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final VarHandle ARRAY_LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();

    private final long size;
    private final long address;
    private final boolean zeroed;
    Runnable release; // null once it is closed
    /*
     * Replaced by an empty buffer on close: a late access fails its bounds check and does not reach unmapped memory.
     */
    private ByteBuffer buffer;

    private Slab(final ByteBuffer buffer, final long address, final boolean zeroed, final Runnable release) {
        this.buffer = buffer;
        this.size = buffer.capacity();
        this.address = address;
        this.zeroed = zeroed;
        this.release = release;
    }

    static Slab map(final long bytes) {
        if (!NATIVE) {
            final ByteBuffer buffer = SparseFileBuffer.map(bytes);
            return new Slab(buffer, 0, true, () -> SparseFileBuffer.unmap(buffer));
        }
        final long address;
        try {
            address = BRIDGE.map(bytes);
        } catch (final OutOfMemoryError e) {
            throw new SpaceExhaustedException("the system gives no " + bytes + " bytes of address space: "
                + e.getMessage());
        }
        try {
            return new Slab(BRIDGE.asByteBuffer(address, (int) bytes), address, true, () -> BRIDGE.unmap(address, bytes));
        } catch (final RuntimeException | Error e) {
            BRIDGE.unmap(address, bytes);
            throw e;
        }
    }

    /** Allocates memory that the garbage collector frees once the slab is unreachable. */
    static Slab allocateCollected(final int bytes) {
        final ByteBuffer buffer =
            ByteBuffer.allocateDirect(bytes + LINE_BYTES).alignedSlice(LINE_BYTES).slice(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new Slab(buffer, NATIVE ? BRIDGE.address(buffer) : 0, true, () -> { });
    }

    /** Returns whether {@link #map} takes memory only as it is touched. */
    static boolean isLazy() {
        return NATIVE || TemporaryFiles.LAZY;
    }

    /** Returns a slab in a buffer at an address; 0 if that is unknown. */
    static Slab wrap(final ByteBuffer buffer, final long address, final Runnable release) {
        return new Slab(buffer, address, false, release);
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
        return buffer.get(index(offset, 1));
    }

    /** Writes one byte. */
    public void putByte(final long offset, final byte value) {
        buffer.put(index(offset, 1), value);
    }

    /** Reads two bytes. */
    public short getShort(final long offset) {
        return (short) SHORT.get(buffer, index(offset, Short.BYTES));
    }

    /** Reads two bytes, and the two bytes eight bytes further, with one check of the bounds: into the low and the high half. */
    public int getShortPair(final long offset) {
        return getShort(offset) & SHORT_MASK | getShort(offset + Long.BYTES) << Short.SIZE;
    }

    /** Writes two bytes. */
    public void putShort(final long offset, final short value) {
        SHORT.set(buffer, index(offset, Short.BYTES), value);
    }

    /** Reads four bytes. */
    public int getInt(final long offset) {
        return (int) INT.get(buffer, index(offset, Integer.BYTES));
    }

    /** Reads four bytes with acquire semantics, at a multiple of 4. */
    public int getIntAcquire(final long offset) {
        return (int) INT.getAcquire(buffer, index(offset, Integer.BYTES));
    }

    /** Writes four bytes. */
    public void putInt(final long offset, final int value) {
        INT.set(buffer, index(offset, Integer.BYTES), value);
    }

    /** Writes four bytes with release semantics, at a multiple of 4. */
    public void putIntRelease(final long offset, final int value) {
        INT.setRelease(buffer, index(offset, Integer.BYTES), value);
    }

    /** Replaces four bytes at a multiple of 4 if they are as expected, with volatile semantics; returns whether it did. */
    public boolean compareAndSetInt(final long offset, final int expected, final int value) {
        return INT.compareAndSet(buffer, index(offset, Integer.BYTES), expected, value);
    }

    /** Reads eight bytes. */
    public long getLong(final long offset) {
        return (long) LONG.get(buffer, index(offset, Long.BYTES));
    }

    /**
     * Compares a number with four numbers of four bytes, {@code stride} bytes apart, without a branch, by plain reads. Bit i of
     * the result is 1 if number i of the four equals it in the bits of the mask; it has no others.
     */
    public int matchInts(final long first, final int stride, final int number, final int mask) {
        return isZero(getInt(first) & mask ^ number)
            + 2 * (isZero(getInt(first + stride) & mask ^ number)
            + 2 * (isZero(getInt(first + 2L * stride) & mask ^ number)
            + 2 * isZero(getInt(first + 3L * stride) & mask ^ number)));
    }

    /**
     * Compares a number with the second half of each of the four 16-byte slots of a 64-byte line, but for the lowest 0 to 63
     * bits, without a branch. Bit i of the result is 1 if slot i has the number.
     */
    public int matchSlots(final long line, final long number, final int ignoredBits) {
        return isZero((getLong(line + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((getLong(line + SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((getLong(line + 2 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * isZero((getLong(line + 3 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)));
    }

    /**
     * Returns one bit of the first half of each of the four 16-byte slots of a 64-byte line, by plain reads: bit i is that of
     * slot i.
     */
    public int slotBits(final long line, final int bit) {
        return (int) (getLong(line) >>> bit & 1
            | (getLong(line + SLOT_BYTES) >>> bit & 1) << 1
            | (getLong(line + 2 * SLOT_BYTES) >>> bit & 1) << 2
            | (getLong(line + 3 * SLOT_BYTES) >>> bit & 1) << 3);
    }

    /** Returns the bits of {@link #slotBits}, unless the second half of a slot is a certain number, which is rare: then -1. */
    public int slotBitsWithout(final long line, final int bit, final long number) {
        // Branches that are predicted well cost less than code without branches.
        if (getLong(line + SLOT_HALF) == number || getLong(line + SLOT_BYTES + SLOT_HALF) == number
            || getLong(line + 2 * SLOT_BYTES + SLOT_HALF) == number || getLong(line + 3 * SLOT_BYTES + SLOT_HALF) == number) {
            return -1;
        }
        return slotBits(line, bit);
    }

    /** Reads eight bytes with acquire semantics, at a multiple of 8. */
    public long getLongAcquire(final long offset) {
        return (long) LONG.getAcquire(buffer, index(offset, Long.BYTES));
    }

    /** Writes eight bytes. */
    public void putLong(final long offset, final long value) {
        LONG.set(buffer, index(offset, Long.BYTES), value);
    }

    /** Writes four numbers of eight bytes, each larger than the one before by the same amount. */
    public void putSeries(final long offset, final long first, final long step) {
        putLong(offset, first);
        putLong(offset + Long.BYTES, first + step);
        putLong(offset + 2 * Long.BYTES, first + 2 * step);
        putLong(offset + 3 * Long.BYTES, first + 3 * step);
    }

    /** Writes eight bytes with release semantics, at a multiple of 8. */
    public void putLongRelease(final long offset, final long value) {
        LONG.setRelease(buffer, index(offset, Long.BYTES), value);
    }

    /** Replaces eight bytes at a multiple of 8 if they are as expected, with volatile semantics; returns whether it did. */
    public boolean compareAndSetLong(final long offset, final long expected, final long value) {
        return LONG.compareAndSet(buffer, index(offset, Long.BYTES), expected, value);
    }

    /**
     * Copies {@link #BLOCK_BYTES} to four times as many bytes to an array, by single loads and stores, faster than a bulk copy.
     */
    public void getBlocks(final long offset, final byte[] destination, final int destinationOffset, final int length) {
        final int last = length - BLOCK_BYTES;
        final int from = index(offset, length);
        getBlock(from, destination, destinationOffset);
        if (length > TWO_BLOCKS_BYTES) {
            // Two or four overlapping blocks: a further, unpredictable branch would cost more than the overlap.
            final int second = Math.min(last, BLOCK_BYTES);
            final int third = Math.max(last - BLOCK_BYTES, 0);
            getBlock(from + second, destination, destinationOffset + second);
            getBlock(from + third, destination, destinationOffset + third);
        }
        getBlock(from + last, destination, destinationOffset + last);
    }

    private void getBlock(final int block, final byte[] destination, final int at) {
        ARRAY_LONG.set(destination, at, (long) LONG.get(buffer, block));
        ARRAY_LONG.set(destination, at + Long.BYTES, (long) LONG.get(buffer, block + Long.BYTES));
        ARRAY_LONG.set(destination, at + 2 * Long.BYTES, (long) LONG.get(buffer, block + 2 * Long.BYTES));
        ARRAY_LONG.set(destination, at + 3 * Long.BYTES, (long) LONG.get(buffer, block + 3 * Long.BYTES));
    }

    /** Copies numbers of eight bytes to the beginning of an array, by plain reads in any order. */
    public void getLongs(final long offset, final long[] destination, final int count) {
        for (int i = 0; i < count; i++) {
            destination[i] = getLong(offset + (long) i * Long.BYTES);
        }
    }

    /** Copies numbers of eight bytes from the beginning of an array, by plain writes in any order. */
    public void putLongs(final long offset, final long[] source, final int count) {
        for (int i = 0; i < count; i++) {
            putLong(offset + (long) i * Long.BYTES, source[i]);
        }
    }

    /** Copies bytes to an array. */
    public void getBytes(final long offset, final byte[] destination, final int destinationOffset,
    final int length) {
        buffer.get(index(offset, length), destination, destinationOffset, length);
    }

    /** Copies bytes from an array. */
    public void putBytes(final long offset, final byte[] source, final int sourceOffset, final int length) {
        buffer.put(index(offset, length), source, sourceOffset, length);
    }

    /** Copies bytes to a buffer. */
    public void getBytes(
        final long offset, final MutableDirectBuffer destination, final int destinationOffset,
        final int length) {
        destination.putBytes(destinationOffset, buffer, index(offset, length), length);
    }

    /** Copies bytes from a buffer. */
    public void putBytes(final long offset, final DirectBuffer source, final int sourceOffset,
    final int length) {
        source.getBytes(sourceOffset, buffer, index(offset, length), length);
    }

    /** Sets a range to zero. */
    public void clear(final long offset, final long length) {
        SlabBytes.clear(this, offset, length);
    }

    /** Returns a little-endian buffer over a range, for copying in bulk. It must not be kept. */
    public ByteBuffer view(final long offset, final int length) {
        return buffer.slice(index(offset, length), length).order(ByteOrder.LITTLE_ENDIAN);
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
        buffer = CLOSED;
        action.run();
        release = null; // not if the action throws: then closing can be repeated
    }

    private int index(final long offset, final int length) {
        if (CHECKS) {
            check(offset, length);
        }
        return (int) offset;
    }

    private void check(final long offset, final int length) {
        if (release == null) {
            throw new IllegalStateException("slab of " + size + " bytes is closed");
        }
        if (offset < 0 || length < 0 || offset + length > size) {
            throw new IndexOutOfBoundsException(
                "expected a part of the slab of " + size + " bytes but was " + length + " bytes at " + offset);
        }
    }
}
