/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A table file taken apart into what a reader decodes, so that a fuzzer can change any of it, and a writer of it that makes
 * checksums and handles right again and nothing else.
 * <p>
 * A handle is a number of blocks from one on, plus a difference: it stays right when blocks before it change their lengths, and
 * a wrong one stays wrong. What cannot be taken apart stays bytes.
 */
final class TableImage {
    private static final int RESTART_BYTES = Integer.BYTES;
    private static final int HANDLE_BYTES = 3 * Long.BYTES;
    private static final int MOST_ENTRIES = 3000;
    private static final int MAGIC_BYTES = Long.BYTES;
    private static final long MAGIC = LittleEndian.getLong("NESTLSST".getBytes(StandardCharsets.US_ASCII), 0);

    final List<Block> blocks = new ArrayList<>();
    Handle footer = new Handle();
    long version = 1;
    /** Whether the properties are to name as many data blocks and range tombstones as index and ranges have. */
    boolean countsFixed;

    /** Where blocks stand: {@code count} of them from number {@code first} on, and what is added to that. */
    static final class Handle {
        int first;
        int count;
        long offsetMore;
        long lengthMore;
        /** Bytes that chunks hold unpacked. */
        long raw;

        Handle copy() {
            final Handle copy = new Handle();
            copy.first = first;
            copy.count = count;
            copy.offsetMore = offsetMore;
            copy.lengthMore = lengthMore;
            copy.raw = raw;
            return copy;
        }
    }

    /** A block, as bytes or taken apart. */
    static final class Block {
        int type;
        boolean lz4;
        byte[] raw = new byte[0];
        /** Not null in data blocks, index blocks and range tombstone blocks. */
        List<Entry> entries;
        /** Numbers of entries, or from {@link #LITERAL} on offsets as they are. */
        List<Long> restarts = new ArrayList<>();
        /** What is added to their number. */
        int restartCountMore;
        /** Not null in the directory: of index blocks and of range tombstone blocks. */
        List<List<Handle>> lists;
        int[] listCountMore = new int[2];
        /** Not null in the properties. */
        List<Property> properties;
        int propertyCountMore;
        /** What is added to fields of the header. */
        int rawLengthMore;
        int storedLengthMore;
        /** Bytes changed after compression: position and new value, in turns. */
        int[] changes = new int[0];

        static final long LITERAL = 1L << 32;
    }

    /** An entry as it is written: lengths need not be those of the bytes. */
    static final class Entry {
        long shared;
        long unshared;
        long tag;
        long valueLength;
        byte[] tail = new byte[0];
        byte[] value = new byte[0];
        /** Not null if the value is a handle. */
        Handle handle;

        int form() {
            return (int) tag & TableEntryLayout.FORM_MASK;
        }

        Entry copy() {
            final Entry copy = new Entry();
            copy.shared = shared;
            copy.unshared = unshared;
            copy.tag = tag;
            copy.valueLength = valueLength;
            copy.tail = tail;
            copy.value = value;
            copy.handle = handle == null ? null : handle.copy();
            return copy;
        }
    }

    /** A property; its value is a handle or bytes. */
    static final class Property {
        String name;
        byte[] value;
        Handle handle;
        long lengthMore;
    }

    private TableImage() {
    }

