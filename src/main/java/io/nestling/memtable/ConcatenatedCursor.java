/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.DelegatingCursor;
import io.nestling.index.EntryCursor;

/**
 * A cursor over shards that hold ascending ranges, one shard after the other. A step costs the same as a step of the
 * shard's cursor.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class ConcatenatedCursor extends DelegatingCursor {
    private static final int UNPOSITIONED = -1;

    private final Sharding sharding;
    private final EntryCursor[] parts;
    private int current = UNPOSITIONED;
    private int commonPrefix;

    ConcatenatedCursor(final Sharding sharding, final EntryCursor[] parts) {
        this.sharding = sharding;
        this.parts = parts;
    }

    @Override
    public boolean first() {
        current = UNPOSITIONED; // stays so if a part throws
        return enterFrom(0, true);
    }

    @Override
    public boolean last() {
        current = UNPOSITIONED;
        return enterFrom(parts.length - 1, false);
    }

    /** Moves to the first entry, in a direction, of the parts from one on. */
    private boolean enterFrom(final int from, final boolean forward) {
        for (int part = from; part >= 0 && part < parts.length; part += forward ? 1 : -1) {
            if (forward ? parts[part].first() : parts[part].last()) {
                return moveTo(part, 0);
            }
        }
        return false;
    }

    private boolean moveTo(final int part, final int prefix) {
        current = part;
        commonPrefix = prefix;
        return true;
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        current = UNPOSITIONED;
        final int part = sharding.rangeOf(key, offset, length);
        return parts[part].seek(key, offset, length) ? moveTo(part, 0) : enterFrom(part + 1, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        current = UNPOSITIONED;
        final int part = sharding.rangeOf(key, offset, length);
        return parts[part].seekLowerThan(key, offset, length) ? moveTo(part, 0) : enterFrom(part - 1, false);
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
        if (current == UNPOSITIONED) {
            return false;
        }
        final int part = current;
        current = UNPOSITIONED;
        final EntryCursor cursor = parts[part];
        if (forward ? cursor.next() : cursor.previous()) {
            return moveTo(part, cursor.commonPrefix());
        }
        if (!enterFrom(part + (forward ? 1 : -1), forward)) {
            return false;
        }
        // The previous key was the outermost one of its part, which shows the same entries as before.
        if (forward ? !cursor.last() : !cursor.first()) {
            throw new AssertionError("expected part " + part + " to show its entries again but was empty");
        }
        final EntryCursor entered = parts[current];
        commonPrefix = ByteComparison.commonPrefix(
            cursor.keyBuffer(), 0, cursor.keyLength(), entered.keyBuffer(), 0, entered.keyLength());
        return true;
    }

    @Override
    protected EntryCursor delegate() {
        if (current == UNPOSITIONED) {
            throw notValid();
        }
        return parts[current];
    }

    @Override
    public boolean valid() {
        return current != UNPOSITIONED;
    }

    @Override
    public int commonPrefix() {
        delegate();
        return commonPrefix;
    }

    @Override
    public void close() {
        current = UNPOSITIONED;
        for (final EntryCursor part : parts) {
            part.close();
        }
    }
}
