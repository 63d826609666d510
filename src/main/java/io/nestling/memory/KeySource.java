/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * Finds the key of a payload, for indexes that do not store whole keys themselves.
 * <p>
 * What a payload names has to stay as long as an index may ask for it: that of a payload that was replaced until no guard is held
 * that was entered before ({@link EpochReclaimer#isQuiescent}), that of a removed key until the index is closed. A skip list, to
 * name one, may have to compare keys with a dead entry that another writer is still linking.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread that holds the payload under a guard of the epochs in use.
 */
public interface KeySource {
    /** A source that knows no key, for indexes that store keys themselves. */
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

    /**
     * Bytes of a key.
     *
     * @param payload whose key
     * @return length in bytes
     */
    int keyLength(long payload);

    /**
     * Copies a key.
     *
     * @param payload whose key
     * @param destination where to
     * @param offset first byte written
     * @return the key's length
     */
    int copyKey(long payload, byte[] destination, int offset);

    /**
     * Copies a key to the beginning of an array, if it fits: so that a caller whose array mostly does need not ask for the length
     * before.
     *
     * @param payload whose key
     * @param destination where to, left as it is if the key is longer
     * @return the key's length
     */
    default int copyKeyIfFits(final long payload, final byte[] destination) {
        final int length = keyLength(payload);
        return length > destination.length ? length : copyKey(payload, destination, 0);
    }

    /**
     * Compares a payload's key with a given one.
     *
     * @param payload whose key
     * @param key array of the other key
     * @param offset its first byte
     * @param length its bytes
     * @return negative, zero or positive as the payload's key sorts before, with or after the other
     */
    int compareKey(long payload, byte[] key, int offset, int length);

    /**
     * Machine address of what is read first for a payload, to be prefetched. The payload may have been read plainly, beside the
     * writer that published it.
     *
     * @param payload whose record
     * @return the address, or 0 if there is none or it is not known yet
     */
    long address(long payload);

    /**
     * Adds the cache lines that a comparison with a payload's key reads, or a copy of it, to those to be requested together. The
     * payload may have been read plainly, as that of {@link #address}.
     *
     * @param lines receives them
     * @param payload whose key
     * @param length bytes of the key that it will be compared with, or that it usually has
     */
    default void addTo(final PrefetchVector lines, final long payload, final int length) {
        lines.add(address(payload));
    }

    /**
     * Eight bytes of a key as a big-endian number, so that numbers compare as the bytes do when taken as unsigned; what
     * lies behind the key's end counts as zeroes.
     *
     * @param payload whose key
     * @param from index of the first byte, which may lie behind the end
     * @return the number
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
