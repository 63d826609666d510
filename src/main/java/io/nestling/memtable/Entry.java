/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;

/**
 * One version of a key, copied out of a memtable.
 *
 * @param key the key
 * @param value the value; null if the kind is not {@link EntryKind#VALUE}
 * @param sequence sequence number of the write
 * @param kind {@link EntryKind#VALUE}; {@link EntryKind#TOMBSTONE} if this key was deleted; {@link
 *     EntryKind#RANGE_TOMBSTONE} if it was deleted as part of a range
 */
public record Entry(byte[] key, byte[] value, long sequence, EntryKind kind) {
}
