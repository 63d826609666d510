/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Unpacks gzip data (RFC 1952) of one or more members and checks all of it. {@link java.util.zip.GZIPInputStream} treats a
 * later member with a damaged header as the end; here only the end of the input is the end. Zero bytes after the last
 * member are padding, as for the program {@code gzip}.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class GzipReader extends InputStream {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int BYTE_MASK = 0xFF;
    private static final int SHORT_MASK = 0xFFFF;
    private static final int FIRST_MAGIC = 0x1F;
    private static final int SECOND_MAGIC = 0x8B;
    private static final int DEFLATE = 8;
    private static final int HEADER_CHECKSUM_FLAG = 1 << 1;
    private static final int EXTRA_FLAG = 1 << 2;
    private static final int NAME_FLAG = 1 << 3;
    private static final int COMMENT_FLAG = 1 << 4;
    private static final int UNKNOWN_FLAGS = 0xE0;
    /* Modification time, compression level, operating system. */
    private static final int UNUSED_HEADER_BYTES = 6;

    private final InputStream input;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    /** Offset in the input of the first byte after the buffer. */
    private long limitOffset;
    private int member;
    private long memberOffset;
    private boolean inMember;

    /** Creates a reader of gzip data before the first member. It reads large pieces, and closes the input. */
    public GzipReader(final InputStream input) {
        this.input = Objects.requireNonNull(input, "input");
    }

    @Override
    public int read() throws IOException {
        final byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & BYTE_MASK;
    }

    /**
     * Reads unpacked bytes. Throws, with the number of the member, an {@link EOFException} if one ends early, a {@link
     * ZipException} if one is damaged, or other data follows it.
     */
    @Override
    public int read(final byte[] target, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        while (inMember || beginMember()) {
            final int count = inflate(target, offset, length);
            if (count > 0) {
                checksum.update(target, offset, count);
                return count;
            }
            endMember();
        }
        return -1;
    }

    /** Returns the number of bytes unpacked, 0 at the end of the member. */
    private int inflate(final byte[] target, final int offset, final int length) throws IOException {
        try {
            int count = inflater.inflate(target, offset, length);
            while (count == 0 && !inflater.finished()) {
                if (inflater.needsDictionary()) {
                    throw damaged("needs a dictionary");
                }
                if (position == limit && !fill()) {
                    throw endsEarly();
                }
                inflater.setInput(buffer, position, limit - position);
                position = limit;
                count = inflater.inflate(target, offset, length);
            }
            return count;
        } catch (final DataFormatException e) {
            throw damaged(e.getMessage());
        }
    }

    /** Reads the header of the next member; returns false if there is none. */
    private boolean beginMember() throws IOException {
        memberOffset = offset();
        int first = nextOrEnd();
        while (member > 0 && first == 0) {
            first = nextOrEnd();
        }
        if (member > 0 && first < 0) {
            return false;
        }
        member++;
        if (first < 0) {
            throw endsEarly();
        }
        checksum.reset();
        checksum.update(first);
        final int second = nextByte();
        if (first != FIRST_MAGIC || second != SECOND_MAGIC) {
            final byte[] found = {(byte) first, (byte) second};
            throw damaged("expected a gzip header (1f 8b) but was " + HexFormat.ofDelimiter(" ").formatHex(found));
        }
        final int method = nextByte();
        final int flags = nextByte();
        if (method != DEFLATE || (flags & UNKNOWN_FLAGS) != 0) {
            throw damaged("expected method 8 and no flags above 1f in its header but was method " + method + ", flags "
                + Integer.toHexString(flags));
        }
        skipHeader(flags);
        checksum.reset();
        inflater.reset();
        inMember = true;
        return true;
    }

    private void skipHeader(final int flags) throws IOException {
        for (int left = UNUSED_HEADER_BYTES; left > 0; left--) {
            nextByte();
        }
        if ((flags & EXTRA_FLAG) != 0) {
            for (int left = nextByte() | nextByte() << Byte.SIZE; left > 0; left--) {
                nextByte();
            }
        }
        for (final int flag : new int[] {NAME_FLAG, COMMENT_FLAG}) {
            while ((flags & flag) != 0 && nextByte() != 0) {
                continue; // text up to a zero byte
            }
        }
        if ((flags & HEADER_CHECKSUM_FLAG) != 0) {
            final long expected = checksum.getValue() & SHORT_MASK;
            if (expected != (nextByte() | nextByte() << Byte.SIZE)) {
                throw damaged("its header has a wrong checksum");
            }
        }
    }

    private void endMember() throws IOException {
        position = limit - inflater.getRemaining();
        final int expected = (int) checksum.getValue();
        if (fourBytes() != expected) {
            throw damaged("wrong checksum");
        }
        if (fourBytes() != (int) inflater.getBytesWritten()) {
            throw damaged("wrong length");
        }
        inMember = false;
    }

    private int fourBytes() throws IOException {
        int word = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            word |= nextByte() << shift;
        }
        return word;
    }

    private int nextByte() throws IOException {
        final int next = nextOrEnd();
        if (next < 0) {
            throw endsEarly();
        }
        checksum.update(next);
        return next;
    }

    private int nextOrEnd() throws IOException {
        return position == limit && !fill() ? -1 : buffer[position++] & BYTE_MASK;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(0, input.read(buffer));
        limitOffset += limit;
        return limit > 0;
    }

    private long offset() {
        return limitOffset - (limit - position);
    }

    private EOFException endsEarly() {
        return new EOFException("in " + location());
    }

    private ZipException damaged(final String problem) {
        return new ZipException(location() + ": " + problem);
    }

    private String location() {
        return "member " + member + " from byte " + memberOffset;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        input.close();
    }
}
