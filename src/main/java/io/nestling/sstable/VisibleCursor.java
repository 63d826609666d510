/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryKind;
import io.nestling.index.MergingCursor;
import io.nestling.index.PositionedCursor;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A cursor over what a reader of several tables sees: the newest version of each key, unless that is hidden: a tombstone or
 * deleted by a range tombstone. On request it shows hidden keys, too, as tombstones.
 * <p>
 * In backward direction the newest version of a key comes last, and only a further move of the merged cursor shows that it
 * was the newest. So backward moves show a copy of the entry, forward moves the entry of the merged cursor.
 * <h2>Thread safety</h2>
 * One thread at a time.
 * <h2>Invariants</h2>
 * <ol>
 * <li>After a forward move, {@code merged} is on the entry shown.</li>
 * <li>After a backward move, {@code merged} is on the oldest version of the next smaller key of any kind, or unpositioned,
 * and {@code prefixWithCopy} is the length of the prefix that this key shares with the copied key.</li>
 * </ol>
 */
final class VisibleCursor extends PositionedCursor {
    private final MergingCursor merged;
    private final RangeTombstones[] deletions;
    private final Path directory;
    private final boolean showsHidden;
    private boolean hidden;
    private boolean copied;
    private int commonPrefix;
    private int prefixWithCopy;

    private byte[] key = new byte[64];
    private int keyLength;
    private byte[] value = new byte[64];
    private int valueLength;
    private long sequence;
    private int table;
    private EntryKind kind;

    /**
     * Creates a cursor over a cursor over all versions.
     *
     * @param merged entries by key, versions of one key from new to old; its inputs are the tables from new to old
     * @param deletions range tombstones of each table
     * @param directory directory of the tables, for messages
     * @param showsHidden whether to show hidden keys as tombstones
     */
    VisibleCursor(
        final MergingCursor merged, final List<RangeTombstones> deletions, final Path directory, final boolean showsHidden) {
        this.merged = merged;
        this.deletions = deletions.toArray(new RangeTombstones[0]);
        this.directory = directory;
        this.showsHidden = showsHidden;
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
    }

    private boolean arriveForward(final boolean found) {
        valid = found && (isMergedShown() || skipForward());
        commonPrefix = 0;
        return valid;
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
        if (copied) {
            copied = false;
            seekCopied();
        }
        commonPrefix = Integer.MAX_VALUE;
        valid = skipForward();
        return valid;
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        valid = false; // stays so if a move throws
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

    /** Moves the merged cursor to the copied key, which it finds unless a table is not in order. */
    private void seekCopied() {
        if (!merged.seek(key, 0, keyLength) || !Arrays.equals(key, 0, keyLength, merged.keyBuffer(), 0, merged.keyLength())) {
            final CorruptTableException corrupt = CorruptTableException.ofFile(directory,
                "a key that a scan passed is not found again: the keys of a table are not in order");
            throw new UncheckedIOException(corrupt.getMessage(), corrupt);
        }
    }

    /** Moves forward to the newest version of the next visible key. */
    private boolean skipForward() {
        int length = merged.keyLength();
        while (merged.next()) {
            final int common = merged.commonPrefix();
            commonPrefix = Math.min(commonPrefix, common);
            final boolean sameKey = common == length && common == merged.keyLength();
            length = merged.keyLength();
            if (!sameKey && isMergedShown()) {
                return true;
            }
        }
        return false;
    }

    /** Copies the newest version of the current key or, if that is not visible, of the next smaller visible one. */
    private boolean copyBackward() {
        copied = true;
        while (true) {
            boolean more;
            do {
                copy();
                more = merged.previous();
                prefixWithCopy = more ? merged.commonPrefix() : 0;
            } while (more && prefixWithCopy == keyLength && prefixWithCopy == merged.keyLength());
            if (isShown(key, keyLength, sequence, kind, table)) {
                return true;
            }
            if (!more) {
                return false;
            }
            commonPrefix = Math.min(commonPrefix, prefixWithCopy);
        }
    }

    private void copy() {
        keyLength = merged.keyLength();
        if (key.length < keyLength) {
            key = new byte[Math.max(keyLength, 2 * key.length)];
        }
        System.arraycopy(merged.keyBuffer(), 0, key, 0, keyLength);
        sequence = merged.sequence();
        table = merged.input();
        kind = merged.kind();
        valueLength = kind == EntryKind.VALUE ? merged.valueLength() : 0;
        if (value.length < valueLength) {
            value = new byte[valueLength];
        }
        if (kind == EntryKind.VALUE) {
            merged.copyValue(value, 0);
        }
    }

    private boolean isMergedShown() {
        return isShown(merged.keyBuffer(), merged.keyLength(), merged.sequence(), merged.kind(), merged.input());
    }

    private boolean isShown(
        final byte[] newestKey, final int length, final long newestSequence, final EntryKind newestKind,
        final int entryTable) {
        hidden = !isVisible(newestKey, length, newestSequence, newestKind, entryTable);
        return showsHidden || !hidden;
    }

    /* Of equal sequence numbers the newer table wins; in one table, an entry wins over a range tombstone. */
    private boolean isVisible(
        final byte[] newestKey, final int length, final long newestSequence, final EntryKind newestKind,
        final int entryTable) {
        if (newestKind != EntryKind.VALUE) {
            return false;
        }
        for (int i = 0; i < deletions.length; i++) {
            final long deleted = deletions[i].newestCovering(newestKey, length, EntryLayout.MAX_SEQUENCE);
            if (deleted > newestSequence || deleted == newestSequence && i < entryTable) {
                return false;
            }
        }
        return true;
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
        return copied ? valueLength : merged.valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        checkValid();
        if (!copied) {
            return merged.copyValue(destination, offset);
        }
        Objects.checkFromIndexSize(offset, valueLength, destination.length);
        System.arraycopy(value, 0, destination, offset, valueLength);
        return valueLength;
    }

    @Override
    public byte[] value() {
        checkValid();
        return copied ? Arrays.copyOf(value, valueLength) : merged.value();
    }

    @Override
    public void close() {
        valid = false;
        merged.close();
    }
}
