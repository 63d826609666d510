/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.nio.ByteBuffer;

/**
 * The bridge without native code, used if neither FFM nor JNI loads. Memory then comes from the JDK,
 * and early loads replace prefetches; every method but {@link #name()} and {@link #isNative()}
 * throws {@link UnsupportedOperationException}.
 * <h2>Thread safety</h2>
 * As {@link NativeBridge}.
 */
final class JavaBridge implements NativeBridge {
    static final String NAME = "java";

    private JavaBridge() {
    }

    static NativeBridge open() {
        return new JavaBridge();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isNative() {
        return false;
    }

    @Override
    public void prefetch(final long address) {
        throw refused("prefetch");
    }

    @Override
    public void prefetchVector(final long vector, final int count) {
        throw refused("prefetchVector");
    }

    @Override
    public long map(final long bytes) {
        throw refused("map");
    }

    @Override
    public void unmap(final long address, final long bytes) {
        throw refused("unmap");
    }

    @Override
    public int advise(final long address, final long bytes, final MemoryAdvice advice) {
        throw refused("advise");
    }

    @Override
    public ByteBuffer asByteBuffer(final long address, final int bytes) {
        throw refused("asByteBuffer");
    }

    @Override
    public long address(final ByteBuffer buffer) {
        throw refused("address");
    }

    private static UnsupportedOperationException refused(final String method) {
        return new UnsupportedOperationException("the bridge '" + NAME + "' runs no native code: " + method);
    }
}
