/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Objects;

/**
 * Configuration of a table's writer. Readers need none: the file contains it.
 *
 * @param compression compression of blocks
 * @param blockBytes bytes of a data or index block before compression; a larger entry gets a block of its own
 * @param indexKind name of the memtable's index, kept in the properties
 * @param creator name of the writing program, kept in the properties
 */
public record SstableOptions(Compression compression, int blockBytes, String indexKind, String creator) {
    /** Smallest {@link #blockBytes()}. */
    public static final int MIN_BLOCK_BYTES = 64;
    /** Greatest {@link #blockBytes()}. */
    public static final int MAX_BLOCK_BYTES = 1 << 20;
    /** Default {@link #blockBytes()}. */
    public static final int DEFAULT_BLOCK_BYTES = 16 << 10;
    /** Greatest number of characters of {@link #indexKind()} and of {@link #creator()}. */
    public static final int MAX_NAME_LENGTH = 1_024;

    /**
     * Checks that every option is in its range.
     *
     * @param compression compression of blocks
     * @param blockBytes bytes of a block before compression
     * @param indexKind name of the memtable's index
     * @param creator name of the writing program
     */
    public SstableOptions {
        Objects.requireNonNull(compression, "compression");
        if (blockBytes < MIN_BLOCK_BYTES || blockBytes > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException(
                "expected blockBytes of " + MIN_BLOCK_BYTES + " to " + MAX_BLOCK_BYTES + " but was " + blockBytes);
        }
        checkName(indexKind, "indexKind");
        checkName(creator, "creator");
    }

    private static void checkName(final String name, final String option) {
        Objects.requireNonNull(name, option);
        if (name.length() > MAX_NAME_LENGTH) {
            throw new IllegalArgumentException(
                "expected " + option + " of at most " + MAX_NAME_LENGTH + " characters but was " + name.length());
        }
    }

    /**
     * Returns the default options: LZ4, blocks of 16 KiB, no index kind.
     *
     * @return the default options
     */
    public static SstableOptions defaults() {
        return new SstableOptions(Compression.LZ4, DEFAULT_BLOCK_BYTES, "", "nestling");
    }

    /**
     * Returns these options with another compression.
     *
     * @param newCompression compression of blocks
     * @return new options
     */
    public SstableOptions withCompression(final Compression newCompression) {
        return new SstableOptions(newCompression, blockBytes, indexKind, creator);
    }

    /**
     * Returns these options with another block size.
     *
     * @param newBlockBytes bytes of a block before compression
     * @return new options
     */
    public SstableOptions withBlockBytes(final int newBlockBytes) {
        return new SstableOptions(compression, newBlockBytes, indexKind, creator);
    }

    /**
     * Returns these options with another index kind.
     *
     * @param newIndexKind name of the memtable's index
     * @return new options
     */
    public SstableOptions withIndexKind(final String newIndexKind) {
        return new SstableOptions(compression, blockBytes, newIndexKind, creator);
    }

    /**
     * Returns these options with another creator.
     *
     * @param newCreator name of the writing program
     * @return new options
     */
    public SstableOptions withCreator(final String newCreator) {
        return new SstableOptions(compression, blockBytes, indexKind, newCreator);
    }
}
