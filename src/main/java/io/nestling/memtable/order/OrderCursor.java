/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.index.EntryCursor;

/**
 * A cursor over the sorted keys of an unordered index, with the payloads of the index. A move that positions takes the newest
 * runs; steps go on in them.
 * <h2>Thread safety</h2>
 * One thread. Others may write and sort meanwhile; a position is valid within one guard.
 */
final class OrderCursor implements EntryCursor {
    private final LazyKeySorter sorter;
    private LazyKeySorter.Runs runs;
    private EntryCursor merged;
    private boolean closed;

    OrderCursor(final LazyKeySorter sorter) {
        this.sorter = sorter;
        take();
    }

    private EntryCursor take() {
        if (closed) {
            throw new IllegalStateException("the cursor is closed");
        }
        final LazyKeySorter.Runs newest = sorter.runs();
        if (newest != runs) {
            runs = newest;
            merged = sorter.cursor(newest);
        }
        return merged;
    }

    @Override
    public boolean first() {
        return take().first();
    }

    @Override
    public boolean last() {
        return take().last();
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return take().seek(key, offset, length);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return take().seekLowerThan(key, offset, length);
    }

    @Override
    public boolean next() {
        return step(true);
    }

    @Override
    public boolean previous() {
        return step(false);
    }

    /** Moves to another key: a key that two threads added at once may be in the runs twice. */
    private boolean step(final boolean forward) {
        if (!merged.valid()) {
            return false;
        }
        final int length = merged.keyLength();
        boolean more;
        do {
            more = forward ? merged.next() : merged.previous();
        } while (more && merged.commonPrefix() == length && merged.keyLength() == length);
        return more;
    }

    @Override
    public boolean valid() {
        return merged.valid();
    }

    @Override
    public byte[] keyBuffer() {
        return merged.keyBuffer();
    }

    @Override
    public int keyLength() {
        return merged.keyLength();
    }

    @Override
    public int commonPrefix() {
        return merged.commonPrefix();
    }

    /** Returns the pointer of the newest record of the key. */
    @Override
    public long payload() {
        return sorter.newest(merged.payload(), merged.keyBuffer(), merged.keyLength());
    }

    @Override
    public void close() {
        closed = true;
        merged.close();
    }
}