    /** Takes a file apart as far as it goes; null if its blocks do not follow each other. */
    static TableImage of(final byte[] file) {
        final TableImage image = new TableImage();
        final List<Integer> starts = new ArrayList<>();
        int offset = 0;
        while (offset < file.length - Footer.BYTES) {
            final int stored = offset + TableBlockLayout.HEADER_BYTES > file.length - Footer.BYTES ? -1
                : LittleEndian.getInt(file, offset + TableBlockLayout.STORED_LENGTH_OFFSET);
            if (stored < 0 || stored > file.length - Footer.BYTES - offset - TableBlockLayout.HEADER_BYTES) {
                return null;
            }
            final Block block = new Block();
            block.type = file[offset + TableBlockLayout.TYPE_OFFSET];
            block.lz4 = file[offset + TableBlockLayout.COMPRESSION_OFFSET] == Compression.LZ4.code();
            block.raw = unpacked(file, offset);
            if (block.raw == null) {
                return null;
            }
            image.blocks.add(block);
            starts.add(offset);
            offset += TableBlockLayout.HEADER_BYTES + stored;
        }
        if (offset != file.length - Footer.BYTES) {
            return null;
        }
        starts.add(offset);
        image.takeApart(starts);
        image.footer = handle(starts, LittleEndian.getLong(file, offset), LittleEndian.getInt(file, offset + Long.BYTES), 0);
        image.version = LittleEndian.getInt(file, offset + Footer.BYTES - MAGIC_BYTES - Integer.BYTES);
        return image;
    }

    /** Payload of the block at an offset; null if it does not unpack. */
    static byte[] unpacked(final byte[] file, final int offset) {
        final int stored = LittleEndian.getInt(file, offset + TableBlockLayout.STORED_LENGTH_OFFSET);
        final int raw = LittleEndian.getInt(file, offset + TableBlockLayout.RAW_LENGTH_OFFSET);
        final int start = offset + TableBlockLayout.HEADER_BYTES;
        if (file[offset + TableBlockLayout.COMPRESSION_OFFSET] != Compression.LZ4.code()) {
            return Arrays.copyOfRange(file, start, start + stored);
        }
        if (raw < 0 || raw > TableBlockLayout.MAX_RAW_BYTES) {
            return null;
        }
        final byte[] payload = new byte[raw];
        try {
            Lz4.decompress(file, start, stored, payload, 0, raw);
            return payload;
        } catch (final MalformedBlockException e) {
            return null;
        }
    }

    private void takeApart(final List<Integer> starts) {
        for (final Block block : blocks) {
            try {
                final BlockType type = BlockType.of(block.type);
                if (type == BlockType.DATA || type == BlockType.INDEX || type == BlockType.RANGE_TOMBSTONES) {
                    takeEntries(block, starts);
                } else if (type == BlockType.DIRECTORY) {
                    takeDirectory(block, starts);
                } else if (type == BlockType.PROPERTIES) {
                    takeProperties(block, starts);
                }
            } catch (final IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
                block.entries = null;
                block.restarts.clear();
                block.lists = null;
                block.properties = null;
            }
        }
    }

    private static void takeEntries(final Block block, final List<Integer> starts) {
        final byte[] raw = block.raw;
        final int count = LittleEndian.getInt(raw, raw.length - RESTART_BYTES);
        final int end = Math.subtractExact(raw.length, Math.multiplyExact(Math.addExact(count, 1), RESTART_BYTES));
        final List<Entry> entries = new ArrayList<>();
        final Map<Integer, Integer> numbers = new HashMap<>();
        final Input in = new Input(raw, end);
        while (in.offset < end) {
            if (entries.size() == MOST_ENTRIES) {
                throw new IllegalArgumentException("too many entries to take apart");
            }
            numbers.put(in.offset, entries.size());
            final Entry entry = new Entry();
            entry.shared = in.number();
            entry.unshared = in.number();
            entry.tag = in.number();
            entry.valueLength = entry.form() == TableEntryLayout.FORM_TOMBSTONE ? 0 : in.number();
            entry.tail = in.bytes(entry.unshared);
            if (entry.form() == TableEntryLayout.FORM_VALUE_APART) {
                entry.handle = handle(starts, in.number(), in.number(), 0);
            } else {
                entry.value = in.bytes(entry.valueLength);
            }
            if (block.type == BlockType.INDEX.code() && entry.form() == TableEntryLayout.FORM_VALUE) {
                final Input value = new Input(entry.value, entry.value.length);
                entry.handle = handle(starts, value.number(), value.number(), 0);
            }
            entries.add(entry);
        }
        for (int i = 0; i < count; i++) {
            final int restart = LittleEndian.getInt(raw, end + i * RESTART_BYTES);
            final Integer entry = numbers.get(restart);
            block.restarts.add(entry != null ? entry : Block.LITERAL + (restart & 0xFFFF_FFFFL));
        }
        block.entries = entries;
    }

