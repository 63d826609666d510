/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when a table file does not contain what was written: a checksum, a length, an order or a count is wrong. The
 * message names the file, the block and the problem. Cursors throw it as the cause of an {@link java.io.UncheckedIOException}.
 */
public final class CorruptTableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An unknown block number or offset. */
    public static final long UNKNOWN = -1L;

    private final transient Path path;
    /** Number of the block from the start of the file. */
    private final long blockNumber;
    /** Offset of the block in the file. */
    private final long blockOffset;

    private CorruptTableException(
        final String message, final Path path, final long blockNumber, final long blockOffset,
        final Throwable cause) {
        super(message, cause);
        this.path = path;
        this.blockNumber = blockNumber;
        this.blockOffset = blockOffset;
    }

    /** Returns an exception for the whole file or its footer. */
    static CorruptTableException ofFile(final Path path, final String problem) {
        return new CorruptTableException("table " + path + ": " + problem, path, UNKNOWN, UNKNOWN, null);
    }

    /** Returns an exception for one block; the number counts blocks from the start of the file, or is {@link #UNKNOWN}. */
    static CorruptTableException ofBlock(
        final Path path, final BlockType type, final long number, final long offset, final String problem,
        final Throwable cause) {
        final String which = number == UNKNOWN ? "" : number + " ";
        final String kind = type == null ? "" : " (" + type.label() + ")";
        return new CorruptTableException(
            "table " + path + ": block " + which + "at offset " + offset + kind + ": " + problem,
            path, number, offset, cause);
    }

    /**
     * Returns the file.
     *
     * @return its path; null after deserialization
     */
    public Path path() {
        return path;
    }

    /**
     * Returns the number of the block, counted from 0 at the start of the file.
     *
     * @return the number, or {@link #UNKNOWN} if the file was not read from its start or the problem is not in one block
     */
    public long blockNumber() {
        return blockNumber;
    }

    /**
     * Returns the offset of the block in the file.
     *
     * @return offset in bytes, or {@link #UNKNOWN} if the problem is not in one block
     */
    public long blockOffset() {
        return blockOffset;
    }
}
