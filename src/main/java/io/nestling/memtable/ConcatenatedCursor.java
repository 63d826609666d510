/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;

/**
 * The entries of shards that hold ascending ranges, one shard after the other. A step costs nothing beyond
 * that of the shard's cursor.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class ConcatenatedCursor implements EntryCursor {
    private static final int NOWHERE = -1;

    private final Sharding sharding;
    private final EntryCursor[] parts;
    private int current = NOWHERE;
    private int commonPrefix;

    ConcatenatedCursor(final Sharding sharding, final EntryCursor[] parts) {
        this.sharding = sharding;
        this.parts = parts;
    }

    @Override
    public boolean first() {
        current = NOWHERE; // stays so if a part throws
        return enterFrom(0, true);
    }

    @Override
    public boolean last() {
        current = NOWHERE;
        return enterFrom(parts.length - 1, false);
    }

    /** Goes to the first entry of the parts from one on, in a direction. */
    private boolean enterFrom(final int from, final boolean forward) {
        for (int part = from; part >= 0 && part < parts.length; part += forward ? 1 : -1) {
            if (forward ? parts[part].first() : parts[part].last()) {
                return stand(part, 0);
            }
        }
        return false;
    }

    private boolean stand(final int part, final int prefix) {
        current = part;
        commonPrefix = prefix;
        return true;
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        current = NOWHERE;
        final int part = sharding.rangeOf(key, offset, length);
        return parts[part].seek(key, offset, length) ? stand(part, 0) : enterFrom(part + 1, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        current = NOWHERE;
        final int part = sharding.rangeOf(key, offset, length);
        return parts[part].seekLowerThan(key, offset, length) ? stand(part, 0) : enterFrom(part - 1, false);
    }

    @Override
    public boolean next() {
        return step(true);
    }

    @Override
    public boolean previous() {
        return step(false);
    }

    private boolean step(final boolean forward) {
        if (current == NOWHERE) {
            return false;
        }
        final int part = current;
        current = NOWHERE;
        final EntryCursor cursor = parts[part];
        if (forward ? cursor.next() : cursor.previous()) {
            return stand(part, cursor.commonPrefix());
        }
        if (!enterFrom(part + (forward ? 1 : -1), forward)) {
            return false;
        }
        // The key left was the outermost one of its part, which shows the same as before.
        if (forward ? !cursor.last() : !cursor.first()) {
            throw new AssertionError("the entries of part " + part + " have gone");
        }
        final EntryCursor entered = parts[current];
        commonPrefix = ByteComparison.commonPrefix(
            cursor.keyBuffer(), 0, cursor.keyLength(), entered.keyBuffer(), 0, entered.keyLength());
        return true;
    }

    private EntryCursor standing() {
        if (current == NOWHERE) {
            throw new IllegalStateException("the cursor stands on no entry");
        }
        return parts[current];
    }

    @Override
    public boolean valid() {
        return current != NOWHERE;
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
    public int commonPrefix() {
        standing();
        return commonPrefix;
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
    public long sequence() {
        return standing().sequence();
    }

    @Override
    public EntryKind kind() {
        return standing().kind();
    }

    @Override
    public void close() {
        current = NOWHERE;
        for (final EntryCursor part : parts) {
            part.close();
        }
    }
}
