/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.bytes.ByteComparison;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A cursor over what a reader of several memtables and tables sees as of a sequence number: of each key the newest version that
 * counts, unless that is hidden: a tombstone, expired, or deleted by a range tombstone. On request it shows hidden keys as
 * tombstones. Of operands it shows the value that they are combined to, with the version before them; the operator is called when
 * the value is asked for.
 * <p>
 * The version of a key with the greatest sequence number counts; of equal ones, that of the earlier input, and in one input
 * an entry before a range tombstone.
 * <p>
 * The clock is read once, when the cursor is made: what expires afterwards is shown until the end.
 * <p>
 * In backward direction the newest version of a key comes last, and only a further move of the merged cursor shows that it
 * was the newest. So backward moves show a copy of the entry, forward moves the entry of the merged cursor.
 * <p> Longer than 450 lines: both directions share one state.
 * <h2>Thread safety</h2>
 * One thread at a time.
 * <h2>Invariants</h2>
 * <ol>
 * <li>After a forward move, {@code merged} is on the entry shown.</li>
 * <li>After a backward move, {@code merged} is on the oldest version of the next smaller key of any kind, or unpositioned,
 * and {@code prefixWithCopy} is the length of the prefix that this key shares with the copied key.</li>
 * <li>If the entry shown was gathered from operands, in either direction, its key is copied, and {@code merged} is on the version
 * that ended them or behind it.</li>
 * </ol>
 */
public final class VisibleCursor extends PositionedCursor {
    private final Versions[] inputs;
    private final MergingCursor merged;
    private final RangeTombstoneSet[] deletions;
    private final long maxSequence;
    private final boolean showsHidden;
    private final ValueRules rules;
    private final long now;
    private boolean hidden;
    private boolean gathered;
    /* Of the entry shown; null if it has none. */
    private Operands operands;
    private byte[] combined;
    private boolean copied;
    private int commonPrefix;
    private int prefixWithCopy;

    private byte[] key = new byte[64];
    private int keyLength;
    private byte[] value = new byte[64];
    private int valueLength;
    private long sequence;
    private int input;
    private EntryKind kind;
    private long expiry;

    private VisibleCursor(
        final List<? extends Versions> versions, final long maxSequence, final ValueRules rules, final boolean showsHidden) {
        this.inputs = versions.toArray(new Versions[0]);
        final EntryCursor[] cursors = new EntryCursor[inputs.length];
        this.deletions = new RangeTombstoneSet[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            final long asOf = inputs[i].asOf();
            if (asOf != Versions.EVERY_VERSION && asOf > maxSequence) {
                throw new IllegalArgumentException("expected versions as of " + maxSequence + " or before but was as of " + asOf);
            }
            cursors[i] = inputs[i].cursor();
            deletions[i] = inputs[i].rangeTombstones();
        }
        this.merged = MergingCursor.bySequence(cursors);
        this.maxSequence = maxSequence;
        this.showsHidden = showsHidden;
        this.rules = rules;
        this.now = rules.clock().getAsLong();
    }

    /**
     * Returns a cursor over the values that a reader sees.
     *
     * @param versions the inputs, from new to old, which are moved and closed through the new cursor only
     * @param maxSequence greatest sequence number that counts
     * @return an unpositioned cursor
     * @throws IllegalArgumentException if an input shows a newer state only; the inputs stay as they were
     */
    public static VisibleCursor of(final List<? extends Versions> versions, final long maxSequence) {
        return of(versions, maxSequence, ValueRules.DEFAULT);
    }

    /**
     * Returns a cursor over the values that a reader sees, with rules of its own.
     *
     * @param versions the inputs, from new to old, which are moved and closed through the new cursor only
     * @param maxSequence greatest sequence number that counts
     * @param rules by which entries become values
     * @return an unpositioned cursor
     * @throws IllegalArgumentException if an input shows a newer state only; the inputs stay as they were
     */
    public static VisibleCursor of(
        final List<? extends Versions> versions, final long maxSequence, final ValueRules rules) {
        return new VisibleCursor(versions, maxSequence, rules, false);
    }

    /**
     * Returns a cursor as {@link #of} does, which shows deleted keys, too, as tombstones: for {@link HiddenLimitCursor}. A key
     * whose versions are all above {@code maxSequence} is not shown.
     *
     * @param versions the inputs, from new to old, which are moved and closed through the new cursor only
     * @param maxSequence greatest sequence number that counts
     * @return an unpositioned cursor
     * @throws IllegalArgumentException if an input shows a newer state only; the inputs stay as they were
     */
    public static VisibleCursor withHidden(final List<? extends Versions> versions, final long maxSequence) {
        return withHidden(versions, maxSequence, ValueRules.DEFAULT);
    }

