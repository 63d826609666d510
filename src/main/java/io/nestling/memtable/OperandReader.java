/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.index.Operands;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

import java.util.Arrays;

/**
 * Reads the operands of a key from its records, back to the version that ends them.
 * <h2>Thread safety</h2>
 * All methods are called inside a guard.
 */
final class OperandReader {
    private static final int OPERAND = EntryKind.OPERAND.code();

    private OperandReader() {
    }

    static boolean isOperand(final RecordStore records, final long record) {
        return isOperand(records.versionWord(record));
    }

    static boolean isOperand(final long versionWord) {
        return RecordLayout.kind(versionWord) == OPERAND;
    }

    /**
     * Gathers operands, from a key's newest visible record on. {@code deleted} is the number of the newest visible range
     * tombstone that covers the key, below that of the record; 0 for none.
     */
    static Operands read(final MemtableShard shard, final long newest, final long deleted, final long now) {
        // memtable-concurrency.md, claim 65
        final RecordStore records = shard.records();
        final Operands operands = new Operands();
        for (long at = newest; at != RecordLayout.NO_RECORD; at = records.previous(at)) {
            final long word = records.versionWord(at);
            if (RecordLayout.sequence(word) < deleted) {
                break;
            }
            if (!isOperand(word)) {
                operands.end(MemtableShard.isAlive(records, at, word, now) ? shard.value(at) : null);
                return operands;
            }
            operands.addOlder(shard.value(at));
        }
        if (deleted > 0) {
            operands.end(null);
        }
        return operands;
    }

    /** Returns what the operands of a key are combined to. */
    static byte[] combine(
        final MemtableShard shard, final long newest, final byte[] key, final int length, final long deleted,
        final long now) {
        return read(shard, newest, deleted, now).combine(Arrays.copyOf(key, length), shard.rules());
    }
}
