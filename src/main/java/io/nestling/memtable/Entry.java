/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.offheap.RecordLayout;

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
    /** Copies the newest version of a key as of a sequence number; null if there is none. The caller holds a guard. */
    static Entry find(final MemtableState state, final MemtableShard shard, final byte[] key, final long visible) {
        final long covering = state.rangeTombstones().newestCovering(key, visible);
        final long record = shard.find(key, 0, key.length, visible);
        final long word = record == RecordLayout.NO_RECORD ? 0 : shard.records().versionWord(record);
        if (RecordLayout.sequence(word) < covering) {
            return new Entry(key.clone(), null, covering, EntryKind.RANGE_TOMBSTONE);
        }
        if (record == RecordLayout.NO_RECORD) {
            return null;
        }
        final EntryKind kind = EntryKind.of(RecordLayout.kind(word));
        return new Entry(key.clone(), kind == EntryKind.VALUE ? shard.value(record) : null, RecordLayout.sequence(word), kind);
    }
}
