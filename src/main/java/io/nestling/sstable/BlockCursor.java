/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static io.nestling.sstable.TableEntryLayout.FORM_BITS;
import static io.nestling.sstable.TableEntryLayout.FORM_MASK;
import static io.nestling.sstable.TableEntryLayout.FORM_RANGE_TOMBSTONE;
import static io.nestling.sstable.TableEntryLayout.MAX_KEY_BYTES;
import static io.nestling.sstable.TableEntryLayout.MAX_SEQUENCE;
import static io.nestling.sstable.TableEntryLayout.MAX_VALUE_BYTES;
import static io.nestling.sstable.TableEntryLayout.isApart;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.Varint;

import java.util.Arrays;

/**
 * A cursor over the entries ({@link TableEntryLayout}) of one unpacked block. It checks every length and offset before it uses
 * them, since a block may be malformed though its checksum is right, and throws {@link MalformedBlockException}.
 * <p>
 * Entries ascend by key; versions of one key descend by sequence number.
 * <p>
 * The key buffer survives {@link #load}, so that {@link #commonPrefix} is exact across blocks.
 */
final class BlockCursor {
    /** Converts the sequence number of a tag into that of the entry. */
    private final long sequenceMask;
    /** Greatest form of an entry. */
    private final int maxForm;
    private byte[] data = new byte[0];
    private int entriesEnd;
    private int restartCount;

    private byte[] key = new byte[64];
    private int keyLength;
    private int commonPrefix;

    /* Header of the current entry. */
    private int entryOffset;
    private int nextOffset;
    private int shared;
    private int unshared;
    private int form;
    private long sequence;
    private int valueLength;
    private int tailOffset;
    private int valueOffset;
    private long expiry;
    private long apartOffset;
    private long apartLength;

    /*
     * For backward moves: an entry stores only the tail of its key, so these arrays list the entries of one restart
     * interval, and a key is assembled from the tails of the nearest entries before it.
     */
    private int intervalRestart = -1;
    private int intervalSize;
    private int intervalPosition;
    private int[] intervalOffsets = new int[TableEntryLayout.RESTART_INTERVAL];
    private int[] intervalShared = new int[TableEntryLayout.RESTART_INTERVAL];
    private int[] intervalTails = new int[TableEntryLayout.RESTART_INTERVAL];
    private byte[] keyBefore = new byte[0];

    private BlockCursor(final long sequenceMask, final int maxForm) {
        this.sequenceMask = sequenceMask;
        this.maxForm = maxForm;
    }

    /** Returns a cursor for data blocks of the first version of the format, and for range tombstone blocks. */
    static BlockCursor ofEntries() {
        return ofEntries(Footer.FIRST_VERSION);
    }

    /** Returns a cursor for data blocks of a version of the format. */
    static BlockCursor ofEntries(final int version) {
        return new BlockCursor(0, version == Footer.FIRST_VERSION ? FORM_MASK : TableEntryLayout.MAX_FORM);
    }

    /** Returns a cursor for index blocks, whose sequence numbers are counted down from the greatest. */
    static BlockCursor ofIndex() {
        return new BlockCursor(MAX_SEQUENCE, FORM_MASK);
    }

    /** Sets the block; the cursor is unpositioned. */
    void load(final byte[] block, final int length) {
        data = block;
        entryOffset = -1;
        nextOffset = -1;
        intervalRestart = -1;
        restartCount = length < Integer.BYTES ? 0 : LittleEndian.getInt(block, length - Integer.BYTES);
        if (restartCount < 1 || restartCount > length / Integer.BYTES - 1) {
            throw new MalformedBlockException(restartCount + " restart points in a block of " + length + " bytes");
        }
        entriesEnd = length - (restartCount + 1) * Integer.BYTES;
        if (restart(0) != 0) {
            throw new MalformedBlockException("first restart point is " + restart(0) + ", not 0");
        }
    }

    byte[] keyBuffer() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    /** Returns the length of the prefix shared with the key before the last move, which was a single step. */
    int commonPrefix() {
        return commonPrefix;
    }

    /** Returns the number of key bytes that the entry omits because the one before has them. */
    int shared() {
        return shared;
    }

    long sequence() {
        return sequence;
    }

    int form() {
        return form;
    }

    int valueLength() {
        return valueLength;
    }

    /** Returns the expiry of an entry that has one. */
    long expiry() {
        return expiry;
    }

    /** Returns the offset of the value in {@link #data}, unless it is stored apart. */
    int valueOffset() {
        return valueOffset;
    }

    byte[] data() {
        return data;
    }

    /** Returns the handle of a value that is stored apart. */
    ChunkedHandle apart() {
        return new ChunkedHandle(apartOffset, apartLength, valueLength);
    }

