/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Appends records to a {@link RecordStore} that has other appenders.
 * <p>
 * Small records come from a chunk of the appender's own, so that appenders neither contend for the store's position
 * nor write to the same cache lines; larger records are claimed from the store one by one. The rest of a chunk
 * stays unused when a record does not fit: at most an eighth of it.
 * <h2>Thread safety</h2>
 * One thread at a time; any thread may call {@code bytesUnused}.
 */
public final class RecordAppender {
    private static final int MAX_CHUNK_BYTES = 32 << 10;
    private static final int MIN_CHUNK_BYTES = 1 << 10;
    private static final int CHUNKS_PER_STEP = 16;
    /** A record is small up to this part of a chunk: an eighth. */
    private static final int SMALL_SHIFT = 3;
    /*
     * Start and end of the free part of the chunk. Padded: 128 bytes around both.
     */
    private static final int POSITION = 16;
    private static final int END = 17;
    private static final int WORDS = 34;

    private final RecordStore store;
    private final long chunkBytes;
    private final long smallBytes;
    private final AtomicLongArray chunk = new AtomicLongArray(WORDS);

    /** Creates an appender; the step of the store's budget determines the size of its chunks. */
    public RecordAppender(final RecordStore store, final MemoryBudget budget) {
        this.store = store;
        this.chunkBytes = Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, budget.step() / CHUNKS_PER_STEP));
        this.smallBytes = chunkBytes >>> SMALL_SHIFT;
    }

    /**
     * Appends a record without its value and its skip word.
     *
     * @param versionWord {@link RecordLayout#versionWord}
     * @param previous pointer of the older version; {@link RecordLayout#NO_RECORD} unless the version word is
     *     flagged
     * @param key array that holds the key; not used unless the version word is flagged
     * @param keyOffset its first byte
     * @param keyLength its bytes
     * @param valueLength bytes that the caller will copy to the value
     * @return pointer of the record
     * @throws SpaceExhaustedException if it does not fit; nothing has changed then
     */
    public long append(
        final long versionWord, final long previous, final byte[] key, final int keyOffset, final int keyLength,
        final int valueLength) {
        final boolean hasKey = (versionWord & RecordLayout.HAS_KEY) != 0;
        final int ownLength = hasKey ? keyLength : RecordLayout.NO_KEY;
        final long position = claim(RecordLayout.recordBytes(versionWord, ownLength, valueLength));
        final long record = position >>> RecordLayout.POINTER_SHIFT;
        final Slab slab = store.slab(record);
        final long start = store.putHeader(position, versionWord, previous, ownLength, valueLength);
        if (hasKey) {
            SlabBytes.copyIn(slab, start, key, keyOffset, keyLength);
        }
        slab.putLong(store.offset(record), versionWord);
        return record;
    }

    /**
     * Makes room for links ({@link RecordLayout#HAS_PREVIOUS}, possibly with {@link RecordLayout#HAS_SKIP}) to older versions in
     * an unpublished record without links. The record may move; returns its pointer. If it is {@code known}, others may read the
     * record's key: then it is copied in any case and does not change. If it does not fit, it throws, and nothing has changed.
     */
    public long addLinks(final long pointer, final int links, final boolean known) {
        final long bytes = RecordWalk.bytesOf(store, pointer);
        final long added = RecordLayout.lengthsOffset(links) - RecordLayout.PREVIOUS_OFFSET;
        final long end = (pointer << RecordLayout.POINTER_SHIFT) + bytes;
        final long linked;
        if (!known && chunk.getPlain(POSITION) == end && end + added <= chunk.getPlain(END)) {
            chunk.setOpaque(POSITION, end + added);
            linked = pointer;
        } else {
            linked = claim(bytes + added) >>> RecordLayout.POINTER_SHIFT;
        }
        store.copyBehindLinks(pointer, linked, bytes, links);
        store.putLinkFlags(pointer, linked, links);
        return linked;
    }

    /** Reclaims the space of a record that was never published, if nothing was claimed after it. Otherwise the space is lost. */
    public void retract(final long pointer) {
        final long position = pointer << RecordLayout.POINTER_SHIFT;
        final long bytes = RecordWalk.bytesOf(store, pointer);
        if (chunk.getPlain(POSITION) == position + bytes) {
            chunk.setOpaque(POSITION, position);
        } else {
            store.unclaim(position, bytes);
        }
    }

    /** Returns the bytes of the chunk that hold no record yet, exact while no thread appends. */
    public long bytesUnused() {
        return Math.max(0, chunk.getOpaque(END) - chunk.getOpaque(POSITION));
    }

    private long claim(final long bytes) {
        if (bytes > smallBytes) {
            return store.claim(bytes);
        }
        final long position = chunk.getPlain(POSITION);
        if (position + bytes > chunk.getPlain(END)) {
            return claimFromNext(bytes);
        }
        chunk.setOpaque(POSITION, position + bytes);
        return position;
    }

    private long claimFromNext(final long bytes) {
        final long position;
        try {
            position = store.claim(chunkBytes);
        } catch (final SpaceExhaustedException e) {
            return store.claim(bytes); // the record alone may fit
        }
        chunk.setOpaque(POSITION, position + bytes);
        chunk.setOpaque(END, position + chunkBytes);
        return position;
    }
}
