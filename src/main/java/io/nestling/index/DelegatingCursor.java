/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that shows the entry on which another cursor stands. Only the moves are left to be written. */
abstract class DelegatingCursor implements EntryCursor {
    /**
     * The cursor whose entry is shown.
     *
     * @return a cursor that stands on an entry
     * @throws IllegalStateException if there is none
     */
    abstract EntryCursor standing();

    static IllegalStateException standsNowhere() {
        return new IllegalStateException("the cursor stands on no entry");
    }

    @Override
    public byte[] keyBuffer() {
        return standing().keyBuffer();
    }

    @Override
    public int keyLength() {
        return standing().keyLength();
    }

    @Override
    public byte[] key() {
        return standing().key();
    }

    @Override
    public long payload() {
        return standing().payload();
    }

    @Override
    public int valueLength() {
        return standing().valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        return standing().copyValue(destination, offset);
    }

    @Override
    public byte[] value() {
        return standing().value();
    }

    @Override
    public long sequence() {
        return standing().sequence();
    }

    @Override
    public EntryKind kind() {
        return standing().kind();
    }
}
