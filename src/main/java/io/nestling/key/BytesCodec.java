/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import io.nestling.bytes.ByteComparison;

/** Byte strings in the form of {@link EscapeLayout}. */
final class BytesCodec implements Codec<byte[]> {
    static final String NAME = "bytes";

    static void encodeRange(final byte[] source, final int offset, final int length, final KeyBuffer out) {
        final int end = offset + length;
        int zeros = 0;
        for (int i = offset; i < end; i++) {
            zeros += source[i] == 0 ? 1 : 0;
        }
        out.reserve((long) length + zeros + EscapeLayout.END_BYTES, NAME);
        if (zeros == 0) {
            out.put(source, offset, length);
        } else {
            putEscaped(source, offset, end, out);
        }
        EscapeLayout.putEnd(out);
    }

    private static void putEscaped(final byte[] source, final int offset, final int end, final KeyBuffer out) {
        for (int i = offset; i < end; i++) {
            if (source[i] == 0) {
                EscapeLayout.putZero(out);
            } else {
                out.put(source[i]);
            }
        }
    }

    @Override
    public void encode(final byte[] value, final KeyBuffer out) {
        encodeRange(value, 0, value.length, out);
    }

    @Override
    public byte[] decode(final KeyInput in) {
        final int start = in.position();
        int length = 0;
        while (in.next(NAME) != EscapeLayout.ESCAPE || !EscapeLayout.isEnd(in, NAME)) {
            length++;
        }
        final byte[] value = new byte[length];
        in.seek(start);
        for (int i = 0; i < length; i++) {
            value[i] = (byte) in.next(NAME);
            if (value[i] == EscapeLayout.ESCAPE) {
                in.next(NAME);
            }
        }
        in.seek(in.position() + EscapeLayout.END_BYTES);
        return value;
    }

    @Override
    public int compare(final byte[] left, final byte[] right) {
        return ByteComparison.compare(left, right);
    }
}
