/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;
import java.util.List;

/**
 * A cursor over a list, for tests of cursors that work on cursors. Unlike a real one it shows payload, value
 * and sequence number of its entries, may show a key more than once, and allocates nothing when it moves.
 */
class ListCursor implements EntryCursor {
    private static final int NOWHERE = -1;

    private final List<Item> items;
    private int position = NOWHERE;
    private int commonPrefix;
    private int timesClosed;

    /**
     * An entry.
     *
     * @param key its key
     * @param payload its payload
     * @param sequence its sequence number
     * @param value its value, null for a tombstone
     */
    record Item(byte[] key, long payload, long sequence, byte[] value) {
    }

    /** A cursor over items sorted by key. */
    ListCursor(final List<Item> items) {
        this.items = items;
    }

    static Item item(final byte[] key, final long payload) {
        return new Item(key, payload, payload, key);
    }

    int timesClosed() {
        return timesClosed;
    }

    private boolean jump(final int target) {
        position = target < items.size() ? target : NOWHERE;
        commonPrefix = 0;
        return position != NOWHERE;
    }

    private boolean step(final int target) {
        if (position == NOWHERE || target < 0 || target >= items.size()) {
            position = NOWHERE;
            return false;
        }
        commonPrefix = IndexFixture.commonPrefix(items.get(position).key, items.get(target).key);
        position = target;
        return true;
    }

    private int lowerBound(final byte[] key, final int offset, final int length) {
        int i = 0;
        while (i < items.size() && compare(items.get(i).key, key, offset, length) < 0) {
            i++;
        }
        return i;
    }

    private static int compare(final byte[] own, final byte[] key, final int offset, final int length) {
        return Arrays.compareUnsigned(own, 0, own.length, key, offset, offset + length);
    }

    @Override
    public boolean first() {
        return jump(0);
    }

    @Override
    public boolean last() {
        return jump(items.size() - 1);
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return jump(lowerBound(key, offset, length));
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return jump(lowerBound(key, offset, length) - 1);
    }

    @Override
    public boolean next() {
        return step(position + 1);
    }

    @Override
    public boolean previous() {
        return step(position - 1);
    }

    @Override
    public boolean valid() {
        return position != NOWHERE;
    }

    private Item validItem() {
        if (position == NOWHERE) {
            throw new IllegalStateException("the cursor is not on an entry");
        }
        return items.get(position);
    }

    @Override
    public byte[] keyBuffer() {
        return validItem().key;
    }

    @Override
    public int keyLength() {
        return validItem().key.length;
    }

    @Override
    public int commonPrefix() {
        validItem();
        return commonPrefix;
    }

    @Override
    public long payload() {
        return validItem().payload;
    }

    @Override
    public int valueLength() {
        return validItem().value == null ? 0 : validItem().value.length;
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        System.arraycopy(validItem().value, 0, destination, offset, valueLength());
        return valueLength();
    }

    @Override
    public long sequence() {
        return validItem().sequence;
    }

    @Override
    public EntryKind kind() {
        return validItem().value == null ? EntryKind.TOMBSTONE : EntryKind.VALUE;
    }

    @Override
    public void close() {
        timesClosed++;
    }
}
