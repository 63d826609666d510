/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Values of one length that hold a payload: in the first eight bytes, little endian. The bytes behind it do not compress.
 * <h2>Thread safety</h2>
 * Immutable.
 */
public final class Values {
    /** Least length of a value. */
    public static final int MIN_BYTES = Long.BYTES;
    /** Greatest length of a value. */
    public static final int MAX_BYTES = 1 << 20;

    private static final VarHandle PAYLOAD =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    /* Values of different payloads have different parts of the filler. */
    private static final int FILLER_OFFSETS = 1 << 16;

    private final int bytes;
    private final byte[] filler;

    /** Prepares values of {@link #MIN_BYTES} to {@link #MAX_BYTES} bytes. */
    public Values(final int bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("values of " + bytes + " bytes: expected " + MIN_BYTES + " to " + MAX_BYTES);
        }
        this.bytes = bytes;
        this.filler = new byte[FILLER_OFFSETS + bytes];
        new SplittableRandom(bytes).nextBytes(filler);
    }

    /** Returns the length of a value in bytes. */
    public int bytes() {
        return bytes;
    }

    /** Returns the value of a payload. */
    public byte[] of(final long payload) {
        final byte[] value = new byte[bytes];
        write(payload, value);
        return value;
    }

    /** Writes the value of a payload to an array of its length. */
    void write(final long payload, final byte[] value) {
        PAYLOAD.set(value, 0, payload);
        System.arraycopy(filler, (int) payload & FILLER_OFFSETS - 1, value, Long.BYTES, bytes - Long.BYTES);
    }

    /** Returns the payload of a value: the number in its first eight bytes. */
    public static long payload(final byte[] value) {
        return (long) PAYLOAD.get(value, 0);
    }
}
