/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A position in a sequence of entries in unsigned lexicographic key order. A new cursor is unpositioned; every
 * move returns whether the cursor is on an entry afterwards, as {@link #valid()} does.
 * <p> A cursor that has run off either end is unpositioned, and {@code next} and {@code previous} leave it so
 * until another move positions it again. Accessors of an unpositioned cursor throw {@link
 * IllegalStateException}.
 * <p> A key to seek may be longer than the longest key of an entry.
 * <h2>Thread safety</h2>
 * A cursor is used by one thread at a time; others may write meanwhile. It then shows each key that is present all the
 * time, from when it was last positioned until it passes the key, exactly once and in order. Of keys that are added
 * or removed meanwhile it shows some: it may show one that was put later and miss one that was put earlier, so that what it
 * shows need not have been present at any one moment. A cursor of a memtable shows one state, that of a sequence
 * number.
 * <p> A cursor of an index is moved inside a guard, and its key is read in the same one, see {@link EntryView}; that of a
 * memtable needs no guard.
 */
public interface EntryCursor extends EntryView, AutoCloseable {
    /**
     * Moves to the smallest key.
     *
     * @return whether such a key exists
     */
    boolean first();

    /**
     * Moves to the greatest key.
     *
     * @return whether such a key exists
     */
    boolean last();

    /**
     * Moves to the smallest key at or above a given one.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether such a key exists
     */
    boolean seek(byte[] key, int offset, int length);

    /**
     * Moves to the smallest key at or above a given one.
     *
     * @param key the key
     * @return whether such a key exists
     */
    default boolean seek(final byte[] key) {
        return seek(key, 0, key.length);
    }

    /**
     * Moves to the smallest key at or above a given one, which is the bytes between position and limit of a buffer. The buffer
     * does not change.
     *
     * @param key buffer with the key
     * @return whether such a key exists
     */
    default boolean seek(final ByteBuffer key) {
        return seek(KeyCopy.of(key));
    }

    /**
     * Moves to the smallest key at or above a given one, which is a part of a buffer.
     *
     * @param key buffer that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether such a key exists
     * @throws IndexOutOfBoundsException if the key is not within its buffer
     */
    default boolean seek(final DirectBuffer key, final int offset, final int length) {
        return seek(KeyCopy.of(key, offset, length));
    }

    /**
     * Moves to the greatest key below a given one.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether such a key exists
     */
    boolean seekLowerThan(byte[] key, int offset, int length);

    /**
     * Moves to the greatest key below a given one.
     *
     * @param key the key
     * @return whether such a key exists
     */
    default boolean seekLowerThan(final byte[] key) {
        return seekLowerThan(key, 0, key.length);
    }

    /**
     * Moves to the greatest key below a given one, which is the bytes between position and limit of a buffer. The buffer does not
     * change.
     *
     * @param key buffer with the key
     * @return whether such a key exists
     */
    default boolean seekLowerThan(final ByteBuffer key) {
        return seekLowerThan(KeyCopy.of(key));
    }

    /**
     * Moves to the greatest key below a given one, which is a part of a buffer.
     *
     * @param key buffer that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return whether such a key exists
     * @throws IndexOutOfBoundsException if the key is not within its buffer
     */
    default boolean seekLowerThan(final DirectBuffer key, final int offset, final int length) {
        return seekLowerThan(KeyCopy.of(key, offset, length));
    }

    /**
     * Moves to the next greater key.
     *
     * @return whether such a key exists
     */
    boolean next();

    /**
     * Moves to the next smaller key.
     *
     * @return whether such a key exists
     */
    boolean previous();

    /**
     * Returns whether the cursor is on an entry.
     *
     * @return whether the accessors may be called
     */
    boolean valid();

    /**
     * Returns whether the last move stopped at a limit of hidden entries, before it found an entry or the end. Hidden are entries
     * that a move passes without showing them: deleted keys, and keys that the cursor's reader may not see. Such a cursor is
     * unpositioned, and {@link #continuationKey} says where to go on.
     *
     * @return false if the cursor has no such limit
     */
    default boolean isIncomplete() {
        return false;
    }

    /**
     * Returns the key from which a scan goes on after an incomplete move: after a forward move {@link #seek(byte[])} with this
     * key, after a backward move {@link #seekLowerThan(byte[])}, of this cursor or of another one of the same state, show
     * what the move would have shown. It moves on by at least one entry each time.
     *
     * @return a copy
     * @throws IllegalStateException if the last move was not incomplete
     */
    default byte[] continuationKey() {
        throw new IllegalStateException("the last move did not stop at a limit of hidden entries");
    }

    /**
     * Passes all entries on, from the smallest key to the greatest.
     *
     * @param action receives this cursor at each entry, and must not move it; what it throws is passed on
     * @throws IllegalStateException if a move was incomplete, see {@link #isIncomplete}
     */
    default void forEach(final Consumer<? super EntryView> action) {
        for (boolean found = first(); found; found = next()) {
            action.accept(this);
        }
        if (isIncomplete()) {
            throw new IllegalStateException("the scan stopped at its limit of hidden entries");
        }
    }

    /**
     * Releases what the cursor holds. A closed cursor is on no entry for good: accessors and the moves that position throw
     * {@link IllegalStateException}, and {@code next} and {@code previous} throw it or return false. None of them reads memory
     * that may be gone. Closing twice does nothing.
     */
    @Override
    void close();
}
