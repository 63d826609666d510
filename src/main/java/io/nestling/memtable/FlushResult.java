/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/**
 * The result of a flush.
 *
 * @param entries number of entries emitted, tombstones included
 * @param bytes bytes of their keys and values
 * @param tombstones number of entries that are tombstones
 * @param rangeTombstones number of range tombstones emitted, which are not entries
 * @param smallestSequence smallest sequence number emitted; 0 if none was
 * @param largestSequence largest sequence number emitted; 0 if none was
 * @param visibleSequence sequence number as of which the flush saw the memtable
 * @param nanos duration in nanoseconds
 * @param keys how the keys are distributed
 */
public record FlushResult(
    long entries, long bytes, long tombstones, long rangeTombstones, long smallestSequence,
    long largestSequence, long visibleSequence, long nanos, KeySample keys) {
}
