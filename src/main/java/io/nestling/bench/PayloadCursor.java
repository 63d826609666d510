/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;

/**
 * A cursor of an index, with each payload as a value of eight bytes.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class PayloadCursor extends ForwardedCursor {
    PayloadCursor(final EntryCursor cursor) {
        super(cursor);
    }

    @Override
    public int valueLength() {
        return Long.BYTES;
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        final long payload = cursor().payload();
        for (int i = 0; i < Long.BYTES; i++) {
            destination[offset + i] = (byte) (payload >>> i * Byte.SIZE);
        }
        return Long.BYTES;
    }

    @Override
    public long sequence() {
        return 1;
    }

    @Override
    public EntryKind kind() {
        return EntryKind.VALUE;
    }
}
