/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer.cassandra;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;

import org.apache.cassandra.db.tries.Trie;
import org.apache.cassandra.db.tries.TriePathReconstructor;

/**
 * Entries of a trie in order, one at a time, by the trie's own cursor: nothing is allocated for an entry, and its key is read
 * where the walk has spelled it. The cursor is reached by method handles, because its making differs between the versions:
 * {@code cursor()} in 5.0, {@code cursor(Direction)} in 6.0.
 */
final class Entries extends TriePathReconstructor {
    private static final MethodHandle CURSOR;
    private static final MethodHandle CONTENT;
    private static final MethodHandle ADVANCE;

    static {
        try {
            final Method cursor = Arrays.stream(Trie.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("cursor")).findFirst().orElseThrow();
            cursor.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(cursor);
            if (cursor.getParameterCount() > 0) {
                final Object forward = cursor.getParameterTypes()[0].getField("FORWARD").get(null);
                handle = MethodHandles.insertArguments(handle, 1, forward);
            }
            CURSOR = handle.asType(MethodType.methodType(Object.class, Trie.class));
            CONTENT = cursorMethod(cursor.getReturnType(), "content")
                .asType(MethodType.methodType(Object.class, Object.class));
            ADVANCE = cursorMethod(cursor.getReturnType(), "advanceToContent")
                .asType(MethodType.methodType(Object.class, Object.class, Entries.class));
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object cursor;
    private Object value;
    private boolean started;
    private int commonPrefix;

    Entries(final Trie<Object> trie) {
        try {
            cursor = (Object) CURSOR.invokeExact(trie);
        } catch (final Throwable e) {
            throw failure(e);
        }
    }

    private static MethodHandle cursorMethod(final Class<?> type, final String name) throws ReflectiveOperationException {
        final Method found = Arrays.stream(type.getDeclaredMethods())
            .filter(method -> method.getName().equals(name)).findFirst().orElseThrow();
        found.setAccessible(true);
        return MethodHandles.lookup().unreflect(found);
    }

    private static RuntimeException failure(final Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }

    /** Called on each way up: the shortest path on the way to the next key is what the two have in common. */
    @Override
    public void resetPathLength(final int newLength) {
        commonPrefix = Math.min(commonPrefix, newLength);
        super.resetPathLength(newLength);
    }

    /**
     * Moves to the next entry, at first to the first.
     *
     * @return false if there is none
     */
    boolean advance() {
        commonPrefix = keyPos;
        try {
            if (!started) {
                started = true;
                value = (Object) CONTENT.invokeExact(cursor);
                if (value != null) {
                    return true; // the empty key
                }
            }
            value = (Object) ADVANCE.invokeExact(cursor, this);
        } catch (final Throwable e) {
            throw failure(e);
        }
        return value != null;
    }

    /** Value of the current entry. */
    Object value() {
        return value;
    }

    /** Buffer that begins with the key of the current entry. */
    byte[] keyBuffer() {
        return keyBytes;
    }

    /** Length of the key of the current entry. */
    int keyLength() {
        return keyPos;
    }

    /** Bytes that the key shares with the one before; only after the second call of {@link #advance}. */
    int commonPrefix() {
        return commonPrefix;
    }
}
