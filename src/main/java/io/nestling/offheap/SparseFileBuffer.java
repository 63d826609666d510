/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.SpaceExhaustedException;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Memory without native code: a private mapping of a sparse temporary file, which takes pages only as they
 * are written and never writes the file, or a direct buffer if no file can be made. It can be unmapped at once.
 */
final class SparseFileBuffer {
    private static final MethodHandle INVOKE_CLEANER = invokeCleaner();

    private SparseFileBuffer() {
    }

    static ByteBuffer map(final long bytes) {
        if (!TemporaryFiles.LAZY) {
            return allocate(bytes, null);
        }
        try {
            return TemporaryFiles.map(channel -> channel.map(FileChannel.MapMode.PRIVATE, 0, bytes))
                .order(ByteOrder.LITTLE_ENDIAN);
        } catch (final IOException e) {
            return allocate(bytes, e);
        }
    }

    static ByteBuffer allocate(final long bytes, final IOException cause) {
        try {
            return ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        } catch (final OutOfMemoryError e) {
            throw new SpaceExhaustedException(bytes + " bytes can neither be mapped ("
                + (cause == null ? "temporary files lie in memory" : cause)
                + ") nor allocated (" + e + "): set -Djava.io.tmpdir=DIRECTORY on a disk, or a larger -XX:MaxDirectMemorySize");
        }
    }

    static void unmap(final ByteBuffer buffer) {
        if (INVOKE_CLEANER == null) {
            return; // the garbage collector unmaps it
        }
        try {
            INVOKE_CLEANER.invoke(buffer);
        } catch (final UnsupportedOperationException e) {
            return; // denied, in a jar that lost its part for later JDKs: the garbage collector unmaps it
        } catch (final Throwable e) {
            throw new IllegalStateException("cannot release a direct buffer of " + buffer.capacity()
                + " bytes", e);
        }
    }

    private static MethodHandle invokeCleaner() {
        // The one supported way to free a direct buffer before JDK 22. Nothing else of this class is used.
        try {
            final Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            final java.lang.reflect.Field field = unsafe.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return MethodHandles.lookup()
                .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                .bindTo(field.get(null));
        } catch (final ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
