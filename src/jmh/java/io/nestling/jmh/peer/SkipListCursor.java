/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bytes.ByteComparison;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;

/** Walks the JDK's skip list by its iterators: cheap steps forward, a search for each step backward. */
final class SkipListCursor extends PeerCursor {
    private final ConcurrentNavigableMap<byte[], byte[]> map;
    private Iterator<Map.Entry<byte[], byte[]>> iterator;
    private boolean forward;
    private byte[] key;
    private byte[] keyBefore;
    private byte[] value;

    SkipListCursor(final ConcurrentNavigableMap<byte[], byte[]> map) {
        this.map = map;
    }

    @Override
    public boolean first() {
        return start(true, map);
    }

    @Override
    public boolean last() {
        return start(false, map.descendingMap());
    }

    @Override
    public boolean seek(final byte[] wanted, final int offset, final int length) {
        return start(true, map.tailMap(PeerIndex.whole(wanted, offset, length), true));
    }

    @Override
    public boolean seekLowerThan(final byte[] wanted, final int offset, final int length) {
        return start(false, map.headMap(PeerIndex.whole(wanted, offset, length), false).descendingMap());
    }

    @Override
    public boolean next() {
        return valid() && step(true);
    }

    @Override
    public boolean previous() {
        return valid() && step(false);
    }

    private boolean start(final boolean ascending, final ConcurrentNavigableMap<byte[], byte[]> entries) {
        checkOpen();
        forward = ascending;
        iterator = entries.entrySet().iterator();
        final boolean found = advance();
        keyBefore = null;
        return found;
    }

    private boolean step(final boolean ascending) {
        if (forward != ascending) {
            forward = ascending;
            iterator = (ascending ? map.tailMap(key, false) : map.headMap(key, false).descendingMap())
                .entrySet().iterator();
        }
        return advance();
    }

    private boolean advance() {
        if (!iterator.hasNext()) {
            return moved(false);
        }
        final Map.Entry<byte[], byte[]> entry = iterator.next();
        keyBefore = key;
        key = entry.getKey();
        value = entry.getValue();
        return moved(true);
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return key;
    }

    @Override
    public int keyLength() {
        checkValid();
        return key.length;
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return keyBefore == null ? 0 : ByteComparison.commonPrefix(keyBefore, 0, keyBefore.length, key, 0, key.length);
    }

    @Override
    public byte[] value() {
        checkValid();
        return value;
    }
}
