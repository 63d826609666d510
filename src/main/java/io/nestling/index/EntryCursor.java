/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * A position in a sequence of entries in unsigned lexicographic key order. A new cursor stands nowhere; every
 * move returns whether it stands on an entry afterwards, as {@link #valid()} does.
 * <p> Once a cursor has run off either end it stands nowhere, and {@code next} and {@code previous} leave it
 * there until another move positions it again. Accessors on a cursor that stands nowhere throw {@link
 * IllegalStateException}.
 * <p> A key to seek may be longer than those of entries can be.
 * <h2>Thread safety</h2>
 * A cursor is used by one thread at a time; others may write meanwhile. It then shows each key that is there all the
 * time, from when it was last positioned until it passes the key's place, exactly once and in order. Of keys that come
 * or go meanwhile it shows some: it may show one that was put later and miss one that was put earlier, so that there
 * need be no moment at which all that it shows was there. A cursor of a memtable shows one state, that of a sequence
 * number.
 */
public interface EntryCursor extends EntryView, AutoCloseable {
    /**
     * Moves to the smallest key.
     *
     * @return whether there is one
     */
    boolean first();

    /**
     * Moves to the greatest key.
     *
     * @return whether there is one
     */
    boolean last();

    /**
     * Moves to the smallest key at or above a given one.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether there is one
     */
    boolean seek(byte[] key, int offset, int length);

    /**
     * Moves to the smallest key at or above a given one.
     *
     * @param key the key
     * @return whether there is one
     */
    default boolean seek(final byte[] key) {
        return seek(key, 0, key.length);
    }

    /**
     * Moves to the greatest key below a given one.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether there is one
     */
    boolean seekLowerThan(byte[] key, int offset, int length);

    /**
     * Moves to the greatest key below a given one.
     *
     * @param key the key
     * @return whether there is one
     */
    default boolean seekLowerThan(final byte[] key) {
        return seekLowerThan(key, 0, key.length);
    }

    /**
     * Moves to the next greater key.
     *
     * @return whether there is one
     */
    boolean next();

    /**
     * Moves to the next smaller key.
     *
     * @return whether there is one
     */
    boolean previous();

    /**
     * Tells whether the cursor stands on an entry.
     *
     * @return whether the accessors may be called
     */
    boolean valid();

    /** Gives back what the cursor holds. Closing twice does nothing. */
    @Override
    void close();
}
