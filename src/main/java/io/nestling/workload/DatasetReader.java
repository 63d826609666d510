/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.ZipException;

/**
 * Reads keys and values from lines of text. It does not decode the bytes of a line. A line ends with a line feed, which
 * the last one may omit; a carriage return belongs to the line. An empty line is the empty key.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class DatasetReader implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int INITIAL_LINE_BYTES = 256;
    private static final int NOT_FOUND = -1;

    private final String name;
    private final Source source;
    private final DatasetFormat format;
    private final int maxKeyBytes;
    private final int maxLineBytes;

    private InputStream input;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    private byte[] line = new byte[INITIAL_LINE_BYTES];
    private int kept;
    private long length;
    private int keyLength;
    private long number;

    /** Opens the text of a data set. */
    public interface Source {
        /**
         * Opens the text, without compression; the caller closes it. Throws an {@link java.io.EOFException} if compressed data
         * ends early, a {@link ZipException} if it is damaged.
         */
        InputStream open() throws IOException;
    }

    /** Creates a reader before the first line. The first move opens the source; the name is for messages. */
    public DatasetReader(
        final String name, final Source source, final DatasetFormat format, final int maxKeyBytes,
        final int maxValueBytes) {
        this.name = Objects.requireNonNull(name, "name");
        this.source = Objects.requireNonNull(source, "source");
        this.format = Objects.requireNonNull(format, "format");
        this.maxKeyBytes = maxKeyBytes;
        final long longest = (long) maxKeyBytes + (format == DatasetFormat.TSV ? 1L + maxValueBytes : 0L);
        this.maxLineBytes = (int) Math.min(longest, Integer.MAX_VALUE - BUFFER_BYTES);
    }

    /**
     * Moves to the next line; returns false if there is none. Throws if a key or value is too long, or the data cannot be read,
     * is damaged or ends early.
     */
    public boolean next() throws DatasetException {
        number++;
        kept = 0;
        length = 0;
        if (position == limit && !fill()) {
            number--;
            return false;
        }
        int end = lineEnd();
        while (end == NOT_FOUND) {
            keep(limit);
            position = limit;
            if (!fill()) {
                break;
            }
            end = lineEnd();
        }
        if (end != NOT_FOUND) {
            keep(end);
            position = end + 1;
        }
        split();
        return true;
    }

    private int lineEnd() {
        for (int i = position; i < limit; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return NOT_FOUND;
    }

    /** Adds the bytes before {@code end} to the line; of a line that is too long, only counts them. */
    private void keep(final int end) {
        final int bytes = end - position;
        length += bytes;
        if (length > maxLineBytes) {
            return;
        }
        if (line.length - kept < bytes) {
            final long doubled = Math.min(2L * line.length, Integer.MAX_VALUE - BUFFER_BYTES);
            line = Arrays.copyOf(line, (int) Math.max(doubled, kept + bytes));
        }
        System.arraycopy(buffer, position, line, kept, bytes);
        kept += bytes;
    }

    private boolean fill() throws DatasetException {
        position = 0;
        limit = 0;
        final int count;
        try {
            if (input == null) {
                input = source.open();
            }
            count = input.read(buffer);
        } catch (final EOFException e) {
            final String detail = e.getMessage() == null ? "" : ", " + e.getMessage();
            throw new DatasetException(name, number, "the compressed data ends early" + detail, e);
        } catch (final ZipException e) {
            throw new DatasetException(name, number, "the compressed data is damaged: " + e.getMessage(), e);
        } catch (final IOException e) {
            throw new DatasetException(name, number, "cannot be read: " + e.getMessage(), e);
        }
        limit = Math.max(count, 0);
        return count > 0;
    }

    private void split() throws DatasetException {
        int tab = NOT_FOUND;
        for (int i = 0; format == DatasetFormat.TSV && i < kept && tab == NOT_FOUND; i++) {
            tab = line[i] == '\t' ? i : NOT_FOUND;
        }
        if (tab > maxKeyBytes || tab == NOT_FOUND && length > maxKeyBytes) {
            throw new DatasetException(name, number, "a key of " + (tab == NOT_FOUND ? length : tab)
                + " bytes is longer than " + maxKeyBytes, null);
        }
        if (length > maxLineBytes) {
            throw new DatasetException(name, number, "a line of " + length + " bytes is longer than " + maxLineBytes, null);
        }
        keyLength = tab == NOT_FOUND ? kept : tab;
    }

    /** Returns a copy of the key of the current line. */
    public byte[] key() {
        return Arrays.copyOf(line, keyLength);
    }

    /** Returns a copy of the value of the current line, empty if the line has none. */
    public byte[] value() {
        return keyLength == kept ? new byte[0] : Arrays.copyOfRange(line, keyLength + 1, kept);
    }

    /** Returns the number of the current line, from 1; 0 before the first line. */
    public long lineNumber() {
        return number;
    }

    /** Returns the name of the data set for messages. */
    public String name() {
        return name;
    }

    /** Closes the text. */
    @Override
    public void close() throws IOException {
        if (input != null) {
            input.close();
        }
    }
}
