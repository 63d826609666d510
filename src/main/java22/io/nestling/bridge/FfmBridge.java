/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The native helper through the foreign-function interface: the bridge of JDK 22 and later. Prefetches are
 * critical downcalls (no change of thread state, about 3 ns); mapping and advice, which may take
 * milliseconds, are ordinary ones.
 * <h2>Thread safety</h2>
 * As {@link NativeBridge}.
 */
final class FfmBridge implements NativeBridge {
    static final String NAME = "ffm";
    static final int FIRST_FEATURE_VERSION = 22;

    /* Static finals, so that the compiler inlines the calls. All are null if the library does not load. */
    private static final MethodHandle PREFETCH;
    private static final MethodHandle PREFETCH_VECTOR;
    private static final MethodHandle MAP;
    private static final MethodHandle UNMAP;
    private static final MethodHandle ADVISE;
    private static final BridgeUnavailableException REFUSAL;

    static {
        final Functions functions = new Functions();
        PREFETCH = functions.prefetch;
        PREFETCH_VECTOR = functions.prefetchVector;
        MAP = functions.map;
        UNMAP = functions.unmap;
        ADVISE = functions.advise;
        REFUSAL = functions.refusal;
    }

    private FfmBridge() {
    }

    static NativeBridge open() throws BridgeUnavailableException {
        if (REFUSAL != null) {
            throw REFUSAL;
        }
        return new FfmBridge();
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
        try {
            PREFETCH.invokeExact(address);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public void prefetchVector(final long vector, final int count) {
        try {
            PREFETCH_VECTOR.invokeExact(vector, count);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long map(final long bytes) {
        MappedRegions.checkMapSize(bytes);
        final long result;
        try {
            result = (long) MAP.invokeExact(bytes);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
        if (result < 0) {
            throw MappedRegions.notMapped(result, bytes);
        }
        return result;
    }

    @Override
    public void unmap(final long address, final long bytes) {
        final int errno;
        try {
            errno = (int) UNMAP.invokeExact(address, bytes);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
        if (errno != 0) { // else no call may follow, which could fail: a second attempt would unmap what others have mapped since
            throw MappedRegions.notUnmapped(errno, address, bytes);
        }
    }

    @Override
    public int advise(final long address, final long bytes, final MemoryAdvice advice) {
        try {
            return (int) ADVISE.invokeExact(address, bytes, advice.code());
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    @SuppressWarnings("restricted") // the class loads only where native access is allowed
    public ByteBuffer asByteBuffer(final long address, final int bytes) {
        MappedRegions.checkViewSize(bytes);
        final MemorySegment region = MemorySegment.ofAddress(address).reinterpret(bytes);
        return region.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public long address(final ByteBuffer buffer) {
        return MemorySegment.ofBuffer(buffer).address();
    }

    /** Returns the error to throw for a failed downcall. The C functions throw nothing, so it is an error of the JVM. */
    private static Error unexpected(final Throwable e) {
        return e instanceof Error error ? error : new AssertionError("native call failed", e);
    }

    /** The method handles: all of them, or the reason why the library does not load. */
    private static final class Functions {
        private MethodHandle prefetch;
        private MethodHandle prefetchVector;
        private MethodHandle map;
        private MethodHandle unmap;
        private MethodHandle advise;
        private BridgeUnavailableException refusal;

        Functions() {
            try {
                NativeLibrary.load(this::link);
            } catch (final BridgeUnavailableException e) {
                refusal = e;
            }
        }

        @SuppressWarnings("restricted") // denied: an IllegalCallerException, which load() reports
        private void link(final Path file) {
            final Linker linker = Linker.nativeLinker();
            // The symbols keep the library; once their class loader is collected, the system unmaps it.
            final SymbolLookup library = SymbolLookup.libraryLookup(file, Arena.ofAuto());
            checkVersion(linker.downcallHandle(symbol(library, "nestling_version"), FunctionDescriptor.of(JAVA_INT)));
            final Linker.Option critical = Linker.Option.critical(false);
            prefetch = linker.downcallHandle(symbol(library, "nestling_prefetch"),
                    FunctionDescriptor.ofVoid(JAVA_LONG), critical);
            prefetchVector = linker.downcallHandle(symbol(library, "nestling_prefetch_vector"),
                    FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT), critical);
            map = linker.downcallHandle(symbol(library, "nestling_map"),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
            unmap = linker.downcallHandle(symbol(library, "nestling_unmap"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
            advise = linker.downcallHandle(symbol(library, "nestling_advise"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
        }

        private static void checkVersion(final MethodHandle version) {
            try {
                NativeLibrary.checkVersion((int) version.invokeExact());
            } catch (final Throwable e) {
                throw unexpected(e);
            }
        }

        private static MemorySegment symbol(final SymbolLookup library, final String name) {
            return library.find(name).orElseThrow(() -> new UnsatisfiedLinkError("no function " + name));
        }
    }
}
