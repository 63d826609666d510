/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * The source of the secret numbers that make hashes unpredictable to those who choose keys.
 * <h2>Thread safety</h2>
 * Any thread.
 */
public final class SecretSource {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final SecureRandom RANDOM = new SecureRandom();

    private SecretSource() {
    }

    /**
     * Returns an unpredictable number. It takes microseconds, and milliseconds at the first call of a process.
     *
     * @return 64 random bits
     */
    public static long nextLong() {
        final byte[] bytes = new byte[Long.BYTES];
        RANDOM.nextBytes(bytes);
        return (long) LONGS.get(bytes, 0);
    }
}
