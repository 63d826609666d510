/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.offheap.KeySource;

import java.util.Arrays;

/**
 * A cursor that knows its entry and the one before by their payloads, and reads their keys on request.
 * <h2>Thread safety</h2>
 * One thread.
 */
public abstract class LazyKeyCursor extends PositionedCursor {
    private static final int INITIAL_KEY_BYTES = 64;

    private final KeySource keys;
    /* The entry and the one before. They swap by number, as storing a reference costs more. */
    private final Entry[] entries = {new Entry(), new Entry()};
    private int own;

    /**
     * Creates an unpositioned cursor.
     *
     * @param keys source of the keys
     */
    @SuppressWarnings("exports") // for the indexes of this module
    protected LazyKeyCursor(final KeySource keys) {
        this.keys = keys;
    }

    /** Forgets the entry before, as a positioning move does. */
    protected final void forgetBefore() {
        entries[own ^ 1].payload = PointIndex.NONE;
    }

    /** Makes the entry the one before; {@link #enter} follows. */
    protected final void leave() {
        own ^= 1;
    }

    /**
     * Enters an entry.
     *
     * @param payload its payload; negative if there is none, so that the cursor is not valid
     * @return whether the cursor is valid now
     */
    protected final boolean enter(final long payload) {
        final Entry entry = entries[own];
        entry.payload = payload;
        entry.isLoaded = false;
        valid = payload >= 0;
        return valid;
    }

    /**
     * Returns the key of the entry before, which must be known.
     *
     * @return an array that begins with the key
     */
    protected final byte[] keyBefore() {
        return load(entries[own ^ 1]).key;
    }

    /**
     * Returns the length of the key of the entry before, which must be known.
     *
     * @return bytes
     */
    protected final int keyBeforeLength() {
        return load(entries[own ^ 1]).keyLength;
    }

    /**
     * Called when a key was read, as a sign that the keys of further entries will be, too.
     *
     * @param length bytes of the key
     */
    protected void keyRead(final int length) {
    }

    private Entry load(final Entry entry) {
        if (!entry.isLoaded) {
            final int length = keys.copyKeyIfFits(entry.payload, entry.key);
            if (length > entry.key.length) {
                entry.key = new byte[Math.min(PointIndex.MAX_KEY_BYTES, length + (length >> 1))];
                keys.copyKey(entry.payload, entry.key, 0);
            }
            entry.keyLength = length;
            entry.isLoaded = true;
            keyRead(length);
        }
        return entry;
    }

    @Override
    public final byte[] keyBuffer() {
        checkValid();
        return load(entries[own]).key;
    }

    @Override
    public final int keyLength() {
        checkValid();
        return load(entries[own]).keyLength;
    }

    @Override
    public final int commonPrefix() {
        checkValid();
        final Entry before = entries[own ^ 1];
        if (before.payload == PointIndex.NONE) {
            return 0;
        }
        final Entry present = load(entries[own]);
        load(before);
        final int mismatch = Arrays.mismatch(present.key, 0, present.keyLength, before.key, 0, before.keyLength);
        return mismatch < 0 ? present.keyLength : mismatch;
    }

    @Override
    public final long payload() {
        checkValid();
        return entries[own].payload;
    }

    private static final class Entry {
        private long payload = PointIndex.NONE;
        private byte[] key = new byte[INITIAL_KEY_BYTES];
        private int keyLength;
        private boolean isLoaded;
    }
}
