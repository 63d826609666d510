/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.EntryArguments;
import io.nestling.index.PointIndex;

import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * A read view of keys and payloads as a trie, walked by a {@link TrieCursor}. Merges, slices and intersections are tries too:
 * their cursors move those of their sources; they hold nothing themselves and build no keys.
 * <p>
 * A view shows what its sources hold when a cursor is made; the sources say what a cursor sees of later changes.
 * <p>
 * Example: the payloads of two tries below the key {@code "m"}, those of {@code newer} where both have a key. Both are readers of
 * an {@link io.nestling.catalog.OffHeapTrie}, whose page has the whole program.
 * <pre>{@code
 * final Trie both = Trie.merge(List.of(newer, older), MergeResolver.FIRST);
 * both.subtrie(null, new byte[] {'m'}).forEachPayload(Direction.FORWARD, System.out::println);
 * }</pre>
 * <h2>Thread safety</h2>
 * Any thread may use a view. Over an {@link io.nestling.catalog.OffHeapTrie} its cursors, and the methods here that walk, work
 * while the reader is open; others may write meanwhile.
 */
@FunctionalInterface
public interface Trie {
    /**
     * Returns a cursor at the root.
     *
     * @param direction order of its walk
     * @return a new cursor
     */
    TrieCursor cursor(Direction direction);

    /**
     * Passes every key with its payload to a consumer.
     *
     * @param direction ascending or descending order
     * @param consumer called for each entry
     */
    default void forEachEntry(final Direction direction, final TrieEntryConsumer consumer) {
        final TrieCursor cursor = cursor(direction);
        final TriePath path = new TriePath();
        if (cursor.hasContent()) {
            consumer.accept(path.buffer(), 0, cursor.content());
        }
        while (cursor.advanceToContent(path) != TrieCursor.EXHAUSTED) {
            consumer.accept(path.buffer(), path.length(), cursor.content());
        }
    }

    /**
     * Passes every payload, in the order of the keys, to a consumer; builds no keys.
     *
     * @param direction ascending or descending order
     * @param consumer called for each payload
     */
    default void forEachPayload(final Direction direction, final LongConsumer consumer) {
        final TrieCursor cursor = cursor(direction);
        if (cursor.hasContent()) {
            consumer.accept(cursor.content());
        }
        while (cursor.advanceToContent(null) != TrieCursor.EXHAUSTED) {
            consumer.accept(cursor.content());
        }
    }

    /**
     * Returns the keys in a range {@code [from, to)}. If {@code from} is not below {@code to}, there are none.
     *
     * @param fromInclusive smallest key, or null for no lower bound
     * @param toExclusive first key after the range, or null for no upper bound
     * @return a view of this trie
     */
    default Trie subtrie(final byte[] fromInclusive, final byte[] toExclusive) {
        return intersect(List.of(new KeyRange(fromInclusive, toExclusive)));
    }

    /**
     * Returns the keys in any of some ranges, which may overlap.
     *
     * @param ranges the ranges in any order
     * @return a view of this trie
     */
    default Trie intersect(final List<KeyRange> ranges) {
        final RangeBounds bounds = new RangeBounds(ranges);
        return direction -> new SlicedCursor(cursor(direction), bounds);
    }

    /**
     * Returns the keys that another trie also has, with their payloads in this one.
     *
     * @param keys the other trie; its payloads do not matter
     * @return a view of both
     */
    default Trie intersect(final Trie keys) {
        Objects.requireNonNull(keys, "keys");
        return direction -> new IntersectionCursor(cursor(direction), keys.cursor(direction));
    }

    /**
     * Returns the keys that at least one of some tries has.
     *
     * @param tries the tries; without any, the result is empty
     * @param resolver chooses the payload of a key that several tries hold
     * @return a view of all of them
     */
    static Trie merge(final List<? extends Trie> tries, final MergeResolver resolver) {
        if (tries.size() < 2) {
            return tries.isEmpty() ? empty() : tries.get(0);
        }
        final List<Trie> sources = List.copyOf(tries);
        Objects.requireNonNull(resolver, "resolver");
        return direction -> new MergeCursor(sources, resolver, direction);
    }

    /**
     * Returns the keys of tries without a common key, such as the shards of a memtable. A walk that meets a key twice throws
     * {@link IllegalStateException}.
     *
     * @param tries the tries
     * @return a view of all of them
     */
    static Trie union(final List<? extends Trie> tries) {
        return merge(tries, MergeResolver.DISTINCT);
    }

    /**
     * Returns a trie of one key.
     *
     * @param key the key, which is copied
     * @param payload its payload, not negative
     * @return a new trie
     * @throws IllegalArgumentException if the key is too long for an index or the payload out of range
     */
    static Trie singleton(final byte[] key, final long payload) {
        EntryArguments.checkEntry(key, 0, key.length, payload);
        final byte[] copy = key.clone();
        return direction -> new SingletonCursor(copy, payload, direction);
    }

    /**
     * Returns a trie without keys. Its cursors visit the root.
     *
     * @return the trie
     */
    static Trie empty() {
        return direction -> new SingletonCursor(new byte[0], PointIndex.NONE, direction);
    }
}
