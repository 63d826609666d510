/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bytes.Hashing;
import io.nestling.index.EntryView;
import io.nestling.workload.KeySet;

/**
 * The payload of a key: 18 bits derived from the key, so that each answer can be checked without a second index, and above
 * them bits that may change. An update sets another generation; a key that a workload adds to the loaded ones is marked.
 * <pre>
 *  bits  0..17  derived from the key            BASE_MASK
 *  bit   18     generation                     GENERATION
 *  bit   19     added after the load           ADDED
 * </pre>
 */
final class Payloads {
    /** The bits derived from the key. */
    static final long BASE_MASK = (1L << 18) - 1;
    /** Differs between two consecutive updates. */
    static final long GENERATION = 1L << 18;
    /** Marks keys that were not loaded at first. */
    static final long ADDED = 1L << 19;

    private static final long SEED = 0x6E65_7374L;
    private static final int HASH_SHIFT = Long.SIZE - 18;

    private Payloads() {
    }

    /** Returns the derived bits of a key. */
    static int of(final byte[] array, final int offset, final int length) {
        return (int) (Hashing.hash64(array, offset, length, SEED) >>> HASH_SHIFT);
    }

    /** Returns the derived bits of each key of a set. */
    static int[] of(final KeySet keys) {
        final int[] payloads = new int[keys.size()];
        for (int i = 0; i < payloads.length; i++) {
            payloads[i] = of(keys.array(i), keys.offset(i), keys.length(i));
        }
        return payloads;
    }

    /** Returns what a scan adds up for an entry: its payload, and enough of the key that the scan has to read it. */
    static long digest(final EntryView entry) {
        final int length = entry.keyLength();
        return digest(entry.payload(), length, length == 0 ? 0 : entry.keyBuffer()[length - 1]);
    }

    /** Returns the digest of a key. */
    static long digest(final byte[] array, final int offset, final int length) {
        return digest(of(array, offset, length), length, length == 0 ? 0 : array[offset + length - 1]);
    }

    private static long digest(final long payload, final int keyLength, final byte lastByte) {
        return (payload & BASE_MASK) + keyLength + (lastByte & 0xFF);
    }
}
