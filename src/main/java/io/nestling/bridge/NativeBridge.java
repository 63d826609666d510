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

    /**
     * Returns the name of this bridge: {@code ffm}, {@code jni} or {@code java}.
     *
     * @return the lower-case name
     */
    String name();

    /**
     * Returns whether this bridge runs native code: only then may methods other than this one and {@link #name()} be
     * called.
     *
     * @return false for the pure Java bridge
     */
    boolean isNative();

    /**
     * Prefetches one cache line.
     *
     * @param address any address in the line
     */
    void prefetch(long address);

    /**
     * Prefetches two cache lines.
     *
     * @param address0 an address in the first line
     * @param address1 an address in the second line
     */
    void prefetch(long address0, long address1);

    /**
     * Prefetches three cache lines.
     *
     * @param address0 an address in the first line
     * @param address1 an address in the second line
     * @param address2 an address in the third line
     */
    void prefetch(long address0, long address1, long address2);

    /**
     * Prefetches a vector of cache lines in one call.
     *
     * @param vector address of {@code count} consecutive 64-bit addresses in native byte order
     * @param count number of addresses, at least 0
     */
    void prefetchVector(long vector, int count);

    /**
     * Prefetches consecutive cache lines.
     *
     * @param address any address in the first line
     * @param lines number of lines, at least 0
     */
    void prefetchLines(long address, int lines);

    /**
     * Maps zeroed private memory that is taken only as it is touched, and asks for huge pages.
     *
     * @param bytes size, a positive multiple of {@link #HUGE_PAGE_BYTES}
     * @return address of the region, a multiple of {@link #HUGE_PAGE_BYTES}
     * @throws OutOfMemoryError if the kernel refuses
     */
    long map(long bytes);

    /**
     * Unmaps a region of {@link #map}.
     *
     * @param address the address that {@code map} returned
     * @param bytes the size passed to {@code map}
     */
    void unmap(long address, long bytes);

    /**
     * Advises the kernel about a range.
     *
     * @param address start, a multiple of the page size
     * @param bytes length in bytes
     * @param advice the advice
     * @return 0, or the errno of the refusal; a refusal does no harm
     */
    int advise(long address, long bytes, MemoryAdvice advice);

    /**
     * Returns a direct buffer over mapped memory. It does not own the memory: access after {@link #unmap} is
     * undefined, so that the buffer must never leave the owner that unmaps.
     *
     * @param address start of the range
     * @param bytes length, at most {@link Integer#MAX_VALUE}
     * @return the view in native byte order
     */
    ByteBuffer asByteBuffer(long address, int bytes);

    /**
     * Returns the machine address of a direct buffer. The buffer must be kept reachable while the address is in use.
     *
     * @param buffer a direct buffer
     * @return address of its byte 0
     */
    long address(ByteBuffer buffer);
}
