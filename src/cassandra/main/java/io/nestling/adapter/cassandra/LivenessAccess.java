/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.LivenessInfo;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Creates and reads {@link LivenessInfo}, a class in Cassandra 5.0 and an interface in 6.0: a call compiled against
 * one does not link against the other. Method handles link against both and cost the same.
 */
final class LivenessAccess {
    private static final MethodHandle TIMESTAMP = virtual("timestamp", long.class);
    private static final MethodHandle TTL = virtual("ttl", int.class);
    private static final MethodHandle EXPIRATION = virtual("localExpirationTime", long.class);
    private static final MethodHandle WITH_EXPIRATION = withExpiration();

    private LivenessAccess() {
    }

    private static MethodHandle virtual(final String name, final Class<?> type) {
        try {
            return MethodHandles.publicLookup().findVirtual(LivenessInfo.class, name, MethodType.methodType(type));
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static MethodHandle withExpiration() {
        try {
            return MethodHandles.publicLookup().findStatic(
                LivenessInfo.class, "withExpirationTime",
                MethodType.methodType(LivenessInfo.class, long.class, int.class, long.class));
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static boolean isEmpty(final LivenessInfo info) {
        return timestamp(info) == LivenessInfo.NO_TIMESTAMP;
    }

    static long timestamp(final LivenessInfo info) {
        try {
            return (long) TIMESTAMP.invokeExact(info);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static int ttl(final LivenessInfo info) {
        try {
            return (int) TTL.invokeExact(info);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static long expiration(final LivenessInfo info) {
        try {
            return (long) EXPIRATION.invokeExact(info);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** Returns a liveness with a time to live, which may be 0 for none. */
    static LivenessInfo of(final long timestamp, final int ttl, final long expiration) {
        try {
            return (LivenessInfo) WITH_EXPIRATION.invokeExact(timestamp, ttl, expiration);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    private static RuntimeException failed(final Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }
}
