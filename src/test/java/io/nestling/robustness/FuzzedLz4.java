/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.testing.ByteMutations;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/** Files of LZ4 frames: a writer that can also write wrong ones, and a plain reader that tells right ones from wrong ones. */
final class FuzzedLz4 {
    private static final int MAGIC = 0x184D2204;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int LEGACY_MAGIC = 0x184C2102;
    private static final int STORED_FLAG = 1 << 31;
    private static final int VERSION_1 = 1 << 6;
    private static final int INDEPENDENT = 1 << 5;
    private static final int BLOCK_CHECKSUM = 1 << 4;
    private static final int CONTENT_SIZE = 1 << 3;
    private static final int CONTENT_CHECKSUM = 1 << 2;
    private static final int RESERVED = 0x8F;
    private static final int SMALLEST_BLOCK_CODE = 4;
    private static final XXHash32 HASH = XXHashFactory.safeInstance().hash32();
    private static final LZ4Factory LZ4 = LZ4Factory.safeInstance();
    private static final byte[] TEXT =
        "abc\nabcdefgh\n\nabcdefghijklmnopqrstuvwxyz\tabcdefgh\n".getBytes(StandardCharsets.US_ASCII);

    private FuzzedLz4() {
    }

    static List<byte[]> seeds(final Random random) {
        final List<byte[]> seeds = new ArrayList<>();
        for (int flags = 0; flags < 8; flags++) {
            final byte[] content = new byte[random.nextInt(1 << 2 * flags)];
            for (int i = 0; i < content.length; i++) {
                content[i] = TEXT[(i + i / 100) % TEXT.length];
            }
            seeds.add(new Frame(VERSION_1 | INDEPENDENT | flags << 2, SMALLEST_BLOCK_CODE + flags % 4, content).toBytes());
        }
        return seeds;
    }

    /** Adds a frame that is right but for at most one thing, or changes bytes. */
    static byte[] mutate(final byte[] input, final byte[] other, final Random random) {
        switch (random.nextInt(6)) {
            case 0:
                return ByteMutations.change(input, other, random);
            case 1:
                return ByteMutations.replace(input, input.length, input.length, other);
            case 2:
                return Arrays.copyOf(input, random.nextInt(input.length + 1));
            case 3:
                return ByteMutations.replace(input, 0, random.nextBoolean() ? 0 : input.length, skippable(random));
            default:
                final byte[] frame = frame(random).toBytes();
                return random.nextInt(3) == 0 ? ByteMutations.replace(input, input.length, input.length, frame) : frame;
        }
    }

    private static byte[] skippable(final Random random) {
        final int length = random.nextInt(20);
        final int said = random.nextInt(4) == 0 ? (int) ByteMutations.changed(length, random) : length;
        return ByteBuffer.allocate(2 * Integer.BYTES + length).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(SKIPPABLE_MAGIC + random.nextInt(16)).putInt(said).array();
    }

    private static Frame frame(final Random random) {
        final byte[] content = new byte[random.nextInt(1 << 1 + random.nextInt(18))];
        for (int i = 0; i < content.length; i++) {
            content[i] = random.nextInt(50) == 0 ? (byte) random.nextInt() : TEXT[i % TEXT.length];
        }
        final Frame frame = new Frame(VERSION_1 | INDEPENDENT | random.nextInt(8) << 2,
            SMALLEST_BLOCK_CODE + random.nextInt(4), content);
        switch (random.nextInt(12)) {
            case 0:
                frame.flags = random.nextInt(256);
                break;
            case 1:
                frame.blockCode = random.nextInt(8);
                break;
            case 2:
                frame.blockSizeMore = (int) ByteMutations.changed(0, random);
                break;
            case 3:
                frame.contentSizeMore = ByteMutations.changed(0, random);
                break;
            case 4:
                frame.checksumMore = random.nextInt();
                break;
            case 5:
                frame.blockChecksumMore = random.nextInt();
                break;
            case 6:
                frame.headerChecksumMore = random.nextInt(256);
                break;
            case 7:
                frame.magic = random.nextBoolean() ? LEGACY_MAGIC : MAGIC ^ 1 << random.nextInt(Integer.SIZE);
                break;
            case 8:
                frame.changeAt = random.nextInt(Integer.MAX_VALUE);
                break;
            case 9:
                frame.endMark = random.nextBoolean();
                break;
            case 10:
                frame.pieceBytes = 1 + random.nextInt(8 << 20);
                break;
            default:
                break;
        }
        return frame;
    }

