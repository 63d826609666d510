/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.index.LookupResult;
import io.nestling.index.PointIndex;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys and values in Agrona's and Netty's buffers, on the heap and off. */
class MemtableBuffersTest {
    private static final String ALL_INDEXES = "io.nestling.memtable.TestIndexes#all";
    private static final long COMPILED_NANOS = 60_000_000_000L;

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Memtable open(final IndexFactory index) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(2).capacityBytes(8 << 20).build());
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldPutPartsOfAgronaBuffers(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            for (final MutableDirectBuffer buffer : new MutableDirectBuffer[] {
                new UnsafeBuffer(new byte[64]), new UnsafeBuffer(ByteBuffer.allocateDirect(64)),
                new ExpandableArrayBuffer(64)}) {
                buffer.putBytes(3, bytes("key"));
                buffer.putBytes(10, bytes("value"));
                memtable.delete(bytes("key"));
                final long before = memtable.lastSequence();
                assertEquals(before + 1, memtable.put(buffer, 3, 3, buffer, 10, 5));
                assertArrayEquals(bytes("value"), memtable.get(bytes("key")));
                memtable.put(buffer, 0, 0, buffer, 64, 0);
                assertArrayEquals(new byte[0], memtable.get(new byte[0]));
            }
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldPutNettyBuffersAndLeaveTheirIndexes(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            for (final boolean direct : new boolean[] {false, true}) {
                final ByteBuf key = direct ? Unpooled.directBuffer(16) : Unpooled.buffer(16);
                final ByteBuf value = Unpooled.wrappedBuffer(
                    Unpooled.copiedBuffer(bytes("xxva")), Unpooled.copiedBuffer(bytes("lue" + direct)));
                key.writeBytes(bytes("..key")).readerIndex(2);
                value.readerIndex(2);
                memtable.put(key.nioBuffer(), value.nioBuffer());
                assertArrayEquals(bytes("value" + direct), memtable.get(bytes("key")));
                assertEquals(2, key.readerIndex());
                assertEquals(5, key.writerIndex());
                assertEquals(2, value.readerIndex());
                assertEquals(1, key.refCnt());
                assertEquals(1, value.refCnt());
                key.release();
                value.release();
            }
        }
    }

    @Test
    void shouldStayAsItWasWhenAValueCannotBeRead() {
        try (Memtable memtable = open(StrictIndex.factory())) {
            memtable.put(bytes("key"), bytes("value"));
            final UnsafeBuffer key = new UnsafeBuffer(bytes("key"));
            final DirectBuffer closed = MemtableChecks.closedBuffer(bytes("other"));
            assertThrows(MemtableChecks.ClosedBufferException.class, () -> memtable.put(key, 0, 3, closed, 0, 5));
            assertEquals(1, memtable.lastSequence());
            assertArrayEquals(bytes("value"), memtable.get(bytes("key")));
            assertEquals(2, memtable.put(bytes("key"), bytes("third")));
            assertArrayEquals(bytes("third"), memtable.get(bytes("key")));
        }
    }

    @Test
    void putThrowsIndexOutOfBoundsWhenAPartIsOutside() {
        try (Memtable memtable = open(StrictIndex.factory())) {
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[10]);
            final int[][] wrong = {{-1, 2, 0, 1}, {9, 2, 0, 1}, {0, -1, 0, 1}, {0, 1, 10, 1}, {0, 1, 0, 11},
                {Integer.MAX_VALUE, 1, 0, 1}, {0, 1, 1, Integer.MAX_VALUE}};
            for (final int[] part : wrong) {
                final IndexOutOfBoundsException e = assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> memtable.put(buffer, part[0], part[1], buffer, part[2], part[3]));
                assertTrue(e.getMessage().contains("buffer of 10 bytes"), e.getMessage());
            }
            assertEquals(0, memtable.lastSequence());
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldCopyAValueToABuffer(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("key"), bytes("value"));
            memtable.delete(bytes("gone"));
            for (final MutableDirectBuffer buffer : new MutableDirectBuffer[] {
                new UnsafeBuffer(new byte[12]), new UnsafeBuffer(ByteBuffer.allocateDirect(12)),
                new ExpandableArrayBuffer(1)}) {
                assertEquals(5, memtable.get(bytes("key"), buffer, 7));
                final byte[] copy = new byte[5];
                buffer.getBytes(7, copy);
                assertArrayEquals(bytes("value"), copy);
                assertEquals(-1, memtable.get(bytes("none"), buffer, 0));
                assertEquals(Memtable.NO_VALUE, memtable.get(bytes("gone"), buffer, 0));
            }
        }
    }

    /** A key as part of an array and of buffers with and without array, read-only ones among them. */
    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldReadSeekAndDeleteKeysThatArePartsOfArraysAndByteBuffers(final IndexFactory index) {
        final byte[] array = bytes("..key..");
        final ByteBuffer direct = ByteBuffer.allocateDirect(7).put(array).position(2).limit(5);
        final ByteBuffer slice = ByteBuffer.wrap(array, 1, 5).slice().position(1).limit(4);
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("kex"), bytes("before"));
            for (final ByteBuffer key : new ByteBuffer[] {direct, slice, slice.asReadOnlyBuffer()}) {
                final int position = key.position();
                memtable.put(bytes("key"), bytes("value"));
                assertArrayEquals(bytes("value"), memtable.get(key));
                assertArrayEquals(bytes("value"), memtable.get(array, 2, 3));
                assertArrayEquals(bytes("value"), memtable.lookup(key).value());
                assertArrayEquals(bytes("value"), memtable.lookup(array, 2, 3).value());
                assertEquals(LookupResult.ABSENT, memtable.lookup(array, 2, 4));
                try (EntryCursor cursor = memtable.cursor()) {
                    assertTrue(cursor.seek(key));
                    assertArrayEquals(bytes("key"), cursor.key());
                    assertTrue(cursor.seekLowerThan(key));
                    assertArrayEquals(bytes("kex"), cursor.key());
                    assertTrue(cursor.seek(new UnsafeBuffer(array), 2, 3));
                    assertArrayEquals(bytes("key"), cursor.key());
                    assertTrue(cursor.seekLowerThan(new UnsafeBuffer(array, 1, 6), 1, 3));
                    assertArrayEquals(bytes("kex"), cursor.key());
                    assertThrows(IndexOutOfBoundsException.class, () -> cursor.seek(new UnsafeBuffer(array, 0, 5), 3, 3));
                    assertThrows(IndexOutOfBoundsException.class, () -> cursor.seekLowerThan(new UnsafeBuffer(array), -1, 3));
                }
                final long last = memtable.lastSequence();
                assertEquals(last + 1, memtable.delete(key));
                assertNull(memtable.get(key));
                assertEquals(LookupResult.tombstone(last + 1), memtable.lookup(key));
                assertEquals(last + 2, memtable.delete(array, 2, 3));
                assertEquals(LookupResult.tombstone(last + 2), memtable.lookup(array, 2, 3));
                assertEquals(position, key.position());
                assertEquals(3, key.remaining());
            }
            final long last = memtable.lastSequence();
            for (final int[] part : new int[][] {{-1, 2}, {6, 2}, {0, -1}, {Integer.MAX_VALUE, 1}}) {
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(array, part[0], part[1]));
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.lookup(array, part[0], part[1]));
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.delete(array, part[0], part[1]));
            }
            final byte[] tooLong = new byte[PointIndex.MAX_KEY_BYTES + 1];
            assertThrows(IllegalArgumentException.class, () -> memtable.delete(ByteBuffer.wrap(tooLong)));
            assertThrows(IllegalArgumentException.class, () -> memtable.get(tooLong, 0, tooLong.length));
            assertEquals(last, memtable.lastSequence());
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldReadAndDeleteKeysThatArePartsOfBuffers(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("key"), bytes("value"));
            memtable.put(bytes("other"), bytes("kept"));
            final UnsafeBuffer key = new UnsafeBuffer(bytes("..key.."));
            final UnsafeBuffer value = new UnsafeBuffer(new byte[9]);
            assertEquals(5, memtable.get(key, 2, 3, value, 1));
            assertArrayEquals(bytes("value"), Arrays.copyOfRange(value.byteArray(), 1, 6));
            assertEquals(5, memtable.lookup(key, 2, 3, value, 4));
            assertArrayEquals(bytes("value"), Arrays.copyOfRange(value.byteArray(), 4, 9));
            assertEquals(ReadView.NO_VALUE, memtable.get(key, 2, 4, value, 1));
            assertEquals(ReadView.ABSENT, memtable.lookup(key, 2, 4, value, 1));
            assertEquals(3, memtable.delete(key, 2, 3));
            assertEquals(ReadView.DELETED, memtable.lookup(key, 2, 3, value, 0));
            memtable.deleteRange(bytes("key."), bytes("key/"));
            assertEquals(ReadView.DELETED, memtable.lookup(key, 2, 4, value, 0), "as a part of a range");
            assertArrayEquals(bytes("kept"), memtable.get(bytes("other")));
            for (final int[] part : new int[][] {{-1, 2}, {6, 2}, {0, -1}, {Integer.MAX_VALUE, 1}}) {
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(key, part[0], part[1], value, 0));
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.lookup(key, part[0], part[1], value, 0));
                assertThrows(IndexOutOfBoundsException.class, () -> memtable.delete(key, part[0], part[1]));
            }
            assertEquals(4, memtable.lastSequence());
        }
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldReadToABufferWithoutAllocating(final IndexFactory index) {
        final com.sun.management.ThreadMXBean thread =
            (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        try (Memtable memtable = open(index)) {
            final byte[] key = new byte[4];
            final UnsafeBuffer keyBuffer = new UnsafeBuffer(key);
            final UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(300));
            for (int i = 0; i < 1000; i++) {
                keyBuffer.putInt(0, i);
                memtable.put(keyBuffer, 0, 4, value, 1, 40);
            }
            final byte[][] batch = new byte[32][];
            for (int i = 0; i < batch.length; i++) {
                batch[i] = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(i * 30).array();
            }
            final UnsafeBuffer values = new UnsafeBuffer(new byte[32 * 40]);
            final int[] offsets = new int[32];
            final int[] lengths = new int[32];
            long allocated = Long.MAX_VALUE;
            // The first rounds are interpreted and compiled, many of them if the compiler has to wait for a processor.
            final long deadline = System.nanoTime() + COMPILED_NANOS;
            while (allocated >= 3000 && System.nanoTime() < deadline) {
                final long before = thread.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 3000; i++) {
                    keyBuffer.putInt(0, i % 1000);
                    assertEquals(40, memtable.get(key, value, 20));
                    assertEquals(40, memtable.lookup(keyBuffer, 0, 4, value, 20));
                    if (i % 10 == 0) {
                        assertEquals(32, memtable.getAll(batch, values, offsets, lengths));
                    }
                }
                allocated = thread.getCurrentThreadAllocatedBytes() - before;
            }
            assertTrue(allocated < 3000, allocated + " bytes of heap for 3000 reads");
        }
    }

    @Test
    void getThrowsIndexOutOfBoundsWhenTheValueDoesNotFit() {
        try (Memtable memtable = open(StrictIndex.factory())) {
            memtable.put(bytes("key"), bytes("value"));
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[12]);
            final IndexOutOfBoundsException e = assertThrows(
                IndexOutOfBoundsException.class, () -> memtable.get(bytes("key"), buffer, 8));
            assertTrue(e.getMessage().contains("5 bytes") && e.getMessage().contains("12"), e.getMessage());
            assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(bytes("key"), buffer, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(bytes("key"), buffer, 13));
            assertArrayEquals(new byte[12], buffer.byteArray());
        }
    }
}
