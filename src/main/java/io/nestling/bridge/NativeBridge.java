/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.nio.ByteBuffer;

/**
 * The native helper: prefetches cache lines, maps memory on huge pages and advises the kernel about it.
 * <p>
 * It holds no logic of any data structure. {@link NativeBridges} chooses one implementation per process: the
 * foreign-function interface on JDK 22 and later, JNI before, pure Java if neither loads.
 * <p>
 * Addresses are machine addresses. The caller keeps the owner of the memory reachable and open during a call;
 * a prefetch of an address that is not mapped is harmless, every other call on such an address is an error.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread at any time.
 */
public interface NativeBridge {
    /** Bytes of one huge page on the supported platforms; mapped regions start at a multiple of this. */
    long HUGE_PAGE_BYTES = 2L << 20;

    /** Returns the name of this bridge: {@code ffm}, {@code jni} or {@code java}. */
    String name();

    /** Returns whether this bridge runs native code: only then may methods other than this one and {@link #name()} be called. */
    boolean isNative();

    /** Prefetches the cache line of an address. */
    void prefetch(long address);

    /** Prefetches a vector of cache lines in one call: that many consecutive 64-bit addresses in native byte order. */
    void prefetchVector(long vector, int count);

    /**
     * Maps zeroed private memory that is taken only as it is touched, and asks for huge pages. Size and address are multiples of
     * {@link #HUGE_PAGE_BYTES}. Throws an {@link OutOfMemoryError} if the kernel refuses.
     */
    long map(long bytes);

    /** Unmaps a region of {@link #map}, of the size that it was mapped with. */
    void unmap(long address, long bytes);

    /**
     * Advises the kernel about a range that begins with a page. Returns 0, or the errno of the refusal; a refusal does no harm.
     */
    int advise(long address, long bytes, MemoryAdvice advice);

    /**
     * Returns a direct buffer over mapped memory, in native byte order. It does not own the memory: access after {@link #unmap}
     * is undefined, so that the buffer must never leave the owner that unmaps.
     */
    ByteBuffer asByteBuffer(long address, int bytes);

    /**
     * Returns the machine address of byte 0 of a direct buffer. The buffer must be kept reachable while the address is in use.
     */
    long address(ByteBuffer buffer);
}
