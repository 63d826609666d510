/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** Does what another index does, so that a subclass can do one thing wrong. */
class ForwardingIndex implements OrderedIndex {
    private final OrderedIndex index;

    ForwardingIndex(final OrderedIndex index) {
        this.index = index;
    }

    OrderedIndex forwardedTo() {
        return index;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        return index.get(key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        index.getAll(keys, payloads);
    }

    @Override
    public void prefetchAll(final KeyBatch keys) {
        index.prefetchAll(keys);
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        return index.put(key, offset, length, payload);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        return index.remove(key, offset, length);
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        index.reserve(entries, keyBytes);
    }

    @Override
    public long entryCount() {
        return index.entryCount();
    }

    @Override
    public long bytesUsed() {
        return index.bytesUsed();
    }

    @Override
    public void verify() {
        index.verify();
    }

    @Override
    public EntryCursor cursor() {
        return index.cursor();
    }

    @Override
    public void close() {
        index.close();
    }
}
