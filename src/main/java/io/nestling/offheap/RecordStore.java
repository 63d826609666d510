/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;

/**
 * An arena of records ({@link RecordLayout}) in slabs that grow with their content.
 * <p>
 * Appending writes a record with its lengths and key and returns its pointer; the caller then copies the value and publishes the
 * pointer with release semantics. From then on nothing of the record changes but its version word and, where records are
 * {@linkplain #recyclePrevious recycled}, its link word. Closing releases the space.
 * <p> Longer than 450 lines: the methods that write a record and those that read it share its layout.
 * <h2>Thread safety</h2>
 * Any number of threads append at the same time ({@code reserve} and {@code appendAlone} are for a single writer) and
 * read what was published to them. The owner calls {@code close} after all other use has ended.
 */
public final class RecordStore extends RecordSlabs implements KeySource {
    private static final int SHORT_MASK = 0xFFFF;
    /* Bits of two varints, one of which is set if a varint has more than one byte. */
    private static final int LONG_LENGTHS = 0x8080;
    /* Lengths below this one take a byte. */
    private static final int SHORT_LENGTHS = 0x80;
    /* Flags of what may stand between the version word and the lengths. */
    private static final int BETWEEN = RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_EXPIRY;
    /* A record's head is its first two bytes and the two behind its version word. The mask has the bits that decide its form. */
    private static final int HEAD_MASK = BETWEEN | RecordLayout.HAS_KEY | LONG_LENGTHS << Short.SIZE;
    private static final int KEY_LENGTH_SHIFT = Integer.SIZE - Byte.SIZE;
    /* Version word, two short lengths, and the first bytes of the value. */
    private static final int BESIDE_KEY_BYTES = 18;

    /** Creates an empty store, which takes no memory. No record can be larger than a slab, whose size the allocator limits. */
    public RecordStore(final SlabAllocator allocator, final MemoryBudget budget, final long slabBytes) {
        this(allocator, budget, slabBytes, 0);
    }

    /** Creates an empty store whose first records lie in a small slab of {@code smallBytes}, 0 for none. */
    public RecordStore(
        final SlabAllocator allocator, final MemoryBudget budget, final long slabBytes, final long smallBytes) {
        super(allocator, budget, slabBytes, smallBytes);
    }

    /**
     * Appends a record without its value and without a key, in front of an older version or {@link RecordLayout#NO_RECORD};
     * returns its pointer. The caller copies the value. Throws if it does not fit.
     */
    public long append(final long sequence, final int kind, final long previous, final int valueLength) {
        final long word = RecordLayout.versionWord(sequence, kind, previous != RecordLayout.NO_RECORD, false);
        return append(word, previous, null, 0, RecordLayout.NO_KEY, valueLength);
    }

    /**
     * Appends a record without its value and its skip word.
     *
     * @param versionWord {@link RecordLayout#versionWord}
     * @param linkWord {@link RecordLayout#linkWord} of the older version, or {@link RecordLayout#NO_RECORD}
     * @param key array that holds the key
     * @param keyOffset its first byte
     * @param keyLength its bytes; {@link RecordLayout#NO_KEY} unless the version word has {@link RecordLayout#HAS_KEY}
     * @param valueLength bytes that the caller will copy to the value
     * @return pointer of the record
     * @throws SpaceExhaustedException if it does not fit
     */
    public long append(
        final long versionWord, final long linkWord, final byte[] key, final int keyOffset, final int keyLength,
        final int valueLength) {
        final long position = claim(RecordLayout.recordBytes(versionWord, keyLength, valueLength));
        final long start = putHeader(position, versionWord, linkWord, keyLength, valueLength);
        return putKey(position, start, versionWord, key, keyOffset, keyLength);
    }

    /** Appends a record as {@link #append(long, long, byte[], int, int, int)}. No other thread may append meanwhile. */
    public long appendAlone(
        final long versionWord, final long linkWord, final byte[] key, final int keyOffset, final int keyLength,
        final int valueLength) {
        final long position = claimAlone(RecordLayout.recordBytes(versionWord, keyLength, valueLength));
        final long start = putHeader(position, versionWord, linkWord, keyLength, valueLength);
        return putKey(position, start, versionWord, key, keyOffset, keyLength);
    }

