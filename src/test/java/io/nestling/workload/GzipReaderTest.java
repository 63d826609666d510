/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;

@Tag("jdk")
class GzipReaderTest {
    private static byte[] packed(final byte[] content) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(content);
        }
        return packed.toByteArray();
    }

    private static byte[] joined(final byte[]... parts) {
        final ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (final byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    private static byte[] unpacked(final byte[] packed) throws IOException {
        try (InputStream in = new GzipReader(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    private static byte[] text(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void shouldUnpackMembersOneAfterTheOther() throws IOException {
        final Random random = Seeds.random("GzipReaderTest.members");
        final byte[] content = new byte[300_000];
        random.nextBytes(content);
        final byte[] two = joined(packed(Arrays.copyOf(content, 100_000)), packed(new byte[0]),
            packed(Arrays.copyOfRange(content, 100_000, content.length)));
        assertArrayEquals(content, unpacked(two));
        assertArrayEquals(content, unpacked(joined(two, new byte[100_000])), "zero bytes are padding");
    }

    @Test
    void shouldUnpackFromAnInputThatGivesFewBytesAtATime() throws IOException {
        final byte[] two = joined(packed(text("one\n")), packed(text("two\n")));
        InputStream pieces = InputStream.nullInputStream();
        for (final byte one : two) {
            pieces = new SequenceInputStream(pieces, new ByteArrayInputStream(new byte[] {one}));
        }
        try (InputStream in = new GzipReader(pieces)) {
            assertEquals('o', in.read());
            assertEquals("ne\ntwo\n", new String(in.readAllBytes(), StandardCharsets.US_ASCII));
            assertEquals(-1, in.read());
        }
    }

    @Test
    void shouldReadEachFieldOfAHeader() throws IOException {
        // Extra field of 2 bytes, name "a", comment "b", checksum of the header; then the empty content.
        final String header = "1f8b081e00000000000302007879" + "6100" + "6200";
        final String content = "0300" + "00000000" + "00000000";
        final byte[] packed = HexFormat.of().parseHex(header + "9741" + content);
        final java.util.zip.CRC32 checksum = new java.util.zip.CRC32();
        checksum.update(HexFormat.of().parseHex(header));
        final int at = header.length() / 2;
        packed[at] = (byte) checksum.getValue();
        packed[at + 1] = (byte) (checksum.getValue() >>> 8);
        assertEquals(0, unpacked(packed).length);
        packed[at] ^= 1;
        assertEquals("member 1 from byte 0: its header has a wrong checksum",
            assertThrows(ZipException.class, () -> unpacked(packed)).getMessage());
    }

    @Test
    void memberThatEndsEarlyThrowsEOFExceptionThatNamesIt() throws IOException {
        final byte[] first = packed(text("one\n"));
        final byte[] second = packed(text("two\n"));
        for (int cut = 1; cut < second.length; cut++) {
            final byte[] part = joined(first, Arrays.copyOf(second, cut));
            assertEquals("in member 2 from byte " + first.length,
                assertThrows(EOFException.class, () -> unpacked(part)).getMessage());
        }
        assertEquals("in member 1 from byte 0",
            assertThrows(EOFException.class, () -> unpacked(new byte[0])).getMessage());
    }

    @Test
    void damagedMemberThrowsZipExceptionThatNamesIt() throws IOException {
        final byte[] first = packed(text("one\n"));
        final byte[] second = packed(text("two\n"));
        final int[][] damages = {{0, 1}, {1, 1}, {2, 1}, {3, 0x20}, {10, 0x07},
            {second.length - 8, 1}, {second.length - 5, 0x80}, {second.length - 4, 1}, {second.length - 1, 0x80}};
        for (final int[] damage : damages) {
            final byte[] damaged = second.clone();
            damaged[damage[0]] ^= (byte) damage[1];
            final String message =
                assertThrows(ZipException.class, () -> unpacked(joined(first, damaged)), "byte " + damage[0]).getMessage();
            assertEquals("member 2 from byte " + first.length + ":", message.substring(0, message.indexOf(':') + 1));
        }
        assertThrows(ZipException.class, () -> unpacked(joined(first, text("garbage"))));
        assertThrows(ZipException.class, () -> unpacked(joined(first, new byte[3], text("garbage"))));
    }

    @Test
    void shouldAgreeWithTheLibraryOnDamagedSingleMembers() throws IOException {
        final Random random = Seeds.random("GzipReaderTest.damage");
        final byte[] content = new byte[2_000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) random.nextInt(8);
        }
        final byte[] packed = packed(content);
        for (int i = 0; i < 500; i++) {
            final byte[] damaged = packed.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            byte[] expected;
            try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(damaged))) {
                expected = in.readAllBytes();
            } catch (final IOException e) {
                expected = null;
            }
            final boolean reservedFlags = (damaged[3] & 0xE0) != 0; // to be refused, which not every JDK does
            if (expected == null || reservedFlags) {
                assertThrows(IOException.class, () -> unpacked(damaged));
            } else {
                assertArrayEquals(expected, unpacked(damaged));
            }
        }
    }
}