    private static void takeDirectory(final Block block, final List<Integer> starts) {
        final List<List<Handle>> lists = new ArrayList<>();
        int at = 0;
        for (int list = 0; list < 2; list++) {
            final List<Handle> handles = new ArrayList<>();
            final int count = LittleEndian.getInt(block.raw, at);
            at += Integer.BYTES;
            for (int i = 0; i < count; i++) {
                handles.add(handle(starts, LittleEndian.getLong(block.raw, at),
                    LittleEndian.getInt(block.raw, at + Long.BYTES), 0));
                at += Long.BYTES + Integer.BYTES;
            }
            lists.add(handles);
        }
        block.lists = lists;
    }

    private static void takeProperties(final Block block, final List<Integer> starts) {
        final List<Property> properties = new ArrayList<>();
        final Input in = new Input(block.raw, block.raw.length);
        for (long count = in.number(); count > 0; count--) {
            final Property property = new Property();
            property.name = new String(in.bytes(in.number()), StandardCharsets.ISO_8859_1);
            property.value = in.bytes(in.number());
            if (property.value.length == HANDLE_BYTES) {
                property.handle = handle(starts, LittleEndian.getLong(property.value, 0),
                    LittleEndian.getLong(property.value, Long.BYTES), LittleEndian.getLong(property.value, 2 * Long.BYTES));
            }
            properties.add(property);
        }
        block.properties = properties;
    }

    private static Handle handle(final List<Integer> starts, final long offset, final long length, final long raw) {
        final Handle handle = new Handle();
        handle.raw = raw;
        final int first = starts.indexOf((int) offset);
        final int end = starts.indexOf((int) (offset + length));
        if (offset == (int) offset && first >= 0) {
            handle.first = first;
            handle.count = end > first ? end - first : 0;
        } else {
            handle.offsetMore = offset;
        }
        handle.lengthMore = length - (handle.count == 0 ? 0 : starts.get(first + handle.count) - starts.get(first));
        return handle;
    }

    private static final class Input {
        private final byte[] source;
        private final int limit;
        private int offset;

        Input(final byte[] source, final int limit) {
            this.source = source;
            this.limit = limit;
        }

        long number() {
            final long value = Varint.readLong(source, offset, limit);
            offset += Varint.length(value);
            return value;
        }

        byte[] bytes(final long length) {
            if (length < 0 || length > limit - offset) {
                throw new IllegalArgumentException("no " + length + " bytes at " + offset);
            }
            offset += (int) length;
            return Arrays.copyOfRange(source, offset - (int) length, offset);
        }
    }

    /** The first block of a type that is taken apart; null without one. */
    Block find(final BlockType type) {
        return blocks.stream().filter(block -> block.type == type.code()
            && (type == BlockType.DIRECTORY ? block.lists : type == BlockType.PROPERTIES ? block.properties : block.entries)
            != null).findFirst().orElse(null);
    }

    /** Makes keys as short as they can be and sets restart points where they belong; lengths become those of the bytes. */
    static void frontCode(final Block block) {
        byte[] before = new byte[0];
        block.restarts.clear();
        block.restartCountMore = 0;
        for (int i = 0; i < block.entries.size(); i++) {
            final Entry entry = block.entries.get(i);
            final byte[] key = join(Arrays.copyOf(before, (int) Math.max(0, Math.min(entry.shared, before.length))), entry.tail);
            final boolean restart = i % TableEntryLayout.RESTART_INTERVAL == 0;
            if (restart) {
                block.restarts.add((long) i);
            }
            entry.shared = restart ? 0 : TestTables.commonPrefix(before, key);
            entry.tail = Arrays.copyOfRange(key, (int) entry.shared, key.length);
            entry.unshared = entry.tail.length;
            if (entry.form() != TableEntryLayout.FORM_VALUE_APART) {
                entry.valueLength = entry.value.length;
            }
            before = key;
        }
    }

