/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.index.EntryKind;
import io.nestling.memtable.WriteBatch;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The log of one memtable. A record is a batch with the sequence number of its first write: length and CRC-32C of the content,
 * four bytes each, then the content. Records stand in the order in which they were appended, which is not that of their numbers.
 * Any thread may append.
 */
final class WriteAheadLog implements AutoCloseable {
    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int RECORD_BYTES = HEADER_BYTES + Long.BYTES + Integer.BYTES;
    private static final int OPERATION_BYTES = 1 + 2 * Integer.BYTES;
    private static final int BUFFER_BYTES = 4096;

    private final Path path;
    private final FileChannel channel;
    private final boolean forces;
    private ByteBuffer record = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private long lastSequence;
    private boolean sealed;

    /** Creates a log; {@code forces} has each record on the device before {@link #append} returns. */
    WriteAheadLog(final Path path, final boolean forces) throws IOException {
        this.path = path;
        this.forces = forces;
        this.channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        if (forces) {
            try (FileChannel directory = FileChannel.open(path.toAbsolutePath().getParent())) {
                directory.force(true); // the name of the log
            }
        }
    }

    /** A batch of a log. */
    record Entry(long sequence, WriteBatch batch) {
    }

    /** Appends a batch; returns false, and appends nothing, if the log is sealed, as it is after an exception. */
    synchronized boolean append(final long sequence, final WriteBatch batch) throws IOException {
        if (sealed) {
            return false;
        }
        encode(sequence, batch);
        lastSequence = Math.max(lastSequence, sequence + batch.size() - 1);
        sealed = true; // stays so if the record may be cut
        while (record.hasRemaining()) {
            channel.write(record);
        }
        if (forces) {
            channel.force(false);
        }
        sealed = false;
        return true;
    }

    /** Returns whether no write came to the log. */
    synchronized boolean isEmpty() {
        return lastSequence == 0;
    }

    /** Ends the log; returns the greatest sequence number that it has, or 0. */
    synchronized long seal() {
        sealed = true;
        return lastSequence;
    }

    /** Writes a record into the buffer, which is kept: a log that allocates for each write is what a collector meets first. */
    private void encode(final long sequence, final WriteBatch batch) {
        final long bytes = RECORD_BYTES + batch.byteSize() + (long) batch.size() * OPERATION_BYTES;
        if (record.capacity() < bytes) {
            record = ByteBuffer.allocateDirect(Math.toIntExact(bytes));
        }
        record.clear().position(HEADER_BYTES);
        record.putLong(sequence).putInt(batch.size());
        for (final WriteBatch.Operation operation : batch) {
            record.put((byte) operation.kind().code());
            put(operation.key());
            if (operation.kind() == EntryKind.VALUE) {
                put(operation.value());
            } else if (operation.kind() != EntryKind.TOMBSTONE) {
                throw new IllegalArgumentException("expected puts and deletions but was " + operation.kind());
            }
        }
        final int end = record.position();
        final CRC32C crc = new CRC32C();
        crc.update(record.limit(end).position(HEADER_BYTES));
        record.position(0).putInt(end - HEADER_BYTES).putInt((int) crc.getValue()).position(0);
    }

    private void put(final byte[] bytes) {
        record.putInt(bytes.length).put(bytes);
    }

    private static Entry decode(final byte[] content) throws IOException {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        final long sequence = in.readLong();
        final WriteBatch batch = new WriteBatch();
        for (int left = in.readInt(); left > 0; left--) {
            final EntryKind kind = EntryKind.of(in.readByte());
            final byte[] key = in.readNBytes(in.readInt());
            if (kind == EntryKind.VALUE) {
                batch.put(key, in.readNBytes(in.readInt()));
            } else {
                batch.delete(key);
            }
        }
        return new Entry(sequence, batch);
    }

    private static int checksum(final byte[] content) {
        final CRC32C crc = new CRC32C();
        crc.update(content);
        return (int) crc.getValue();
    }

    /** Reads a log in the order of the numbers. It ends where a crash has cut it: at a record that is not whole. */
    static List<Entry> read(final Path path) throws IOException {
        final List<Entry> entries = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path)))) {
            while (true) {
                final int length = in.readInt();
                final int checksum = in.readInt();
                final byte[] content = length < 0 || length > Files.size(path) ? new byte[0] : in.readNBytes(length);
                if (length <= 0 || content.length != length || checksum(content) != checksum) {
                    break;
                }
                entries.add(decode(content));
            }
        } catch (final EOFException e) {
            // The end, or a record whose length is not whole.
        }
        entries.sort(Comparator.comparingLong(Entry::sequence));
        return entries;
    }

    /** Deletes the log, whose writes are in tables. */
    void delete() throws IOException {
        close();
        Files.deleteIfExists(path);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