    /**
     * Returns a cursor as {@link #withHidden(List, long)} does, with rules of its own.
     *
     * @param versions the inputs, from new to old, which are moved and closed through the new cursor only
     * @param maxSequence greatest sequence number that counts
     * @param rules by which entries become values
     * @return an unpositioned cursor
     * @throws IllegalArgumentException if an input shows a newer state only; the inputs stay as they were
     */
    public static VisibleCursor withHidden(
        final List<? extends Versions> versions, final long maxSequence, final ValueRules rules) {
        return new VisibleCursor(versions, maxSequence, rules, true);
    }

    @Override
    public boolean first() {
        begin();
        return arriveForward(merged.first());
    }

    @Override
    public boolean seek(final byte[] target, final int offset, final int length) {
        begin();
        return arriveForward(merged.seek(target, offset, length));
    }

    @Override
    public boolean last() {
        begin();
        return arriveBackward(merged.last());
    }

    @Override
    public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
        begin();
        return arriveBackward(merged.seekLowerThan(target, offset, length));
    }

    private void begin() {
        valid = false;
        copied = false;
        gathered = false;
    }

    private boolean arriveForward(final boolean found) {
        valid = found && showForward();
        commonPrefix = 0;
        return valid;
    }

    /** Stays on the merged cursor's entry or, if that is not shown, moves forward to the next one to show. */
    private boolean showForward() {
        final boolean counts = merged.sequence() <= maxSequence;
        return counts && isMergedShown() || skipForward(counts);
    }

    private boolean arriveBackward(final boolean found) {
        valid = found && copyBackward();
        commonPrefix = 0;
        return valid;
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        valid = false; // stays so if a move throws
        commonPrefix = Integer.MAX_VALUE;
        if (gathered) {
            begin();
            return merged.valid() && goOn();
        }
        if (copied) {
            copied = false;
            seekCopied();
        }
        valid = skipForward(true);
        return valid;
    }

    /** Goes on from an entry behind operands. */
    private boolean goOn() {
        final int common =
            ByteComparison.commonPrefix(key, 0, keyLength, merged.keyBuffer(), 0, merged.keyLength());
        if (common == keyLength && common == merged.keyLength()) {
            valid = skipForward(true);
        } else {
            commonPrefix = common;
            valid = showForward();
        }
        return valid;
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        valid = false; // stays so if a move throws
        if (gathered) {
            begin();
            seekCopied();
        }
        if (!copied) {
            if (!merged.previous()) {
                return false;
            }
            prefixWithCopy = merged.commonPrefix();
        }
        commonPrefix = prefixWithCopy;
        valid = merged.valid() && copyBackward();
        return valid;
    }

    /** Moves the merged cursor to the copied version, which it finds unless an input is not in order. */
    private void seekCopied() {
        boolean found = merged.seek(key, 0, keyLength);
        while (found && merged.sequence() > maxSequence && isOnCopiedKey()) {
            found = merged.next();
        }
        if (!found || !isOnCopiedKey() || merged.sequence() != sequence || merged.input() != input) {
            throw inputs[input].outOfOrder("a key that a scan passed is not found again: the keys of a table are not in order");
        }
    }

    private boolean isOnCopiedKey() {
        return Arrays.equals(key, 0, keyLength, merged.keyBuffer(), 0, merged.keyLength());
    }

    /** Moves forward to the version to show of the next visible key, if the version that counts of the current key was met. */
    private boolean skipForward(final boolean wasFound) {
        boolean found = wasFound;
        int length = merged.keyLength();
        while (merged.next()) {
            final int common = merged.commonPrefix();
            commonPrefix = Math.min(commonPrefix, common);
            found &= common == length && common == merged.keyLength(); // still the same key
            length = merged.keyLength();
            if (!found && merged.sequence() <= maxSequence) {
                found = true;
                if (isMergedShown()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Copies the key, and gathers its operands until a version ends them. */
    private void gather() {
        copyKey();
        copied = true;
        gathered = true;
        sequence = merged.sequence();
        input = merged.input();
        operands = new Operands();
        long last = -1;
        boolean more = true;
        while (more && isOnCopiedKey()) {
            if (merged.sequence() != last) { // else it is the same version in an older input
                last = merged.sequence();
                final boolean isDeleted = isDeleted(key, keyLength, last, merged.input());
                if (!isDeleted && merged.kind() == EntryKind.OPERAND) {
                    operands.addOlder(merged.value());
                } else {
                    operands.end(isDeleted || !isAlive(merged) ? null : merged.value());
                    return;
                }
            }
            more = merged.next();
        }
        if (isDeleted(key, keyLength, -1, 0)) { // all older data
            operands.end(null);
        }
    }

    /** Copies the version that counts of the current key or, if that is not visible, of the next smaller visible one. */
    private boolean copyBackward() {
        copied = true;
        operands = null;
        combined = null;
        while (true) {
            boolean found = false;
            boolean more;
            int length;
            do {
                if (merged.sequence() <= maxSequence) {
                    copy();
                    found = true;
                }
                length = merged.keyLength();
                more = merged.previous();
                prefixWithCopy = more ? merged.commonPrefix() : 0;
            } while (more && prefixWithCopy == length && prefixWithCopy == merged.keyLength());
            if (found && isShown(key, keyLength, sequence, isAlive(kind, expiry), input)) {
                if (!hidden && kind == EntryKind.OPERAND) {
                    copied = false;
                    seekCopied();
                    gather();
                }
                return true;
            }
            if (!more) {
                return false;
            }
            commonPrefix = Math.min(commonPrefix, prefixWithCopy);
        }
    }

    private void copyKey() {
        keyLength = merged.keyLength();
        if (key.length < keyLength) {
            key = new byte[Math.max(keyLength, 2 * key.length)];
        }
        System.arraycopy(merged.keyBuffer(), 0, key, 0, keyLength);
    }

    private void copy() {
        copyKey();
        sequence = merged.sequence();
        input = merged.input();
        kind = merged.kind();
        expiry = kind == EntryKind.EXPIRING ? merged.expiry() : 0;
        valueLength = kind.isValue() ? merged.valueLength() : 0;
        if (value.length < valueLength) {
            value = new byte[valueLength];
        }
        if (kind.isValue()) {
            merged.copyValue(value, 0);
        }
    }

    private boolean isAlive(final EntryKind entryKind, final long entryExpiry) {
        return entryKind.isValue() && (entryKind != EntryKind.EXPIRING || entryExpiry > now);
    }

    private boolean isAlive(final EntryCursor cursor) {
        final EntryKind cursorKind = cursor.kind();
        return isAlive(cursorKind, cursorKind == EntryKind.EXPIRING ? cursor.expiry() : 0);
    }

    private boolean isMergedShown() {
        operands = null;
        combined = null;
        final boolean isShown =
            isShown(merged.keyBuffer(), merged.keyLength(), merged.sequence(), isAlive(merged), merged.input());
        if (!hidden && merged.kind() == EntryKind.OPERAND) {
            gather();
        }
        return isShown;
    }

    private boolean isShown(
        final byte[] newestKey, final int length, final long newestSequence, final boolean isAlive, final int entryInput) {
        hidden = !isAlive || isDeleted(newestKey, length, newestSequence, entryInput);
        return showsHidden || !hidden;
    }

    private boolean isDeleted(final byte[] newestKey, final int length, final long newestSequence, final int entryInput) {
        for (int i = 0; i < deletions.length; i++) {
            final long deleted = deletions[i].newestCovering(newestKey, length, maxSequence);
            if (deleted > newestSequence || deleted == newestSequence && i < entryInput) {
                return true;
            }
        }
        return false;
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return copied ? key : merged.keyBuffer();
    }

    @Override
    public int keyLength() {
        checkValid();
        return copied ? keyLength : merged.keyLength();
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return commonPrefix;
    }

    @Override
    public long sequence() {
        checkValid();
        return copied ? sequence : merged.sequence();
    }

    @Override
    public EntryKind kind() {
        checkValid();
        return hidden ? EntryKind.TOMBSTONE : EntryKind.VALUE;
    }

    @Override
    public int valueLength() {
        checkValid();
        return hidden ? 0 : operands != null ? combined().length : copied ? valueLength : merged.valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        checkValid();
        if (hidden) {
            return 0;
        }
        if (!copied) {
            return merged.copyValue(destination, offset);
        }
        final byte[] source = operands != null ? combined() : value;
        final int length = operands != null ? source.length : valueLength;
        Objects.checkFromIndexSize(offset, length, destination.length);
        System.arraycopy(source, 0, destination, offset, length);
        return length;
    }

    private byte[] combined() {
        if (combined == null) {
            combined = operands.combine(key(), rules);
        }
        return combined;
    }

    /**
     * Moves to a key, and returns what the inputs know of it.
     *
     * @param target the key
     * @return its value; its operands if no input has a value or a deletion before them; absent if the key is not visible
     * @throws MergeFailedException if the operator is missing or fails
     */
    public LookupResult resolve(final byte[] target) {
        if (!seek(target) || hidden || !Arrays.equals(target, 0, target.length, keyBuffer(), 0, keyLength())) {
            return LookupResult.ABSENT;
        }
        return operands != null ? operands.result(target, sequence, rules) : LookupResult.value(sequence(), value());
    }

    @Override
    public byte[] value() {
        checkValid();
        return hidden ? null : operands != null ? combined().clone()
            : copied ? Arrays.copyOf(value, valueLength) : merged.value();
    }

    @Override
    public void close() {
        super.close();
        try {
            merged.close();
        } finally {
            for (final Versions versions : inputs) {
                versions.close();
            }
        }
    }
}
