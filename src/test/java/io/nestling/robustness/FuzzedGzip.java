/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.testing.ByteMutations;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Files of gzip members (RFC 1952): a writer that can also write wrong ones, and a plain reader that tells right from wrong. */
final class FuzzedGzip {
    private static final int HEADER_CHECKSUM = 1 << 1;
    private static final int EXTRA = 1 << 2;
    private static final int NAME = 1 << 3;
    private static final int COMMENT = 1 << 4;
    private static final int TEXT_FLAGS = 0x1F;
    private static final int FIXED_HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int MAGIC = 0x8B1F;
    private static final int DEFLATE = 8;

    private FuzzedGzip() {
    }

    /** What a plain reader makes of a file. */
    enum State { WHOLE, DAMAGED, UNCLEAR }

    /**
     * What a file holds.
     *
     * @param state whether it is whole; unclear where readers may differ: flags without a meaning
     * @param content what was unpacked
     */
    record Content(State state, byte[] content) {
    }

    static List<byte[]> seeds(final Random random) {
        final List<byte[]> seeds = new ArrayList<>();
        for (final byte[] text : FuzzedText.seeds(random)) {
            seeds.add(new Member(random.nextInt(32), text).toBytes(random));
        }
        return seeds;
    }

    /** Adds a member that is right but for at most one thing, cuts the file, or changes bytes. */
    static byte[] mutate(final byte[] input, final byte[] other, final Random random) {
        switch (random.nextInt(6)) {
            case 0:
                return ByteMutations.change(input, other, random);
            case 1:
                return ByteMutations.replace(input, input.length, input.length, other);
            case 2:
                return Arrays.copyOf(input, random.nextInt(input.length + 1));
            case 3:
                return Arrays.copyOf(input, input.length + random.nextInt(20));
            default:
                final byte[] member = member(other, random);
                return random.nextInt(3) == 0 ? member : ByteMutations.replace(input, input.length, input.length, member);
        }
    }

    private static byte[] member(final byte[] other, final Random random) {
        final List<byte[]> texts = FuzzedText.seeds(random);
        final Member member = new Member(random.nextInt(32),
            FuzzedText.mutate(texts.get(random.nextInt(texts.size())), other, random));
        switch (random.nextInt(9)) {
            case 0:
                member.flags = random.nextInt(256);
                break;
            case 1:
                member.method = random.nextInt(10);
                break;
            case 2:
                member.magic = (int) ByteMutations.changed(MAGIC, random);
                break;
            case 3:
                member.checksumMore = random.nextInt();
                break;
            case 4:
                member.lengthMore = (int) ByteMutations.changed(0, random);
                break;
            case 5:
                member.headerChecksumMore = random.nextInt(65_536);
                break;
            case 6:
                member.extraLengthMore = random.nextInt(65_536);
                break;
            default:
                break;
        }
        return member.toBytes(random);
    }

    private static final class Member {
        private int flags;
        private final byte[] content;
        private int magic = MAGIC;
        private int method = DEFLATE;
        private int checksumMore;
        private int lengthMore;
        private int headerChecksumMore;
        private int extraLengthMore;

        Member(final int flags, final byte[] content) {
            this.flags = flags;
            this.content = content;
        }

        byte[] toBytes(final Random random) {
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(little(magic, 2));
            out.write(method);
            out.write(flags);
            out.writeBytes(new byte[6]);
            if ((flags & EXTRA) != 0) {
                out.writeBytes(little(3 + extraLengthMore, 2));
                out.writeBytes(new byte[3]);
            }
            if ((flags & NAME) != 0) {
                out.writeBytes("name\0".getBytes(StandardCharsets.US_ASCII));
            }
            if ((flags & COMMENT) != 0) {
                out.writeBytes("\0".getBytes(StandardCharsets.US_ASCII));
            }
            if ((flags & HEADER_CHECKSUM) != 0) {
                out.writeBytes(little(crc(out.toByteArray(), 0, out.size()) + headerChecksumMore, 2));
            }
            final Deflater deflater = new Deflater(random.nextInt(10), true);
            deflater.setInput(content);
            deflater.finish();
            final byte[] packed = new byte[content.length * 2 + 100];
            out.write(packed, 0, deflater.deflate(packed));
            deflater.end();
            out.writeBytes(little(crc(content, 0, content.length) + checksumMore, 4));
            out.writeBytes(little(content.length + lengthMore, 4));
            return out.toByteArray();
        }
    }

    private static byte[] little(final long value, final int length) {
        return Arrays.copyOf(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array(), length);
    }

    private static int crc(final byte[] bytes, final int from, final int to) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    /** Unpacks all members. Zeros behind one are padding; what stands behind them is unpacked too. */
    static Content unpack(final byte[] input) {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        int at = 0;
        boolean unclear = false;
        while (at < input.length) {
            if (at > 0 && isZero(input, at)) {
                unclear = true; // readers may differ on what stands behind padding
                at++;
                continue;
            }
            final int data = dataOffset(input, at);
            if (data < 0) {
                return new Content(unclear ? State.UNCLEAR : State.DAMAGED, content.toByteArray());
            }
            unclear |= (input[at + 3] & 0xFF) > TEXT_FLAGS;
            at = inflate(input, data, content);
            if (at < 0) {
                return new Content(unclear ? State.UNCLEAR : State.DAMAGED, content.toByteArray());
            }
        }
        return new Content(input.length == 0 ? State.DAMAGED : unclear ? State.UNCLEAR : State.WHOLE, content.toByteArray());
    }

    private static boolean isZero(final byte[] bytes, final int from) {
        return bytes[from] == 0;
    }

    /** Where the packed data of a member begins; -1 if its header is not right. */
    private static int dataOffset(final byte[] input, final int start) {
        final ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
        if (input.length - start < FIXED_HEADER_BYTES || (in.getShort(start) & 0xFFFF) != MAGIC || in.get(start + 2) != DEFLATE) {
            return -1;
        }
        final int flags = in.get(start + 3);
        int at = start + FIXED_HEADER_BYTES;
        if ((flags & EXTRA) != 0) {
            at += input.length - at < 2 ? input.length : 2 + (in.getShort(at) & 0xFFFF);
        }
        for (final int flag : new int[] {NAME, COMMENT}) {
            if ((flags & flag) != 0) {
                while (at < input.length && input[at] != 0) {
                    at++;
                }
                at++;
            }
        }
        if ((flags & HEADER_CHECKSUM) != 0) {
            if (input.length - at < 2 || in.getShort(at) != (short) crc(input, start, at)) {
                return -1;
            }
            at += 2;
        }
        return at <= input.length ? at : -1;
    }

    /** Unpacks one member and returns the offset behind it; -1 if it is damaged. */
    private static int inflate(final byte[] input, final int data, final ByteArrayOutputStream content) {
        final Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(input, data, input.length - data);
            final byte[] buffer = new byte[1 << 14];
            final CRC32 crc = new CRC32();
            while (!inflater.finished()) {
                final int count = inflater.inflate(buffer);
                if (count == 0 && !inflater.finished()) {
                    return -1;
                }
                crc.update(buffer, 0, count);
                content.write(buffer, 0, count);
            }
            final int trailer = input.length - inflater.getRemaining();
            if (input.length - trailer < TRAILER_BYTES) {
                return -1;
            }
            final ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
            return in.getInt(trailer) == (int) crc.getValue() && in.getInt(trailer + 4) == (int) inflater.getBytesWritten()
                ? trailer + TRAILER_BYTES : -1;
        } catch (final DataFormatException e) {
            return -1;
        } finally {
            inflater.end();
        }
    }
}