    /** Writes the key, if there is one, and the version word. */
    private long putKey(
        final long position, final long start, final long versionWord, final byte[] key, final int keyOffset,
        final int keyLength) {
        final Slab slab = slabOf(position);
        if (keyLength != RecordLayout.NO_KEY) {
            SlabBytes.copyIn(slab, start, key, keyOffset, keyLength);
        }
        slab.putLong(position & slabMask, versionWord);
        return position >>> RecordLayout.POINTER_SHIFT;
    }

    /**
     * Appends a record with its key and a value of eight bytes, little endian; returns its pointer. The version word has {@link
     * RecordLayout#HAS_KEY} and no previous version. Throws if it does not fit.
     */
    public long appendLong(
        final long versionWord, final byte[] key, final int keyOffset, final int keyLength, final long value) {
        if ((versionWord & (RecordLayout.HAS_KEY | RecordLayout.HAS_PREVIOUS)) != RecordLayout.HAS_KEY) {
            throw new IllegalArgumentException(
                "expected a version word with a key and no link word but was " + Long.toHexString(versionWord));
        }
        final long position = claim(RecordLayout.recordBytes(versionWord, keyLength, Long.BYTES));
        final Slab slab = slabOf(position);
        final long start = putHeader(position, versionWord, RecordLayout.NO_RECORD, keyLength, Long.BYTES);
        SlabBytes.copyIn(slab, start, key, keyOffset, keyLength);
        slab.putLong(start + keyLength, value);
        slab.putLong(position & slabMask, versionWord);
        return position >>> RecordLayout.POINTER_SHIFT;
    }

    /** Copies the value into an unpublished record. */
    public void putValue(final long pointer, final byte[] source, final int offset, final int length) {
        SlabBytes.copyIn(slab(pointer), valueOffset(pointer), source, offset, length);
    }

    /** Copies the value into an unpublished record. */
    public void putValue(final long pointer, final DirectBuffer source, final int offset, final int length) {
        slab(pointer).putBytes(valueOffset(pointer), source, offset, length);
    }

    /**
     * Sets the expiry, in milliseconds since the epoch, of an unpublished record whose kind has {@link RecordLayout#HAS_EXPIRY}.
     */
    public void putExpiry(final long pointer, final long expiry) {
        slab(pointer).putLong(expiryOffset(pointer), expiry);
    }

    /** Returns the expiry, in milliseconds since the epoch, of a record whose kind has {@link RecordLayout#HAS_EXPIRY}. */
    public long expiry(final long pointer) {
        return slab(pointer).getLong(expiryOffset(pointer));
    }

    private long expiryOffset(final long pointer) {
        final long word = versionWord(pointer);
        if ((word & RecordLayout.HAS_EXPIRY) == 0) {
            throw new IllegalStateException("record " + pointer + " has no expiry");
        }
        return offset(pointer) + RecordLayout.lengthsOffset(word) - Long.BYTES;
    }

    /** Returns a view of the value of an unpublished record, for copying the value in. It must not be kept. */
    public ByteBuffer valueView(final long pointer) {
        return slab(pointer).view(valueOffset(pointer), valueLength(pointer));
    }

    /**
     * Makes room for links ({@link RecordLayout#HAS_PREVIOUS}, possibly with {@link RecordLayout#HAS_SKIP}) to older versions in
     * the record that was appended last, which has none and is not published. It may move; returns its pointer. No other thread
     * may append meanwhile. If it does not fit, it throws, and the record's space is free again.
     */
    public long addLinksAlone(final long pointer, final int links) {
        final long bytes = RecordWalk.bytesOf(this, pointer);
        final long added = RecordLayout.lengthsOffset(links) - RecordLayout.PREVIOUS_OFFSET;
        final long end = (pointer << RecordLayout.POINTER_SHIFT) + bytes;
        final boolean grows = canGrow(end, added);
        long linked = pointer;
        if (!grows) {
            try {
                reserve(bytes + added, 0);
            } catch (final SpaceExhaustedException e) {
                retractAlone(pointer, bytes);
                throw e;
            }
            linked = claimAlone(bytes + added) >>> RecordLayout.POINTER_SHIFT;
        }
        copyBehindLinks(pointer, linked, bytes, links);
        if (grows) {
            next.setRelease(end + added);
        }
        putLinkFlags(pointer, linked, links);
        if (!grows && free != null) {
            free.discard(pointer, bytes);
        }
        return linked;
    }