    /** Writes the file, with right checksums. */
    byte[] toBytes() {
        final long[] starts = new long[blocks.size() + 1];
        if (countsFixed) {
            fixCounts();
        }
        writeBlocks(starts); // handles of later blocks need to know where these begin, at least nearly
        final ByteArrayOutputStream file = writeBlocks(starts);
        final byte[] end = new byte[Footer.BYTES];
        LittleEndian.putLong(end, 0, offset(footer, starts));
        LittleEndian.putInt(end, Long.BYTES, (int) length(footer, starts));
        LittleEndian.putInt(end, Footer.BYTES - MAGIC_BYTES - Integer.BYTES, (int) version);
        LittleEndian.putLong(end, Footer.BYTES - MAGIC_BYTES, MAGIC);
        final int checksum = Long.BYTES + Integer.BYTES;
        final CRC32C crc = new CRC32C();
        crc.update(end, 0, checksum);
        crc.update(end, checksum + Integer.BYTES, Footer.BYTES - checksum - Integer.BYTES);
        LittleEndian.putInt(end, checksum, (int) crc.getValue());
        file.writeBytes(end);
        return file.toByteArray();
    }

    private ByteArrayOutputStream writeBlocks(final long[] starts) {
        final ByteArrayOutputStream file = new ByteArrayOutputStream();
        for (int i = 0; i < blocks.size(); i++) {
            starts[i] = file.size();
            file.writeBytes(packed(blocks.get(i), payload(blocks.get(i), starts)));
        }
        starts[blocks.size()] = file.size();
        return file;
    }

    private void fixCounts() {
        long dataBlocks = 0;
        long ranges = 0;
        for (final Block block : blocks) {
            final int entries = block.entries == null ? 0 : block.entries.size();
            dataBlocks += block.type == BlockType.INDEX.code() ? entries : 0;
            ranges += block.type == BlockType.RANGE_TOMBSTONES.code() ? entries : 0;
        }
        final Block properties = find(BlockType.PROPERTIES);
        for (final Property property : properties == null ? List.<Property>of() : properties.properties) {
            if (property.name.equals(TableProperties.DATA_BLOCK_COUNT)) {
                property.value = varint(dataBlocks);
            } else if (property.name.equals(TableProperties.RANGE_TOMBSTONE_COUNT)) {
                property.value = varint(ranges);
            }
        }
    }

    private static long offset(final Handle handle, final long[] starts) {
        return (handle.first < starts.length ? starts[handle.first] : 0) + handle.offsetMore;
    }

    private static long length(final Handle handle, final long[] starts) {
        final int first = Math.min(handle.first, starts.length - 1);
        final int end = Math.min(first + handle.count, starts.length - 1);
        return Math.max(starts[end] - starts[first], 0) + handle.lengthMore;
    }

