/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.index.EntryCursor;
import io.nestling.memory.KeySource;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over the leaves. Positioning goes down along the key and then to the nearest leaf on the wanted side,
 * and sees all these nodes in one state of the trie; steps take leaves out of a {@link LeafStream}. Keys are
 * read from their records when asked for.
 * <h2>Thread safety</h2>
 * One thread; the writer may be at work.
 */
final class CuckooTrieCursor implements EntryCursor {
    private static final int KEY_BYTES = 64;
    private static final byte[] EMPTY_KEY = {};
    /** There is no leaf on the wanted side. */
    private static final long NOTHING = -1;
    /** The trie has changed on the way. */
    private static final long INTERRUPTED = -2;

    private final CuckooTrie index;
    private final KeySource keys;
    private final Descent descent = new Descent();
    private final PendingNodes pending = new PendingNodes();
    private final EntryProbe probe = new EntryProbe();
    private final NodePath passed = new NodePath();
    private final LeafStream stream;
    private NodeTable table;
    private boolean forward;
    private boolean valid;

    private long payload;
    /* The key and that before; they change places by number, as storing references costs more. */
    private final byte[][] buffers = {new byte[KEY_BYTES], new byte[KEY_BYTES]};
    private int own;
    private int keyLength;
    private boolean keyRead;
    private boolean hasBefore;
    private long payloadBefore;
    private int keyBeforeLength;
    private boolean keyBeforeRead;

    CuckooTrieCursor(final CuckooTrie index, final KeySource keys) {
        this.index = index;
        this.keys = keys;
        this.stream = new LeafStream(keys);
    }

    // ---- positioning

    @Override
    public boolean first() {
        return position(EMPTY_KEY, 0, 0, true, true);
    }

    @Override
    public boolean last() {
        return position(null, 0, 0, false, false);
    }