    private static final class Frame {
        private int flags;
        private int blockCode;
        private final byte[] content;
        private int magic = MAGIC;
        private int pieceBytes;
        private int blockSizeMore;
        private long contentSizeMore;
        private int checksumMore;
        private int blockChecksumMore;
        private int headerChecksumMore;
        private int changeAt = -1;
        private boolean endMark = true;

        Frame(final int flags, final int blockCode, final byte[] content) {
            this.flags = flags;
            this.blockCode = blockCode;
            this.content = content;
            this.pieceBytes = maxBlockBytes(blockCode);
        }

        byte[] toBytes() {
            final ByteBuffer out = ByteBuffer.allocate(64 + content.length + content.length / 16
                + 64 * (1 + content.length / pieceBytes)).order(ByteOrder.LITTLE_ENDIAN);
            out.putInt(magic).put((byte) flags).put((byte) (blockCode << 4));
            if ((flags & CONTENT_SIZE) != 0) {
                out.putLong(content.length + contentSizeMore);
            }
            final int header = out.position() - Integer.BYTES;
            out.put((byte) ((HASH.hash(out.array(), Integer.BYTES, header, 0) >> 8) + headerChecksumMore));
            for (int at = 0; at < content.length; at += pieceBytes) {
                putBlock(out, Arrays.copyOfRange(content, at, Math.min(content.length, at + pieceBytes)));
            }
            if (endMark) {
                out.putInt(0);
                if ((flags & CONTENT_CHECKSUM) != 0) {
                    out.putInt(HASH.hash(content, 0, content.length, 0) + checksumMore);
                }
            }
            return Arrays.copyOf(out.array(), out.position());
        }

        private void putBlock(final ByteBuffer out, final byte[] piece) {
            final byte[] packed = LZ4.fastCompressor().compress(piece);
            final boolean stored = packed.length >= piece.length;
            final byte[] block = stored ? piece : packed;
            if (changeAt >= 0) {
                block[changeAt % block.length] ^= (byte) (1 + (changeAt >> 8 & 0x7F));
            }
            out.putInt((block.length | (stored ? STORED_FLAG : 0)) + blockSizeMore);
            out.put(block);
            if ((flags & BLOCK_CHECKSUM) != 0) {
                out.putInt(HASH.hash(block, 0, block.length, 0) + blockChecksumMore);
            }
        }
    }

    private static int maxBlockBytes(final int code) {
        return 1 << 2 * code + 8;
    }

    /** Unpacks all frames; null if one of them is not whole, not right, or of a kind that is not supported. */
    static byte[] unpack(final byte[] input) {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        final ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
        try {
            do {
                final int magic = in.getInt();
                if (magic >>> 4 == SKIPPABLE_MAGIC >>> 4) {
                    final long length = in.getInt() & 0xFFFF_FFFFL;
                    if (length > in.remaining()) {
                        return null;
                    }
                    in.position(in.position() + (int) length);
                } else if (magic != MAGIC || !unpackFrame(in, content)) {
                    return null;
                }
            } while (in.hasRemaining());
            return content.toByteArray();
        } catch (final BufferUnderflowException | LZ4Exception e) {
            return null;
        }
    }

    private static boolean unpackFrame(final ByteBuffer in, final ByteArrayOutputStream content) {
        final int header = in.position();
        final int flags = in.get() & 0xFF;
        final int descriptor = in.get() & 0xFF;
        final int start = content.size();
        final long size = (flags & CONTENT_SIZE) != 0 ? in.getLong() : -1;
        final byte checksum = (byte) (HASH.hash(in.array(), header, in.position() - header, 0) >> 8);
        if (in.get() != checksum || (flags & (INDEPENDENT | VERSION_1 * 3 | 3)) != (INDEPENDENT | VERSION_1)
            || (descriptor & RESERVED) != 0 || descriptor >> 4 < SMALLEST_BLOCK_CODE) {
            return false;
        }
        final int most = maxBlockBytes(descriptor >> 4);
        for (int word = in.getInt(); (word & ~STORED_FLAG) != 0; word = in.getInt()) {
            final int length = word & ~STORED_FLAG;
            if (length > most || length > in.remaining()) {
                return false;
            }
            final byte[] block = new byte[length];
            in.get(block);
            if ((flags & BLOCK_CHECKSUM) != 0 && in.getInt() != HASH.hash(block, 0, length, 0)) {
                return false;
            }
            content.writeBytes(word < 0 ? block : LZ4.safeDecompressor().decompress(block, most));
        }
        final byte[] all = content.toByteArray();
        return ((flags & CONTENT_CHECKSUM) == 0 || in.getInt() == HASH.hash(all, start, all.length - start, 0))
            && ((flags & CONTENT_SIZE) == 0 || size == all.length - start);
    }
}