    /** Frees the record that was appended last, given its size. */
    private void retractAlone(final long pointer, final long bytes) {
        final long position = pointer << RecordLayout.POINTER_SHIFT;
        if (next.get() != position + bytes) {
            free.discard(pointer, bytes); // recycled memory: fresh memory was claimed last
            return;
        }
        final Slab slab = slab(pointer);
        for (long at = 0; at < bytes; at += Long.BYTES) {
            slab.putLong(offset(pointer) + at, 0); // the version word first: a walk ends before it, and before those to come
        }
        next.setRelease(position);
    }

    /** Copies all of a record but its version word to where it lies behind links, in the same record or in another one. */
    void copyBehindLinks(final long pointer, final long linked, final long bytes, final int links) {
        final Slab from = slab(pointer);
        final long source = offset(pointer);
        final Slab to = slab(linked);
        final long target = offset(linked) + RecordLayout.lengthsOffset(links) - RecordLayout.PREVIOUS_OFFSET;
        for (long at = bytes - Long.BYTES; at >= RecordLayout.PREVIOUS_OFFSET; at -= Long.BYTES) {
            to.putLong(target + at, from.getLong(source + at)); // from the end, since both may overlap
        }
    }

    /** Writes the version word of a record with links, given the record without them. */
    void putLinkFlags(final long pointer, final long linked, final int links) {
        slab(linked).putLong(offset(linked), slab(pointer).getLong(offset(pointer)) | links);
    }

