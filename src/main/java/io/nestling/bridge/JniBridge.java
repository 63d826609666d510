/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The native helper through JNI: the bridge of JDK 17 to 21. All calls but those about buffers pass only primitives.
 * <h2>Thread safety</h2>
 * As {@link NativeBridge}.
 */
final class JniBridge implements NativeBridge {
    static final String NAME = "jni";

    private static boolean loaded;

    private JniBridge() {
    }

    static synchronized NativeBridge open() throws BridgeUnavailableException {
        if (!loaded) {
            NativeLibrary.load(file -> {
                System.load(file.toString());
                NativeLibrary.checkVersion(version());
            });
            loaded = true;
        }
        return new JniBridge();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isNative() {
        return true;
    }

    @Override
    public void prefetch(final long address) {
        line(address);
    }

    @Override
    public void prefetchVector(final long vector, final int count) {
        vector(vector, count);
    }

    @Override
    public long map(final long bytes) {
        MappedRegions.checkMapSize(bytes);
        final long result = mapRegion(bytes);
        if (result < 0) {
            throw MappedRegions.notMapped(result, bytes);
        }
        return result;
    }

    @Override
    public void unmap(final long address, final long bytes) {
        final int errno = unmapRegion(address, bytes);
        if (errno != 0) { // else no call may follow, which could fail: a second attempt would unmap what others have mapped since
            throw MappedRegions.notUnmapped(errno, address, bytes);
        }
    }

    @Override
    public int advise(final long address, final long bytes, final MemoryAdvice advice) {
        return adviseRange(address, bytes, advice.code());
    }

    @Override
    public ByteBuffer asByteBuffer(final long address, final int bytes) {
        MappedRegions.checkViewSize(bytes);
        return view(address, bytes).order(ByteOrder.nativeOrder());
    }

    @Override
    public long address(final ByteBuffer buffer) {
        return addressOf(buffer);
    }

    private static native int version();

    private static native void line(long address);

    private static native void vector(long vector, int count);

    private static native long mapRegion(long bytes);

    private static native int unmapRegion(long address, long bytes);

    private static native int adviseRange(long address, long bytes, int advice);

    private static native ByteBuffer view(long address, int bytes);

    private static native long addressOf(ByteBuffer buffer);
}
