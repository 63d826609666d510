/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

class Lz4FramesTest {
    private static byte[] pack(final byte[] content) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (LZ4FrameOutputStream out = new LZ4FrameOutputStream(packed, BLOCKSIZE.SIZE_64KB,
            FLG.Bits.BLOCK_INDEPENDENCE, FLG.Bits.CONTENT_CHECKSUM)) {
            out.write(content);
        }
        return packed.toByteArray();
    }

    private static byte[] unpack(final byte[] packed) throws IOException {
        try (InputStream in = Lz4Frames.open(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    private static byte[] content(final Random random) {
        final byte[] content = new byte[200_000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) random.nextInt(4);
        }
        return content;
    }

    @Test
    void shouldUnpackFramesOneAfterTheOther() throws IOException {
        final byte[] content = content(Seeds.random("Lz4FramesTest.frames"));
        final ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.writeBytes(pack(Arrays.copyOf(content, 70_000)));
        two.writeBytes(pack(Arrays.copyOfRange(content, 70_000, content.length)));
        assertArrayEquals(content, unpack(two.toByteArray()));
        assertEquals(0, unpack(pack(new byte[0])).length);
    }

    @Test
    void shouldUnpackByteByByte() throws IOException {
        try (InputStream in = Lz4Frames.open(new ByteArrayInputStream(pack(new byte[] {1, -1})))) {
            assertEquals(1, in.read());
            assertEquals(255, in.read());
            assertEquals(-1, in.read());
        }
    }

    @Test
    void frameThatEndsEarlyThrowsEOFException() throws IOException {
        final byte[] packed = pack(content(Seeds.random("Lz4FramesTest.early")));
        for (int length = 0; length < packed.length; length += length < 30 ? 1 : 1009) {
            final byte[] part = Arrays.copyOf(packed, length);
            assertThrows(EOFException.class, () -> unpack(part), "of " + length + " bytes");
        }
    }

    @Test
    void damagedFrameThrowsIOException() throws IOException {
        final Random random = Seeds.random("Lz4FramesTest.damage");
        final byte[] content = content(random);
        final byte[] packed = pack(content);
        int found = 0;
        for (int i = 0; i < 200; i++) {
            final byte[] damaged = packed.clone();
            damaged[i < 4 ? i : random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                // A match that points to the same bytes elsewhere is no damage: the checksum is that of the content.
                assertArrayEquals(content, unpack(damaged));
            } catch (final IOException e) {
                found++;
            }
        }
        assertTrue(found > 180, found + " of 200 found");
        final byte[] text = "no frame at all".getBytes(StandardCharsets.US_ASCII);
        final IOException e = assertThrows(IOException.class, () -> unpack(text));
        assertTrue(e.getMessage().startsWith("cannot unpack LZ4 data before byte 4: expected a frame"), e.getMessage());
    }

    @Test
    void frameThatIsNotSupportedThrowsIOExceptionThatNamesThePlace() throws IOException {
        final byte[] linked = pack(new byte[10]);
        linked[4] &= ~(1 << 5); // the flag of independent blocks
        assertEquals("cannot unpack LZ4 data before byte 6: "
            + "expected a frame with independent blocks (lz4 -BI) and without dictionary", problem(linked));
        final ByteArrayOutputStream trailing = new ByteArrayOutputStream();
        trailing.writeBytes(pack(new byte[10]));
        final int end = trailing.size() + 4;
        trailing.writeBytes("something else".getBytes(StandardCharsets.US_ASCII));
        assertEquals("cannot unpack LZ4 data before byte " + end
            + ": expected a frame (lz4 without -l) but was something else", problem(trailing.toByteArray()));
    }

    private static String problem(final byte[] packed) {
        return assertThrows(IOException.class, () -> unpack(packed)).getMessage();
    }

    @Test
    void inputThatCannotBeReadThrowsItsOwnException() throws IOException {
        final IOException failure = new IOException("Stream ended prematurely");
        final byte[] packed = pack(new byte[10]);
        final InputStream in = Lz4Frames.open(new InputStream() {
            private int position;

            @Override
            public int read() throws IOException {
                if (position == packed.length - 5) {
                    throw failure;
                }
                return packed[position++] & 0xFF;
            }
        });
        assertSame(failure, assertThrows(IOException.class, in::readAllBytes));
    }
}
