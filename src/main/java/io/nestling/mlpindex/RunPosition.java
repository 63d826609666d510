/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

/**
 * Where a search in a run came to: a place in a chunk, good as long as the version of the chunk is the same.
 */
final class RunPosition {
    long directory;
    int directoryVersion;
    /** Number of the chunk in the directory; 0 without one. */
    int chunkNumber;
    /** Chunks of the run. */
    int chunks;
    long chunk;
    int chunkVersion;
    /** Place in the chunk of the first key at or above the one searched; the chunk's count if there is none in it. */
    int index;
    int count;
    /** Whether the key at {@code index} is the one searched. */
    boolean equal;
    long payload;
}