    private static byte[] packed(final Block block, final byte[] payload) {
        byte[] stored = payload;
        boolean compressed = false;
        if (block.lz4) {
            final byte[] space = new byte[Lz4.maxCompressedLength(payload.length)];
            final int length = Lz4.compress(payload, 0, payload.length, space, 0);
            if (length < payload.length || block.rawLengthMore != 0) {
                stored = Arrays.copyOf(space, length);
                compressed = true;
            }
        }
        final byte[] packed = new byte[TableBlockLayout.HEADER_BYTES + stored.length];
        packed[TableBlockLayout.TYPE_OFFSET] = (byte) block.type;
        packed[TableBlockLayout.COMPRESSION_OFFSET] = (byte) (compressed ? 1 : 0);
        LittleEndian.putInt(packed, TableBlockLayout.RAW_LENGTH_OFFSET, payload.length + block.rawLengthMore);
        LittleEndian.putInt(packed, TableBlockLayout.STORED_LENGTH_OFFSET, stored.length + block.storedLengthMore);
        System.arraycopy(stored, 0, packed, TableBlockLayout.HEADER_BYTES, stored.length);
        for (int i = 0; i < block.changes.length && stored.length > 0; i += 2) {
            packed[TableBlockLayout.HEADER_BYTES + block.changes[i] % stored.length] = (byte) block.changes[i + 1];
        }
        LittleEndian.putInt(packed, TableBlockLayout.CHECKSUM_OFFSET,
            TableBlockLayout.checksum(new CRC32C(), packed, 0, stored.length));
        return packed;
    }

    private static byte[] payload(final Block block, final long[] starts) {
        if (block.entries != null) {
            return entries(block, starts);
        }
        if (block.lists != null) {
            return directory(block, starts);
        }
        return block.properties != null ? properties(block, starts) : block.raw;
    }

    private static byte[] entries(final Block block, final long[] starts) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final int[] offsets = new int[block.entries.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = out.size();
            final Entry entry = block.entries.get(i);
            byte[] value = entry.value;
            long valueLength = entry.valueLength;
            if (entry.handle != null) {
                value = join(varint(offset(entry.handle, starts)), varint(length(entry.handle, starts)));
                valueLength += entry.form() == TableEntryLayout.FORM_VALUE_APART ? 0 : value.length - entry.value.length;
            }
            out.writeBytes(varint(entry.shared));
            out.writeBytes(varint(entry.unshared));
            out.writeBytes(varint(entry.tag));
            if (entry.form() != TableEntryLayout.FORM_TOMBSTONE) {
                out.writeBytes(varint(valueLength));
            }
            out.writeBytes(entry.tail);
            if (entry.form() != TableEntryLayout.FORM_TOMBSTONE) {
                out.writeBytes(value);
            }
        }
        for (final long restart : block.restarts) {
            out.writeBytes(fixed(restart >= Block.LITERAL ? restart
                : restart < offsets.length ? offsets[(int) restart] : 0, RESTART_BYTES));
        }
        out.writeBytes(fixed(block.restarts.size() + block.restartCountMore, RESTART_BYTES));
        return out.toByteArray();
    }

    private static byte[] directory(final Block block, final long[] starts) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int list = 0; list < block.lists.size(); list++) {
            out.writeBytes(fixed(block.lists.get(list).size() + block.listCountMore[list], Integer.BYTES));
            for (final Handle handle : block.lists.get(list)) {
                out.writeBytes(fixed(offset(handle, starts), Long.BYTES));
                out.writeBytes(fixed(length(handle, starts), Integer.BYTES));
            }
        }
        return out.toByteArray();
    }

    private static byte[] properties(final Block block, final long[] starts) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(varint(block.properties.size() + block.propertyCountMore));
        for (final Property property : block.properties) {
            byte[] value = property.value;
            if (property.handle != null) {
                value = join(fixed(offset(property.handle, starts), Long.BYTES),
                    fixed(length(property.handle, starts), Long.BYTES), fixed(property.handle.raw, Long.BYTES));
            }
            final byte[] name = property.name.getBytes(StandardCharsets.ISO_8859_1);
            out.writeBytes(varint(name.length));
            out.writeBytes(name);
            out.writeBytes(varint(value.length + property.lengthMore));
            out.writeBytes(value);
        }
        return out.toByteArray();
    }

    static byte[] varint(final long value) {
        final byte[] bytes = new byte[Varint.length(value)];
        Varint.write(bytes, 0, value);
        return bytes;
    }

    private static byte[] fixed(final long value, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (value >>> i * Byte.SIZE);
        }
        return bytes;
    }

    private static byte[] join(final byte[]... parts) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (final byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