    /** Returns whether the current entry begins at a restart point. */
    boolean atRestart() {
        return restartOf(entryOffset, false) >= 0;
    }

    int restartCount() {
        return restartCount;
    }

    /** Moves to the first entry. */
    void first() {
        stepTo(0);
    }

    /** Moves to the last entry. */
    void last() {
        listInterval(restartCount - 1);
        moveInInterval(intervalSize - 1, 0);
    }

    /** Moves to the next entry; at the end returns false and does not move. */
    boolean next() {
        if (nextOffset >= entriesEnd) {
            return false;
        }
        stepTo(nextOffset);
        return true;
    }

    /** Moves to the previous entry; at the start returns false and does not move. */
    boolean previous() {
        if (entryOffset == 0) {
            return false;
        }
        if (intervalRestart >= 0 && intervalPosition > 0 && intervalOffsets[intervalPosition] == entryOffset) {
            moveInInterval(intervalPosition - 1, intervalShared[intervalPosition]);
            return true;
        }
        final int offset = entryOffset;
        final int restart = restartOf(offset, true);
        if (restart(restart) == offset) {
            listInterval(restart - 1);
            moveInInterval(intervalSize - 1, 0);
            return true;
        }
        listInterval(restart);
        final int at = Arrays.binarySearch(intervalOffsets, 0, intervalSize, offset);
        if (at < 1) {
            throw new MalformedBlockException("no entry before the one at " + offset + " of the block");
        }
        moveInInterval(at - 1, intervalShared[at]);
        return true;
    }

