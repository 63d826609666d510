/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bytes.Hashing;

/**
 * The links between the versions of a key in a {@link RecordStore}, from newer to older ones. Each version but the first has a
 * link word, and one in {@link #SKIP_INTERVAL} also has a skip word, which leads to an older version with a skip word. So the
 * newest version at or below a sequence number is found in O(log n) steps behind n newer ones.
 * <p>
 * Whether a version gets a skip word is random, so that the decision needs no read of an older version, and secret,
 * so that no one can choose writes that get none. Among the versions with a skip word, one of rank r leads to the {@code
 * 2^r - 1}st before.
 * <p>
 * A link word also holds the distance to the next older skip word if the write has read the next older version anyway. If not, a
 * version that gets a skip word walks to the one before, and so do readers.
 * <h2>Thread safety</h2>
 * The thread that publishes a record writes its links before that, and only after the older versions have
 * numbers. {@code insert} changes a published link; one thread at a time calls it, while nobody else
 * writes. {@code flags} and {@code older} may be called by any thread that the record was published to.
 * <h2>Pedigree</h2>
 * Skip pointers: E. Myers, "An applicative random-access stack", Information Processing Letters 17 (1983).
 */
public final class VersionLinks {
    /** One in this many versions that have an older one has a skip word. */
    public static final int SKIP_INTERVAL = 32;
    private static final long RANK_MASK = (1L << RecordLayout.RANK_BITS) - 1;

    private final RecordStore records;
    private final boolean olderIsRead;
    private final long secret;

    /**
     * Creates the links of a store. If {@code olderIsRead}, a write has read the next older version, so that reading it again
     * costs little. The secret is a number that no one can know who chooses writes.
     */
    public VersionLinks(final RecordStore records, final boolean olderIsRead, final long secret) {
        this.records = records;
        this.olderIsRead = olderIsRead;
        this.secret = secret;
    }

    /**
     * Returns the flags for the links of a new version, {@link RecordLayout#HAS_PREVIOUS}, possibly with {@link
     * RecordLayout#HAS_SKIP}, by a number that differs between the versions of the key, such as the pointer of the older version.
     */
    public int flags(final long number) {
        return (Hashing.mix64(number ^ secret) & SKIP_INTERVAL - 1) == 0
            ? RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP : RecordLayout.HAS_PREVIOUS;
    }

    /** Returns the link word of a new version with some flags, given the next older version. */
    public long linkWord(final long flags, final long previous) {
        if (!olderIsRead && (flags & RecordLayout.HAS_SKIP) == 0) {
            return previous;
        }
        long record = previous;
        while (true) {
            final Slab slab = records.slab(record);
            final long at = records.offset(record);
            final long word = slab.getLong(at);
            if ((word & RecordLayout.HAS_SKIP) != 0) {
                return record == previous
                    ? previous | RecordLayout.PREVIOUS_HAS_SKIP : RecordLayout.linkWord(previous, record);
            }
            if ((word & RecordLayout.HAS_PREVIOUS) == 0) {
                return previous;
            }
            final long linkWord = slab.getLong(at + RecordLayout.PREVIOUS_OFFSET);
            final long withSkip = RecordLayout.withSkip(linkWord);
            if (withSkip != RecordLayout.NO_RECORD || olderIsRead) {
                return RecordLayout.linkWord(previous, withSkip);
            }
            record = RecordLayout.previous(linkWord);
            if (record == RecordLayout.NO_RECORD) {
                return previous;
            }
        }
    }

    /**
     * Writes the skip word of an unpublished version that has its link word, and {@link RecordLayout#HAS_SKIP} in its version
     * word.
     */
    public void putSkipWord(final long pointer) {
        final long word = skipWordTo(RecordLayout.withSkip(linkWord(pointer)));
        records.slab(pointer).putLong(records.offset(pointer) + RecordLayout.SKIP_OFFSET, word);
    }

    /** Links an unpublished version, whose version word has the flags of its links, to an older one. */
    public void link(final long pointer, final long previous) {
        final long word = records.versionWord(pointer);
        records.slab(pointer).putLong(
            records.offset(pointer) + RecordLayout.PREVIOUS_OFFSET, linkWord(word, previous));
        if ((word & RecordLayout.HAS_SKIP) != 0) {
            putSkipWord(pointer);
        }
    }

    /**
     * Links a version, with its number and links, in behind a newer, published one (release). It is linked to what was behind
     * that one, and no reader sees it yet: all read at lower numbers. Skip words may lead over it, from newer versions to older
     * ones.
     */
    public void insert(final long newer, final long pointer) {
        final Slab slab = records.slab(newer);
        final long at = records.offset(newer);
        slab.putLongRelease(at + RecordLayout.PREVIOUS_OFFSET, linkWord(slab.getLong(at), pointer));
    }

    /** Returns the skip word of a version, given the next older version that has one. */
    private long skipWordTo(final long last) {
        if (last == RecordLayout.NO_RECORD) {
            return RecordLayout.NO_RECORD;
        }
        final long word = skipWord(last);
        final long target = word >>> RecordLayout.RANK_BITS;
        if (target != RecordLayout.NO_RECORD) {
            final long targetWord = skipWord(target);
            if ((word & RANK_MASK) == (targetWord & RANK_MASK)) {
                return (targetWord & ~RANK_MASK) | (word & RANK_MASK) + 1;
            }
        }
        return last << RecordLayout.RANK_BITS | 1;
    }

    /**
     * Steps from a version that is too new, or has no number yet, towards the newest one at or below a sequence number; returns
     * an older one, at or above the one sought, or {@link RecordLayout#NO_RECORD} if none is older.
     */
    public long older(final long pointer, final long sequence) {
        // memtable-concurrency.md, claim 4
        final long word = records.versionWordAcquire(pointer);
        if ((word & RecordLayout.HAS_PREVIOUS) == 0) {
            return RecordLayout.NO_RECORD;
        }
        if ((word & RecordLayout.HAS_SKIP) != 0) {
            final long target = skipWord(pointer) >>> RecordLayout.RANK_BITS;
            if (isAbove(target, sequence)) {
                return target;
            }
        }
        final long linkWord = records.slab(pointer).getLongAcquire(records.offset(pointer) + RecordLayout.PREVIOUS_OFFSET);
        final long withSkip = RecordLayout.withSkip(linkWord);
        return isAbove(withSkip, sequence) ? withSkip : RecordLayout.previous(linkWord);
    }

    private boolean isAbove(final long pointer, final long sequence) {
        return pointer != RecordLayout.NO_RECORD
            && RecordLayout.sequence(records.versionWordAcquire(pointer)) > sequence;
    }

    private long linkWord(final long pointer) {
        return records.slab(pointer).getLong(records.offset(pointer) + RecordLayout.PREVIOUS_OFFSET);
    }

    private long skipWord(final long pointer) {
        return records.slab(pointer).getLong(records.offset(pointer) + RecordLayout.SKIP_OFFSET);
    }
}
