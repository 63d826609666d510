/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.ArrayList;
import java.util.List;

/** A list of block handles. Encoding: the count in 4 bytes, then for each handle the offset in 8 and the length in 4 bytes. */
final class HandleList {
    private static final int HANDLE_BYTES = Long.BYTES + Integer.BYTES;

    private final List<BlockHandle> handles = new ArrayList<>();

    void add(final BlockHandle handle) {
        handles.add(handle);
    }

    int size() {
        return handles.size();
    }

    BlockHandle get(final int i) {
        return handles.get(i);
    }

    int encodedLength() {
        return Integer.BYTES + size() * HANDLE_BYTES;
    }

    /** Writes the list and returns its end offset. */
    int encode(final byte[] destination, final int offset) {
        LittleEndian.putInt(destination, offset, size());
        int at = offset + Integer.BYTES;
        for (final BlockHandle handle : handles) {
            LittleEndian.putLong(destination, at, handle.offset());
            LittleEndian.putInt(destination, at + Long.BYTES, handle.length());
            at += HANDLE_BYTES;
        }
        return at;
    }

    /** Returns the greatest length of two encoded lists that together list each block before an offset at most once. */
    static long maxEncodedLength(final long end) {
        return 2L * Integer.BYTES + end / TableBlockLayout.HEADER_BYTES * HANDLE_BYTES;
    }

    /** Reads a list and checks that its blocks ascend and do not overlap. */
    static HandleList decode(final byte[] source, final int offset) {
        final int left = source.length - offset - Integer.BYTES;
        final int count = left < 0 ? -1 : LittleEndian.getInt(source, offset);
        if (count < 0 || count > left / HANDLE_BYTES) {
            throw new MalformedBlockException("list of " + count + " handles in " + left + " bytes");
        }
        final HandleList list = new HandleList();
        int at = offset + Integer.BYTES;
        long end = 0;
        for (int i = 0; i < count; i++) {
            final long start = LittleEndian.getLong(source, at);
            final int length = LittleEndian.getInt(source, at + Long.BYTES);
            if (start < end || length < TableBlockLayout.HEADER_BYTES) {
                throw new MalformedBlockException("block " + i + " of a list, at " + start + " of " + length
                    + " bytes, is not behind the one before, which ends at " + end);
            }
            list.add(new BlockHandle(start, length));
            end = start + length;
            at += HANDLE_BYTES;
        }
        return list;
    }
}
