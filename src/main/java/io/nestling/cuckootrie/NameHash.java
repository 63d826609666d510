/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.bytes.LoweredLimit;

/**
 * The hash of node names, by symbol: {@code h(name . c) = P(h(name) ^ c)} with a seeded permutation {@code P}
 * of the numbers of {@code bits} bits. So a name's hash and last symbol determine the hash of its parent
 * ({@link #peel}), which is what lets an entry do without its name.
 * <p>
 * An entry stands in one of two buckets: by its hash, or by the alternate hash, which differs from it by one of 256 patterns.
 * Eight bits that both hashes share select the pattern: the top 4, which no pattern has, and the next 4, the highest that a
 * bucket may have, combined with 4 low ones that a pattern has if it has those. So any bit of a bucket may differ: else a table
 * half through a doubling could not share its load between the buckets that are split and those that are not. The low bits of
 * either hash are the bucket, its top 17 bits are the tag; together they are the whole hash.
 * <h2>Thread safety</h2>
 * Immutable.
 * <h2>Pedigree</h2>
 * Section 4.2 of the paper. Different here: a multiplication and a shift in place of a rotation, so that keys
 * of few distinct bytes spread evenly; a secret seed; no multiplier by which one symbol can cancel the one
 * before; hashes of a fixed width, of which the table takes as many low bits as it has buckets.
 */
final class NameHash {
    /** Least number of bits: those of the tag and of the buckets of the smallest table. */
    static final int MIN_BITS = CuckooTrieEntryLayout.TAG_BITS + LoweredLimit.of("cuckootrie.bucketBits", 4, 1);
    /** Bits of a hash beyond those of its greatest number of buckets: so many hashes share a bucket. */
    private static final int SPARE_BITS = 4;
    private static final int SELECTOR_BITS = 8;
    /* The highest bits that a bucket may have; they help to select the pattern. */
    private static final int TOP_BUCKET_MASK = (1 << SELECTOR_BITS - SPARE_BITS) - 1;
    /** Codes of symbols differ in bits below this one. */
    private static final int CODES = 64;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final long seed;
    final int bits;
    private final long mask;
    private final long multiplier;
    private final long inverse;
    private final int shift;
    private final int tagShift;
    private final int selectorShift;
    private final int patternShift;
    private final long root;

    /** Makes a hash of names for a table of up to {@code maxBuckets} buckets; the seed selects the permutation. */
    NameHash(final long seed, final long maxBuckets) {
        this.seed = seed;
        this.bits = Math.max(MIN_BITS, Long.SIZE - Long.numberOfLeadingZeros(maxBuckets - 1) + SPARE_BITS);
        this.mask = (1L << bits) - 1;
        this.multiplier = multiplier(seed, bits);
        this.inverse = inverseOf(multiplier);
        this.shift = (bits + 1) / 2;
        this.tagShift = bits - CuckooTrieEntryLayout.TAG_BITS;
        this.selectorShift = bits - SELECTOR_BITS;
        this.patternShift = Long.SIZE - selectorShift;
        this.root = mix(seed + GOLDEN) & mask;
    }

    /** Returns an odd multiplier that is not weak; one in thousands is weak. */
    private static long multiplier(final long seed, final int bits) {
        long candidate = mix(seed) | 1;
        while (isWeak(candidate, bits)) {
            candidate = mix(candidate) | 1;
        }
        return candidate;
    }

    /**
     * Returns whether a multiplier leaves some codes as near to each other as codes are: then the next symbol can cancel their
     * difference, and names that differ in these two symbols share a hash.
     */
    private static boolean isWeak(final long multiplier, final int bits) {
        for (int difference = 1; difference < CODES; difference++) {
            if (Math.abs(difference * multiplier << Long.SIZE - bits >> Long.SIZE - bits) < CODES) {
                return true;
            }
        }
        return false;
    }

    private static long mix(final long number) {
        long x = number + GOLDEN;
        x = (x ^ x >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        x = (x ^ x >>> 27) * 0x94D0_49BB_1331_11EBL;
        return x ^ x >>> 31;
    }

    private static long inverseOf(final long odd) {
        long x = odd;
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x; // each step doubles the number of right bits, which begins with 3
        }
        return x;
    }

    long seed() {
        return seed;
    }

    /** Returns the least number of buckets of a table: with fewer, bucket and tag are not the whole hash. */
    long minBuckets() {
        return 1L << tagShift;
    }

    /** Returns the hash of the empty name. */
    long root() {
        return root;
    }

    /** Returns the hash of a name with one more symbol. */
    long append(final long hash, final int code) {
        final long product = (hash ^ code) * multiplier & mask;
        return product ^ product >>> shift;
    }

    /** Returns the hash of a name without its last symbol. */
    long peel(final long hash, final int code) {
        return ((hash ^ hash >>> shift) * inverse & mask) ^ code;
    }

    /** Returns the other one of the two hashes of an entry. */
    long alternate(final long hash) {
        return hash ^ difference(hash);
    }

    /**
     * Returns the hash under which an entry stands in its bucket, without an unpredictable branch: that of its name, or the
     * alternate one if {@code secondary} is {@link CuckooTrieEntryLayout#SECONDARY} in place of 0.
     */
    long bucketHash(final long hash, final int secondary) {
        return hash ^ difference(hash) & -((long) secondary >>> CuckooTrieEntryLayout.SECONDARY_SHIFT);
    }

    /** Returns the difference of an entry's two hashes: at least the lowest bit, so that the buckets differ. */
    private long difference(final long hash) {
        final long selector = hash >>> selectorShift ^ hash >>> 1 & TOP_BUCKET_MASK;
        final long pattern = (selector + 1) * GOLDEN >>> patternShift | 1;
        return pattern | (pattern >>> 1 & TOP_BUCKET_MASK) << selectorShift;
    }

    int tag(final long hash) {
        return (int) (hash >>> tagShift);
    }

    /** Returns the hash under which an entry with a tag stands in a bucket. */
    long hashAt(final long bucket, final int tag) {
        return (long) tag << tagShift | bucket & (1L << tagShift) - 1;
    }
}
