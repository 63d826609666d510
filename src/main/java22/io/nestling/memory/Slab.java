/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bridge.MemoryAdvice;
import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A contiguous region of off-heap memory and the only way to read and write it. Offsets are bytes from its start;
 * numbers are little-endian. A method's suffix is its access mode: no suffix is a plain access, {@code Acquire} pairs
 * with {@code Release}.
 * <p>
 * This is the variant for JDK 22 and later: a shared memory segment, whose bounds and life are checked at every
 * access.
 * <h2>Thread safety</h2>
 * Accesses may come from any thread, with the ordering that their mode gives. {@link #close} must not run beside other
 * calls: the owner keeps readers out first. Access after close throws {@link IllegalStateException} or
 * {@link IndexOutOfBoundsException}, and never reaches memory that was given back.
 */
public final class Slab implements AutoCloseable {
    /** Most bytes of one slab on this JDK. It is no compile-time constant, which callers would take from one variant. */
    public static final long MAX_BYTES = Long.valueOf(1L << 40);
    /** Bytes that {@link #getBlock} copies. */
    public static final int BLOCK_BYTES = 4 * Long.BYTES;
    /** System property that switches additional checks on. */
    public static final String CHECKS_PROP_NAME = "io.nestling.checks";
    /** Whether additional checks are on. */
    public static final boolean CHECKS = Boolean.getBoolean(CHECKS_PROP_NAME);

    private static final int LINE_BYTES = 64;
    private static final int SLOT_BYTES = 16;
    private static final int SLOT_HALF = 8;
    private static final int ZERO_SHIFT = 6;
    private static final int INT_ZERO_SHIFT = 5;
    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean NATIVE = BRIDGE.isNative();
    private static final ValueLayout.OfShort PLAIN_SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt PLAIN_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(
        ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong PLAIN_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(
        ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
        ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG =
        ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

    private static final VarHandle ARRAY_LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();

    private static final MemorySegment CLOSED = MemorySegment.ofArray(new byte[0]);

    private final long size;
    private final long address;
    private final boolean zeroed;
    private Runnable release;
    /* Replaced by an empty segment on close: a wrapped buffer's own segment does not end with it. */
    private MemorySegment segment;

    private Slab(final MemorySegment segment, final boolean zeroed, final Runnable release) {
        this.segment = segment;
        this.size = segment.byteSize();
        this.address = NATIVE ? segment.address() : 0;
        this.zeroed = zeroed;
        this.release = release;
    }

    static Slab map(final long bytes) {
        final Arena arena = Arena.ofShared();
        try {
            final MemorySegment mapped = NATIVE ? mapNative(bytes, arena)
                : TemporaryFiles.LAZY ? mapFile(bytes, arena)
                : arena.allocate(bytes, MemoryBudget.SLAB_BYTES);
            return new Slab(mapped, true, arena::close);
        } catch (final OutOfMemoryError | IOException e) {
            arena.close();
            throw new SpaceExhaustedException("the system gives no " + bytes + " bytes of address space: "
                + e.getMessage());
        } catch (final RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    @SuppressWarnings("restricted") // mapped with this size, unmapped as the arena closes
    private static MemorySegment mapNative(final long bytes, final Arena arena) {
        final long mapped = BRIDGE.map(bytes);
        return MemorySegment.ofAddress(mapped).reinterpret(bytes, arena,
            ignored -> BRIDGE.unmap(mapped, bytes));
    }

    private static MemorySegment mapFile(final long bytes, final Arena arena) throws IOException {
        final Path file = Files.createTempFile("nestling", ".slab");
        try (FileChannel channel = FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, bytes, arena);
        }
    }

    /** Whether {@link #map} takes memory only as it is touched. */
    static boolean isLazy() {
        return NATIVE || TemporaryFiles.LAZY;
    }

    static Slab wrap(final ByteBuffer buffer, final Runnable release) {
        return new Slab(MemorySegment.ofBuffer(buffer), false, release);
    }

    /**
     * Bytes of this slab.
     *
     * @return the size
     */
    public long size() {
        return size;
    }

    /**
     * Tells whether memory that was never written reads as zeroes.
     *
     * @return false if the memory may hold anything
     */
    public boolean zeroed() {
        return zeroed;
    }

    /**
     * Machine address of an offset, for prefetching. The slab must be kept reachable while the address is in
     * use.
     *
     * @param offset byte offset
     * @return the address, or 0 if prefetching is not possible
     */
    public long address(final long offset) {
        return address == 0 ? 0 : address + offset;
    }

    /**
     * Asks for small pages in place of huge ones, for a slab of which little will be used. It counts for what is
     * touched later, and may be in vain.
     */
    public void useSmallPages() {
        useSmallPages(size);
    }

    /**
     * Asks for small pages in place of huge ones at the beginning. It counts for what is touched later, and may be in
     * vain.
     *
     * @param bytes how much of the slab, at most its size
     */
    public void useSmallPages(final long bytes) {
        if (NATIVE && address != 0 && zeroed) {
            BRIDGE.advise(address, bytes, MemoryAdvice.NO_HUGE_PAGES);
        }
    }

    /**
     * Asks the processor to load the cache line of an offset; does nothing without a native bridge.
     *
     * @param offset byte offset
     */
    public void prefetch(final long offset) {
        if (NATIVE && address != 0) {
            BRIDGE.prefetch(address + offset);
        }
    }

    /**
     * Reads one byte.
     *
     * @param offset byte offset
     * @return the byte
     */
    public byte getByte(final long offset) {
        return segment.get(ValueLayout.JAVA_BYTE, index(offset, 1));
    }

    /**
     * Writes one byte.
     *
     * @param offset byte offset
     * @param value the byte
     */
    public void putByte(final long offset, final byte value) {
        segment.set(ValueLayout.JAVA_BYTE, index(offset, 1), value);
    }

    /**
     * Reads two bytes.
     *
     * @param offset byte offset
     * @return the number
     */
    public short getShort(final long offset) {
        return segment.get(PLAIN_SHORT, index(offset, Short.BYTES));
    }

    /**
     * Writes two bytes.
     *
     * @param offset byte offset
     * @param value the number
     */
    public void putShort(final long offset, final short value) {
        segment.set(PLAIN_SHORT, index(offset, Short.BYTES), value);
    }

    /**
     * Reads four bytes.
     *
     * @param offset byte offset
     * @return the number
     */
    public int getInt(final long offset) {
        return segment.get(PLAIN_INT, index(offset, Integer.BYTES));
    }

    /**
     * Reads four bytes with acquire semantics.
     *
     * @param offset byte offset, a multiple of 4
     * @return the number
     */
    public int getIntAcquire(final long offset) {
        return (int) INT.getAcquire(segment, index(offset, Integer.BYTES));
    }

    /**
     * Writes four bytes.
     *
     * @param offset byte offset
     * @param value the number
     */
    public void putInt(final long offset, final int value) {
        segment.set(PLAIN_INT, index(offset, Integer.BYTES), value);
    }

    /**
     * Writes four bytes with release semantics.
     *
     * @param offset byte offset, a multiple of 4
     * @param value the number
     */
    public void putIntRelease(final long offset, final int value) {
        INT.setRelease(segment, index(offset, Integer.BYTES), value);
    }

    /**
     * Replaces four bytes if they are as expected, with volatile semantics.
     *
     * @param offset byte offset, a multiple of 4
     * @param expected the number that must be there
     * @param value the number to write
     * @return whether it was written
     */
    public boolean compareAndSetInt(final long offset, final int expected, final int value) {
        return INT.compareAndSet(segment, index(offset, Integer.BYTES), expected, value);
    }

    /**
     * Reads eight bytes.
     *
     * @param offset byte offset
     * @return the number
     */
    public long getLong(final long offset) {
        return segment.get(PLAIN_LONG, index(offset, Long.BYTES));
    }

    /**
     * Compares a number with four numbers of four bytes in a 64-byte line, without a branch, by plain reads.
     *
     * @param line byte offset of the line, where the first of them is
     * @param stride bytes from one of them to the next, 4 to 20
     * @param number the number, of which only bits of the mask may be set
     * @param mask bits that count
     * @return bit i is 1 if these bits of the number i are those of the number
     */
    public int matchInts(final long line, final int stride, final int number, final int mask) {
        final MemorySegment ints = segment.asSlice(index(line, LINE_BYTES), LINE_BYTES);
        return isZero(ints.get(PLAIN_INT, 0) & mask ^ number)
            + 2 * (isZero(ints.get(PLAIN_INT, stride) & mask ^ number)
            + 2 * (isZero(ints.get(PLAIN_INT, 2 * stride) & mask ^ number)
            + 2 * isZero(ints.get(PLAIN_INT, 3 * stride) & mask ^ number)));
    }

    /**
     * Compares a number with the second half of each of the four 16-byte slots of a 64-byte line, without a branch.
     *
     * @param line byte offset of the line
     * @param number the number
     * @param ignoredBits low bits that need not be equal, 0 to 63
     * @return bit i is 1 if slot i has the number
     */
    public int matchSlots(final long line, final long number, final int ignoredBits) {
        // The bounds of the line are checked once; those within it are constants.
        final MemorySegment slots = segment.asSlice(index(line, LINE_BYTES), LINE_BYTES);
        return isZero((slots.get(PLAIN_LONG, SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((slots.get(PLAIN_LONG, SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * (isZero((slots.get(PLAIN_LONG, 2 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)
            + 2 * isZero((slots.get(PLAIN_LONG, 3 * SLOT_BYTES + SLOT_HALF) ^ number) >>> ignoredBits)));
    }

    /**
     * One bit of the first half of each of the four 16-byte slots of a 64-byte line, by plain reads.
     *
     * @param line byte offset of the line
     * @param bit number of the bit, 0 to 63
     * @return bit i is that of slot i
     */
    public int slotBits(final long line, final int bit) {
        final MemorySegment slots = segment.asSlice(index(line, LINE_BYTES), LINE_BYTES);
        return (int) (slots.get(PLAIN_LONG, 0) >>> bit & 1
            | (slots.get(PLAIN_LONG, SLOT_BYTES) >>> bit & 1) << 1
            | (slots.get(PLAIN_LONG, 2 * SLOT_BYTES) >>> bit & 1) << 2
            | (slots.get(PLAIN_LONG, 3 * SLOT_BYTES) >>> bit & 1) << 3);
    }

    /** 1 for 0, 0 for any other number, by two instructions: only 0 has 64 leading zeroes. */
    private static int isZero(final long number) {
        return Long.numberOfLeadingZeros(number) >>> ZERO_SHIFT;
    }

    private static int isZero(final int number) {
        return Integer.numberOfLeadingZeros(number) >>> INT_ZERO_SHIFT;
    }

    /**
     * Reads eight bytes with acquire semantics.
     *
     * @param offset byte offset, a multiple of 8
     * @return the number
     */
    public long getLongAcquire(final long offset) {
        return (long) LONG.getAcquire(segment, index(offset, Long.BYTES));
    }

    /**
     * Writes eight bytes.
     *
     * @param offset byte offset
     * @param value the number
     */
    public void putLong(final long offset, final long value) {
        segment.set(PLAIN_LONG, index(offset, Long.BYTES), value);
    }

    /**
     * Writes eight bytes with release semantics.
     *
     * @param offset byte offset, a multiple of 8
     * @param value the number
     */
    public void putLongRelease(final long offset, final long value) {
        LONG.setRelease(segment, index(offset, Long.BYTES), value);
    }

    /**
     * Replaces eight bytes if they are as expected, with volatile semantics.
     *
     * @param offset byte offset, a multiple of 8
     * @param expected the number that must be there
     * @param value the number to write
     * @return whether it was written
     */
    public boolean compareAndSetLong(final long offset, final long expected, final long value) {
        return LONG.compareAndSet(segment, index(offset, Long.BYTES), expected, value);
    }

    /**
     * Copies bytes out.
     *
     * @param offset byte offset
     * @param destination where to
     * @param destinationOffset first byte written
     * @param length number of bytes
     */
    public void getBytes(final long offset, final byte[] destination, final int destinationOffset,
    final int length) {
        MemorySegment.copy(
            segment, ValueLayout.JAVA_BYTE, index(offset, length), destination, destinationOffset, length);
    }

    /**
     * Copies {@link #BLOCK_BYTES} bytes out by loads and stores in a row, which costs less than a call of a bulk copy.
     *
     * @param offset byte offset
     * @param destination where to
     * @param destinationOffset first byte written
     */
    public void getBlock(final long offset, final byte[] destination, final int destinationOffset) {
        // The bounds of the block are checked once; those within it are constants.
        final MemorySegment block = segment.asSlice(index(offset, BLOCK_BYTES), BLOCK_BYTES);
        ARRAY_LONG.set(destination, destinationOffset, block.get(PLAIN_LONG, 0));
        ARRAY_LONG.set(destination, destinationOffset + Long.BYTES, block.get(PLAIN_LONG, Long.BYTES));
        ARRAY_LONG.set(destination, destinationOffset + 2 * Long.BYTES, block.get(PLAIN_LONG, 2 * Long.BYTES));
        ARRAY_LONG.set(destination, destinationOffset + 3 * Long.BYTES, block.get(PLAIN_LONG, 3 * Long.BYTES));
    }

    /**
     * Copies bytes in.
     *
     * @param offset byte offset
     * @param source where from
     * @param sourceOffset first byte read
     * @param length number of bytes
     */
    public void putBytes(final long offset, final byte[] source, final int sourceOffset, final int length) {
        MemorySegment.copy(
            source, sourceOffset, segment, ValueLayout.JAVA_BYTE, index(offset, length), length);
    }

    /**
     * Copies bytes out.
     *
     * @param offset byte offset
     * @param destination where to
     * @param destinationOffset first byte written
     * @param length number of bytes
     */
    public void getBytes(
        final long offset, final MutableDirectBuffer destination, final int destinationOffset,
        final int length) {
        destination.checkLimit(destinationOffset + length); // an expandable buffer grows here
        // A view would be an object for each call.
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            destination.putLong(destinationOffset + i, getLong(offset + i), ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < length; i++) {
            destination.putByte(destinationOffset + i, getByte(offset + i));
        }
    }

    /**
     * Copies bytes in.
     *
     * @param offset byte offset
     * @param source where from
     * @param sourceOffset first byte read
     * @param length number of bytes
     */
    public void putBytes(final long offset, final DirectBuffer source, final int sourceOffset,
    final int length) {
        source.checkLimit(sourceOffset + length);
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            putLong(offset + i, source.getLong(sourceOffset + i, ByteOrder.LITTLE_ENDIAN));
        }
        for (; i < length; i++) {
            putByte(offset + i, source.getByte(sourceOffset + i));
        }
    }

    /**
     * Sets a range to zero.
     *
     * @param offset byte offset
     * @param length number of bytes
     */
    public void clear(final long offset, final long length) {
        SlabBytes.clear(this, offset, length);
    }

    /**
     * A buffer over a range, for copying in bulk. It must not be kept.
     *
     * @param offset byte offset
     * @param length number of bytes
     * @return a new little-endian view
     */
    public ByteBuffer view(final long offset, final int length) {
        return segment.asSlice(index(offset, length), length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Gives the memory back. Closing twice does nothing, but is an error while checks are on. */
    @Override
    public void close() {
        final Runnable action = release;
        if (action == null) {
            if (CHECKS) {
                throw new IllegalStateException("slab of " + size + " bytes was closed before");
            }
            return;
        }
        release = null;
        segment = CLOSED;
        action.run();
    }

    private long index(final long offset, final int length) {
        if (CHECKS) {
            check(offset, length);
        }
        return offset;
    }

    private void check(final long offset, final int length) {
        if (release == null) {
            throw new IllegalStateException("slab of " + size + " bytes is closed");
        }
        if (offset < 0 || length < 0 || offset + length > size) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset + " are outside the slab of "
                + size);
        }
    }
}