    @Override
    public boolean seek(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return position(bytes, offset, length, true, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return position(bytes, offset, length, false, false);
    }

    private boolean position(
        final byte[] bytes, final int offset, final int length, final boolean up, final boolean inclusive) {
        hasBefore = false;
        final long found = find(bytes, offset, length, up, inclusive);
        return found == NOTHING ? stop() : stand(found);
    }

    /** The nearest leaf on one side of a key, before what comes out of the stream; null stands for a key above all. */
    private long find(
        final byte[] bytes, final int offset, final int length, final boolean up, final boolean inclusive) {
        int attempt = 0;
        while (true) {
            table = index.tableOpen();
            forward = up;
            pending.clear();
            passed.clear();
            final long found = bytes == null
                ? fromRoot() : fromKey(bytes, offset, length, inclusive);
            if (found != INTERRUPTED && (bytes == null || descent.isPathUnchanged(table)) && passed.isUnchanged(table)) {
                descent.forgetKey();
                stream.restart(table);
                return found;
            }
            Backoff.pause(++attempt);
        }
    }

    private long fromRoot() {
        probe.root(table);
        if (!isUsed(probe.head())) {
            passed.add(probe.line(), probe.version());
            return NOTHING;
        }
        return enter(table.hash().root());
    }

    private long fromKey(final byte[] bytes, final int offset, final int length, final boolean inclusive) {
        final int end = descent.run(table, bytes, offset, length, true);
        passed.add(descent.line(), descent.version());
        for (int level = 0; level < descent.path().levels(); level++) {
            if (type(descent.path().head(level)) == BITMAP) {
                final long bit = childBit(descent.keyCode(descent.path().depth(level)));
                final long side = forward ? -bit << 1 : bit - 1;
                final long children = children(descent.path().tail(level));
                pending.addChildren(
                    children & side, descent.path().hash(level), descent.path().head(level), descent.path().tail(level),
                    descent.path().line(level), descent.path().version(level));
            }
        }
        if (end == Descent.AT_LEAF) {
            final int order = descent.compareLeaf(keys);
            if (forward ? order > 0 || order == 0 && inclusive : order < 0) {
                return EntryLayout.payload(descent.head(), descent.tail());
            }
        } else if (end == Descent.OFF_JUMP) {
            final int label = label(descent.head(), descent.tail(), descent.missing()) + FIRST_CODE;
            final boolean above = label > descent.keyCode(descent.depth() + descent.missing());
            if (above == forward) {
                pending.addJumpChild(
                    table.hash(), descent.hash(), descent.head(), descent.tail(), descent.line(),
                    descent.version());
            }
        }
        return nearest();
    }

    /** The first leaf of what is pending. */
    private long nearest() {
        if (pending.isEmpty()) {
            return NOTHING;
        }
        return readPending() ? enter(pending.hash()) : INTERRUPTED;
    }

    private boolean readPending() {
        final NameHash names = table.hash();
        pending.take(names, forward);
        passed.add(pending.lineAbove(), pending.versionAbove());
        final long place = names.placed(pending.hash(), pending.identity() & SECONDARY);
        return probe.readNode(
            table, NodeTable.offsetOf(place, table.buckets()), pending.hash(), pending.identity() | names.tag(place),
            pending.mask());
    }

    /** The first leaf below the node that was read last. */
    private long enter(final long nodeHash) {
        long hash = nodeHash;
        while (true) {
            passed.add(probe.line(), probe.version());
            final long head = probe.head();
            final long tail = probe.tail();
            if (isLeaf(head)) {
                return EntryLayout.payload(head, tail);
            }
            if (type(head) == BITMAP) {
                pending.addChildren(children(tail), hash, head, tail, probe.line(), probe.version());
            } else {
                pending.addJumpChild(table.hash(), hash, head, tail, probe.line(), probe.version());
            }
            if (pending.isEmpty()) {
                return INTERRUPTED; // the node was read torn
            }
            if (!readPending()) {
                return INTERRUPTED;
            }
            hash = pending.hash();
        }
    }

    // ---- steps

    @Override
    public boolean next() {
        return valid && step(true);
    }

    @Override
    public boolean previous() {
        return valid && step(false);
    }

    private boolean step(final boolean up) {
        if (up == forward) {
            if (stream.nextKnown()) {
                return moveTo(stream.payload());
            }
            index.tableOpen();
            if (stream.next(pending, forward)) {
                return moveTo(stream.payload());
            }
            if (!stream.isInterrupted()) {
                return stop();
            }
        }
        readKey();
        // The buffer is the cursor's own: a descent reads it to its end before it changes.
        final long found = find(buffers[own], 0, keyLength, up, false);
        return found == NOTHING ? stop() : moveTo(found);
    }

    private boolean moveTo(final long next) {
        if (keyRead) {
            own ^= 1;
            keyBeforeLength = keyLength;
        }
        keyBeforeRead = keyRead;
        payloadBefore = payload;
        hasBefore = true;
        return stand(next);
    }

    private boolean stand(final long on) {
        payload = on;
        keyRead = false;
        valid = true;
        return true;
    }

    private boolean stop() {
        valid = false;
        return false;
    }

    // ---- the entry

    @Override
    public boolean valid() {
        return valid;
    }

    private void checkValid() {
        if (!valid) {
            throw new IllegalStateException("the cursor stands on no entry");
        }
    }

    private void readKey() {
        if (!keyRead) {
            keyLength = read(payload, own);
            keyRead = true;
            stream.expectKeys(keyLength);
        }
    }

    private void readKeyBefore() {
        if (!keyBeforeRead) {
            keyBeforeLength = read(payloadBefore, own ^ 1);
            keyBeforeRead = true;
        }
    }

    /** Copies a key to one of the buffers; returns its length. */
    private int read(final long from, final int to) {
        final int length = keys.copyKeyIfFits(from, buffers[to]);
        if (buffers[to].length < length) {
            buffers[to] = new byte[Math.max(length, buffers[to].length * 2)];
            keys.copyKey(from, buffers[to], 0);
        }
        return length;
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        readKey();
        return buffers[own];
    }

    @Override
    public int keyLength() {
        checkValid();
        readKey();
        return keyLength;
    }

    @Override
    public int commonPrefix() {
        checkValid();
        if (!hasBefore) {
            return 0;
        }
        readKey();
        readKeyBefore();
        final int mismatch = Arrays.mismatch(buffers[own], 0, keyLength, buffers[own ^ 1], 0, keyBeforeLength);
        return mismatch < 0 ? keyLength : mismatch;
    }

    @Override
    public long payload() {
        checkValid();
        return payload;
    }

    @Override
    public void close() {
        valid = false;
    }
}
