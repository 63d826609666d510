/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

/** Where a search in a run ended: an index in a chunk, right as long as the chunk's version is the same. */
final class RunPosition {
    long directory;
    int directoryVersion;
    /** Number of the chunk in the directory; 0 without a directory. */
    int chunkNumber;
    /** Number of chunks of the run. */
    int chunks;
    long chunk;
    int chunkVersion;
    /** Index in the chunk of the first key at or above the searched one; the chunk's count if there is none. */
    int index;
    int count;
    /** True if the key at {@code index} is the searched one. */
    boolean equal;
    long payload;
}
