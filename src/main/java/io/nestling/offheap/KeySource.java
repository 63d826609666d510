/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * Reads the key of a payload, for indexes that do not store whole keys themselves.
 * <p>
 * The key of a payload must stay readable as long as an index may ask for it: that of a replaced payload until no guard is held
 * that was entered before ({@link EpochReclaimer#isQuiescent}), that of a removed key until the index is closed. A skip list,
 * for example, may have to compare keys with a dead entry that another writer is still linking.
 * A source that uses the memory of replaced payloads again obliges the callers of an index, too: they read the key of a cursor
 * inside the guard in which it moved.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread that holds the payload under a guard of the epochs in use.
 */
public interface KeySource {
    /** A source without keys, for indexes that store keys themselves. */
    KeySource NONE = new KeySource() {
        @Override
        public int keyLength(final long payload) {
            throw new UnsupportedOperationException("no keys are kept beside this index");
        }

        @Override
        public int copyKey(final long payload, final byte[] destination, final int offset) {
            throw new UnsupportedOperationException("no keys are kept beside this index");
        }

        @Override
        public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
            throw new UnsupportedOperationException("no keys are kept beside this index");
        }

        @Override
        public long address(final long payload) {
            return 0;
        }
    };

    /** Returns the length of a payload's key in bytes. */
    int keyLength(long payload);

    /** Copies the key of a payload and returns its length. */
    int copyKey(long payload, byte[] destination, int offset);

    /**
     * Copies the key of a payload to the beginning of an array if it fits, so that the caller need not read its length before,
     * and returns the length. Nothing is copied of a longer key.
     */
    default int copyKeyIfFits(final long payload, final byte[] destination) {
        final int length = keyLength(payload);
        return length > destination.length ? length : copyKey(payload, destination, 0);
    }

    /** Compares a payload's key with a given one; negative, zero or positive as it sorts before, with or after that. */
    int compareKey(long payload, byte[] key, int offset, int length);

    /**
     * Returns the machine address that is read first for a payload, for prefetching; 0 if it is unknown or not known yet. The
     * payload may have been read plainly, in a race with the writer that published it.
     */
    long address(long payload);

    /**
     * Adds the cache lines that comparing or copying a payload's key reads to those to be requested together, as far as keys of
     * {@code length} bytes need them. The payload may have been read plainly, as that of {@link #address}.
     */
    default void addTo(final PrefetchVector lines, final long payload, final int length) {
        lines.add(address(payload));
    }

    /**
     * Returns eight bytes of a key from an index on, which may lie behind its end, as a big-endian number, so that the numbers,
     * taken as unsigned, compare as the bytes do. Bytes behind the key's end count as zeroes.
     */
    default long keyWord(final long payload, final int from) {
        final int length = keyLength(payload);
        final byte[] key = new byte[length];
        copyKey(payload, key, 0);
        long word = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            word = word << Byte.SIZE | (i < length ? key[i] & 0xFF : 0);
        }
        return word;
    }
}
