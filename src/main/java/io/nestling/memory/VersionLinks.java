/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bytes.Hashing;

import java.security.SecureRandom;

/**
 * The links between the versions of a key in a {@link RecordStore}, from newer to older ones. Each version but the first has a
 * previous pointer, and one of {@link #SKIP_INTERVAL} has a skip word besides, which leads to an older one that has, too. So the
 * newest version at or below a sequence number is found in O(log n) steps behind n newer ones.
 * <p>
 * Which versions get a skip word is random, so that it is decided before an older version is read, and secret, so that
 * nobody can choose writes that get none. Of those that have one, a skip word of rank r leads to the {@code 2^r - 1}st before.
 * <p>
 * A link word also says where the next older skip word is, if the write has read the next older version anyway. If it has
 * not, a version that gets a skip word walks to the one before, and readers do.
 * <h2>Thread safety</h2>
 * Links are put in before their record is published, by the thread that publishes it, and only after the older versions have
 * numbers. {@code flags} and {@code older} may be called by any thread that the record was published to.
 * <h2>Pedigree</h2>
 * Skip pointers: E. Myers, "An applicative random-access stack", Information Processing Letters 17 (1983).
 */
public final class VersionLinks {
    /** One of so many versions with an older one has a skip word. */
    public static final int SKIP_INTERVAL = 32;
    private static final long RANK_MASK = (1L << RecordLayout.RANK_BITS) - 1;

    private final RecordStore records;
    private final boolean olderIsRead;
    private final long secret = new SecureRandom().nextLong();

    /**
     * Makes the links of a store.
     *
     * @param records the store
     * @param olderIsRead whether a write has read the next older version, so that to read it once more costs little
     */
    public VersionLinks(final RecordStore records, final boolean olderIsRead) {
        this.records = records;
        this.olderIsRead = olderIsRead;
    }

    /**
     * Returns the flags for the links of a new version.
     *
     * @param number a number that no other version of the key has, as the pointer of its older version
     * @return {@link RecordLayout#HAS_PREVIOUS}, maybe with {@link RecordLayout#HAS_SKIP}
     */
    public int flags(final long number) {
        return (Hashing.mix64(number ^ secret) & SKIP_INTERVAL - 1) == 0
            ? RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP : RecordLayout.HAS_PREVIOUS;
    }

    /**
     * Returns the link word of a new version.
     *
     * @param flags its version word, or its flags alone
     * @param previous pointer of the next older version
     * @return the word
     */
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
        }
    }

    /**
     * Puts the skip word of a version in that is not published yet and has its link word.
     *
     * @param pointer the version, whose version word says that it has a skip word
     */
    public void putSkipWord(final long pointer) {
        final long word = skipWordTo(RecordLayout.withSkip(linkWord(pointer)));
        records.slab(pointer).putLong(records.offset(pointer) + RecordLayout.SKIP_OFFSET, word);
    }

    /**
     * Links a version that is not published yet to an older one.
     *
     * @param pointer the version, whose version word says which links it has
     * @param previous pointer of the next older version
     */
    public void link(final long pointer, final long previous) {
        final long word = records.versionWord(pointer);
        records.slab(pointer).putLong(
            records.offset(pointer) + RecordLayout.PREVIOUS_OFFSET, linkWord(word, previous));
        if ((word & RecordLayout.HAS_SKIP) != 0) {
            putSkipWord(pointer);
        }
    }

    /** The skip word of a version, given the next older one that has a skip word. */
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
     * Goes from a version that is too new towards the newest one at or below a sequence number.
     *
     * @param pointer the version: its number is greater, or it has none yet
     * @param sequence the sequence number
     * @return pointer of an older version that is not older than the one sought; {@link RecordLayout#NO_RECORD} if there is none
     */
    public long older(final long pointer, final long sequence) {
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
        final long linkWord = linkWord(pointer);
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