    /**
     * Moves to the first entry at or after a version of a key; if there is none, returns false and leaves the cursor undefined.
     */
    boolean seek(final byte[] target, final int offset, final int length, final long targetSequence) {
        int low = 0;
        int high = restartCount - 1;
        while (low < high) {
            final int middle = low + high + 1 >>> 1;
            if (compareRestart(middle, target, offset, length, targetSequence) < 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        stepTo(restart(low));
        while (compare(target, offset, length, targetSequence) < 0) {
            if (!next()) {
                return false;
            }
        }
        return true;
    }

    /** Compares the current entry with a version of a key. */
    int compare(final byte[] target, final int offset, final int length, final long targetSequence) {
        final int order = ByteComparison.compare(key, 0, keyLength, target, offset, length);
        return order != 0 ? order : Long.compare(targetSequence, sequence);
    }

    /** Compares the entry at a restart point with a version of a key. Leaves the cursor unpositioned. */
    int compareRestart(final int restart, final byte[] target, final int offset, final int length, final long targetSequence) {
        readHeader(restart(restart));
        if (shared != 0) {
            throw malformed("shares " + shared + " bytes with the entry before, at a restart point");
        }
        final int order = ByteComparison.compare(data, tailOffset, unshared, target, offset, length);
        return order != 0 ? order : Long.compare(targetSequence, sequence);
    }

    private void stepTo(final int offset) {
        final boolean first = offset == 0;
        readHeader(offset);
        if (first ? shared != 0 : shared > keyLength) {
            throw malformed("shares " + shared + " bytes with a key of " + (first ? 0 : keyLength));
        }
        commonPrefix = shared != 0 ? shared : ByteComparison.commonPrefix(key, 0, keyLength, data, tailOffset, unshared);
        keyLength = shared + unshared;
        reserveKey();
        System.arraycopy(data, tailOffset, key, shared, unshared);
    }

    /** Lists the entries of a restart interval. */
    private void listInterval(final int restart) {
        if (intervalRestart == restart) {
            return;
        }
        intervalRestart = -1;
        intervalPosition = 0;
        final int end = restart + 1 < restartCount ? restart(restart + 1) : entriesEnd;
        int offset = restart(restart);
        int length = 0;
        intervalSize = 0;
        while (offset < end) {
            readHeader(offset);
            if (shared > length) {
                throw malformed("shares " + shared + " bytes with a key of " + length);
            }
            length = shared + unshared;
            if (intervalSize == intervalOffsets.length) {
                intervalShared = Arrays.copyOf(intervalShared, 2 * intervalSize);
                intervalTails = Arrays.copyOf(intervalTails, 2 * intervalSize);
                intervalOffsets = Arrays.copyOf(intervalOffsets, 2 * intervalSize);
            }
            intervalOffsets[intervalSize] = offset;
            intervalShared[intervalSize] = shared;
            intervalTails[intervalSize] = tailOffset;
            intervalSize++;
            offset = nextOffset;
        }
        if (offset != end || intervalSize == 0) {
            throw new MalformedBlockException("restart point " + end + " is not at the end of an entry");
        }
        intervalRestart = restart;
    }

    /** Moves to an entry of the listed interval; the key buffer holds the first {@code known} bytes of its key already. */
    private void moveInInterval(final int entry, final int known) {
        intervalPosition = entry;
        final int lengthBefore = keyLength;
        if (known == 0) {
            keyBefore = keyBefore.length < key.length ? Arrays.copyOf(key, key.length) : keyBefore;
            System.arraycopy(key, 0, keyBefore, 0, keyLength);
        }
        readHeader(intervalOffsets[entry]);
        keyLength = shared + unshared;
        reserveKey();
        int missing = keyLength;
        for (int i = entry; missing > known; i--) {
            final int from = Math.max(intervalShared[i], known);
            if (from < missing) {
                System.arraycopy(data, intervalTails[i] + from - intervalShared[i], key, from, missing - from);
                missing = from;
            }
        }
        commonPrefix = known != 0 ? known : ByteComparison.commonPrefix(keyBefore, 0, lengthBefore, key, 0, keyLength);
    }

    private void readHeader(final int offset) {
        entryOffset = offset;
        nextOffset = offset;
        shared = readInt();
        unshared = readInt();
        final long tag = readLong();
        form = (int) tag & FORM_MASK;
        sequence = tag >>> FORM_BITS ^ sequenceMask;
        valueLength = TableEntryLayout.hasValueLength(form) ? readInt() : 0;
        if ((shared | unshared) < 0 || shared > MAX_KEY_BYTES || unshared > MAX_KEY_BYTES - shared) {
            throw malformed("key of " + (shared & 0xFFFF_FFFFL) + " + " + (unshared & 0xFFFF_FFFFL)
                + " bytes");
        }
        if (sequence > MAX_SEQUENCE) {
            throw malformed("sequence number " + sequence);
        }
        if (valueLength < 0 || valueLength > MAX_VALUE_BYTES) {
            throw malformed("value of " + (valueLength & 0xFFFF_FFFFL) + " bytes");
        }
        tailOffset = nextOffset;
        skip(unshared, "key");
        if (form == FORM_RANGE_TOMBSTONE && maxForm > FORM_MASK) {
            readLaterForm();
        }
        valueOffset = nextOffset;
        if (isApart(form)) {
            apartOffset = readLong();
            apartLength = readLong();
        } else {
            skip(valueLength, "value");
        }
    }

    /** Reads the form that stands behind the key, and the expiry, if there is one. */
    private void readLaterForm() {
        form = readInt();
        if (form < TableEntryLayout.FIRST_LATER_FORM || form > maxForm) {
            throw malformed("form " + (form & 0xFFFF_FFFFL) + " behind the key, expected "
                + TableEntryLayout.FIRST_LATER_FORM + " to " + maxForm);
        }
        expiry = TableEntryLayout.expires(form) ? readLong() : 0;
        if (expiry < 0) {
            throw malformed("expiry " + expiry);
        }
    }

    private void skip(final int length, final String what) {
        if (length > entriesEnd - nextOffset) {
            throw malformed(what + " of " + length + " bytes reaches beyond the entries, which end at " + entriesEnd);
        }
        nextOffset += length;
    }

    private int readInt() {
        if (nextOffset < entriesEnd && data[nextOffset] >= 0) {
            return data[nextOffset++];
        }
        final int value = TableEntryLayout.readInt(data, nextOffset, entriesEnd);
        nextOffset += Varint.length(value);
        return value;
    }

    private long readLong() {
        final long value = TableEntryLayout.readLong(data, nextOffset, entriesEnd);
        nextOffset += Varint.length(value);
        return value;
    }

    private int restart(final int restart) {
        final int offset = LittleEndian.getInt(data, entriesEnd + restart * Integer.BYTES);
        if (offset < 0 || offset >= entriesEnd) {
            throw new MalformedBlockException("restart point " + offset
                + " is outside of the entries, which end at " + entriesEnd);
        }
        return offset;
    }

    /** Returns the number of the restart point at an offset or, if allowed, of the last one before it; -1 if there is none. */
    private int restartOf(final int offset, final boolean orBefore) {
        int low = 0;
        int high = restartCount - 1;
        while (low < high) {
            final int middle = low + high + 1 >>> 1;
            if (restart(middle) <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return orBefore || restart(low) == offset ? low : -1;
    }

    private void reserveKey() {
        if (key.length < keyLength) {
            key = Arrays.copyOf(key, Math.max(keyLength, 2 * key.length));
        }
    }

    private MalformedBlockException malformed(final String problem) {
        return new MalformedBlockException("entry at " + entryOffset + " of the block: " + problem);
    }
}