    /**
     * Sets the sequence number of a record that was appended with number 0 (release). Readers pass the record over until then.
     */
    public void putSequence(final long pointer, final long sequence) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        slab.putLongRelease(at, slab.getLong(at) | sequence << RecordLayout.SEQUENCE_SHIFT);
    }

    /** Prefetches the beginning of a record; does nothing without a native bridge, or for {@link RecordLayout#NO_RECORD}. */
    public void prefetch(final long pointer) {
        if (pointer != RecordLayout.NO_RECORD) {
            slab(pointer).prefetch(offset(pointer));
        }
    }

    /** Returns the version word of a record ({@link RecordLayout}), read plainly. */
    public long versionWord(final long pointer) {
        return slab(pointer).getLong(offset(pointer));
    }

    /** Returns the version word of a record that another thread may be numbering. */
    public long versionWordAcquire(final long pointer) {
        return slab(pointer).getLongAcquire(offset(pointer));
    }

    /**
     * Changes the version word of a published record if it is as expected, with the same flags of what follows it; returns
     * whether it did.
     */
    public boolean compareAndSetVersionWord(final long pointer, final long expected, final long word) {
        return slab(pointer).compareAndSetLong(offset(pointer), expected, word);
    }

    /** Marks a numbered record without older version, to which another one is about to be linked, as superseded. */
    public void supersede(final long pointer) {
        long word = versionWordAcquire(pointer);
        while ((word & RecordLayout.SUPERSEDED) == 0 && previous(pointer) == RecordLayout.NO_RECORD
            && !compareAndSetVersionWord(pointer, word, word | RecordLayout.SUPERSEDED)) {
            word = versionWordAcquire(pointer);
        }
    }

    /** Returns the next older version of a record's key, or {@link RecordLayout#NO_RECORD}. */
    public long previous(final long pointer) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        return (slab.getLong(at) & RecordLayout.HAS_PREVIOUS) == 0
            ? RecordLayout.NO_RECORD : RecordLayout.previous(slab.getLong(at + RecordLayout.PREVIOUS_OFFSET));
    }

    /**
     * Unlinks the version behind another one, both without skip words (release), and retires it: its memory is used again once no
     * reader can hold it. Only for a store with one writer, with the same epochs in each call. Returns false if that version is
     * larger than 1 GiB, and stays.
     */
    public boolean recyclePrevious(final long pointer, final EpochReclaimer epochs) {
        final long unlinked = previous(pointer);
        final long bytes = RecordWalk.bytesOf(this, unlinked);
        if (bytes > FreeRecords.MAX_BYTES) {
            return false;
        }
        if (free == null) {
            free = new FreeRecords(this, epochs);
        }
        final Slab slab = slab(unlinked);
        final long at = offset(unlinked);
        slab.putLongRelease(at, slab.getLong(at) | RecordLayout.SUPERSEDED); // while a newer one links to it
        slab(pointer).putLongRelease(offset(pointer) + RecordLayout.PREVIOUS_OFFSET, previous(unlinked));
        free.retire(unlinked, bytes);
        return true;
    }

    /** Returns the size of a record, with its padding, in bytes. */
    public long bytesOf(final long pointer) {
        return RecordWalk.bytesOf(this, pointer);
    }

    /** Returns the length of a record's value in bytes. */
    public int valueLength(final long pointer) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        return SlabBytes.varint(slab, at + RecordLayout.lengthsOffset(slab.getLong(at)));
    }

    /**
     * Copies a record's value to an array and returns its length; throws an {@link IndexOutOfBoundsException} if it does not fit.
     */
    public int copyValue(final long pointer, final byte[] destination, final int destinationOffset) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        final long word = slab.getLong(at);
        long start = at + RecordLayout.lengthsOffset(word);
        final int length = SlabBytes.varint(slab, start);
        java.util.Objects.checkFromIndexSize(destinationOffset, length, destination.length);
        start += RecordLayout.varintBytes(length);
        if ((word & RecordLayout.HAS_KEY) != 0) {
            final int keyLength = SlabBytes.varint(slab, start);
            start += RecordLayout.varintBytes(keyLength) + (long) keyLength;
        }
        SlabBytes.copyOut(slab, start, destination, destinationOffset, length);
        return length;
    }

    /**
     * Copies a record's value to a buffer and returns its length; throws an {@link IndexOutOfBoundsException} if it does not fit.
     */
    public int copyValue(final long pointer, final MutableDirectBuffer destination, final int destinationOffset) {
        final int length = valueLength(pointer);
        if (!destination.isExpandable() && length > destination.capacity() - destinationOffset) {
            throw new IndexOutOfBoundsException("expected a buffer with room for " + length + " bytes at "
                + destinationOffset + " but was one of " + destination.capacity() + " bytes");
        }
        slab(pointer).getBytes(valueOffset(pointer), destination, destinationOffset, length);
        return length;
    }

    /** Returns the first eight bytes of a record's value as a little-endian number. */
    public long valueAsLong(final long pointer) {
        return slab(pointer).getLong(valueOffset(pointer));
    }

    @Override
    public int keyLength(final long payload) {
        final Slab slab = slab(payload);
        final long at = offset(payload);
        final int head = slab.getShortPair(at);
        return isPlain(head) ? head >>> KEY_LENGTH_SHIFT : SlabBytes.varint(slab, keyLengthOffset(payload));
    }

    @Override
    public int copyKey(final long payload, final byte[] destination, final int offset) {
        final Slab slab = slab(payload);
        final long location = keyLocation(slab, payload);
        final int length = (int) location & SHORT_MASK;
        SlabBytes.copyOut(slab, location >>> Short.SIZE, destination, offset, length);
        return length;
    }

    @Override
    public int copyKeyIfFits(final long payload, final byte[] destination) {
        final Slab slab = slab(payload);
        final long location = keyLocation(slab, payload);
        final int length = (int) location & SHORT_MASK;
        if (length <= destination.length) {
            SlabBytes.copyOut(slab, location >>> Short.SIZE, destination, 0, length);
        }
        return length;
    }

    @Override
    public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
        final Slab slab = slab(payload);
        final long record = offset(payload);
        final int lengths = slab.getShort(record + RecordLayout.PREVIOUS_OFFSET) & SHORT_MASK;
        int own = lengths >>> Byte.SIZE;
        long start = record + RecordLayout.PREVIOUS_OFFSET + Short.BYTES;
        if (((int) slab.getLong(record) & BETWEEN | lengths & LONG_LENGTHS) != 0) {
            // Most records skip this branch: their key's offset is known before the first line is loaded, so that all lines
            // are loaded together.
            final long at = keyLengthOffset(payload);
            own = SlabBytes.varint(slab, at);
            start = at + RecordLayout.varintBytes(own);
        }
        // Speculates on equal length so that the comparison need not wait.
        return own == length
            ? compare(slab, start, key, offset, length, 0)
            : compare(slab, start, key, offset, Math.min(own, length), own - length);
    }

    private static int compare(
        final Slab slab, final long start, final byte[] key, final int offset, final int shared, final int otherwise) {
        final int mismatch = SlabBytes.commonPrefix(slab, start, key, offset, shared);
        return mismatch == shared ? otherwise : (slab.getByte(start + mismatch) & 0xFF) - (key[offset + mismatch] & 0xFF);
    }

    @Override
    public long keyWord(final long payload, final int from) {
        final Slab slab = slab(payload);
        final long location = keyLocation(slab, payload);
        return SlabBytes.bigEndianWord(slab, (location >>> Short.SIZE) + from, ((int) location & SHORT_MASK) - from);
    }

    /** Returns 0 for a payload that was read in a race, and whose slab this thread does not see yet. */
    @Override
    public long address(final long payload) {
        return addressOf(payload << RecordLayout.POINTER_SHIFT);
    }

    /** Adds the lines of the record up to the beginning of its value, at most {@link PrefetchVector#MOST_LINES}. */
    @Override
    public void addTo(final PrefetchVector lines, final long payload, final int length) {
        lines.add(address(payload), BESIDE_KEY_BYTES + length);
    }

    /**
     * Writes what precedes key and value, except the version word: a record that has it has its lengths and its key. Returns the
     * offset in the slab of the key, or of the value if the key length is {@link RecordLayout#NO_KEY}.
     */
    long putHeader(
        final long position, final long versionWord, final long linkWord, final int keyLength, final int valueLength) {
        final Slab slab = slabOf(position);
        final long at = position & slabMask;
        if ((versionWord & RecordLayout.HAS_PREVIOUS) != 0) {
            slab.putLong(at + RecordLayout.PREVIOUS_OFFSET, linkWord);
        }
        final long lengths = at + RecordLayout.lengthsOffset(versionWord);
        final boolean hasKey = keyLength != RecordLayout.NO_KEY;
        final int lengthPair = hasKey ? keyLength << Byte.SIZE | valueLength : valueLength;
        if (valueLength < SHORT_LENGTHS && keyLength < SHORT_LENGTHS) {
            // One store: valueOffset() loads both bytes at once, which waits for the line if they come from two stores.
            slab.putShort(lengths, (short) lengthPair);
            return lengths + (hasKey ? Short.BYTES : Byte.BYTES);
        }
        final long end = SlabBytes.putVarint(slab, lengths, valueLength);
        return hasKey ? SlabBytes.putVarint(slab, end, keyLength) : end;
    }

    /** Returns whether a record has a key and lengths of one byte each and nothing before these, as most have, given its head. */
    private static boolean isPlain(final int head) {
        return (head & HEAD_MASK) == RecordLayout.HAS_KEY;
    }

    /** Returns the offset of a record's key in its slab, above the key's length in the low 16 bits. */
    private long keyLocation(final Slab slab, final long pointer) {
        final long at = offset(pointer);
        final int head = slab.getShortPair(at);
        if (isPlain(head)) {
            return at + RecordLayout.PREVIOUS_OFFSET + Short.BYTES << Short.SIZE | head >>> KEY_LENGTH_SHIFT;
        }
        final long lengthOffset = keyLengthOffset(pointer);
        final int length = SlabBytes.varint(slab, lengthOffset);
        return lengthOffset + RecordLayout.varintBytes(length) << Short.SIZE | length;
    }

    private long keyLengthOffset(final long pointer) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        final long word = slab.getLong(at);
        if ((word & RecordLayout.HAS_KEY) == 0) {
            throw new IllegalStateException("record " + pointer + " holds no key");
        }
        final long lengths = at + RecordLayout.lengthsOffset(word);
        return lengths + RecordLayout.varintBytes(SlabBytes.varint(slab, lengths));
    }

    long valueOffset(final long pointer) {
        final Slab slab = slab(pointer);
        final long at = offset(pointer);
        final int head = slab.getShortPair(at);
        if (isPlain(head)) {
            return at + RecordLayout.PREVIOUS_OFFSET + Short.BYTES + (head >>> KEY_LENGTH_SHIFT); // most records
        }
        final long word = slab.getLong(at);
        long end = at + RecordLayout.lengthsOffset(word);
        end += RecordLayout.varintBytes(SlabBytes.varint(slab, end));
        if ((word & RecordLayout.HAS_KEY) != 0) {
            final int keyLength = SlabBytes.varint(slab, end);
            end += RecordLayout.varintBytes(keyLength) + (long) keyLength;
        }
        return end;
    }
}
