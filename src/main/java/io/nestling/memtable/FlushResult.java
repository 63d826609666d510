/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/**
 * What a flush passed on.
 *
 * @param entries number of entries, tombstones among them
 * @param bytes bytes of their keys and values
 * @param tombstones number of entries that are tombstones
 * @param rangeTombstones number of range tombstones, which are no entries
 * @param smallestSequence smallest sequence number passed on; 0 if nothing was
 * @param largestSequence largest sequence number passed on; 0 if nothing was
 * @param visibleSequence sequence number as of which the flush saw the memtable
 * @param nanos time that it took, in nanoseconds
 */
public record FlushResult(
    long entries, long bytes, long tombstones, long rangeTombstones, long smallestSequence,
    long largestSequence,
    long visibleSequence, long nanos) {
}
