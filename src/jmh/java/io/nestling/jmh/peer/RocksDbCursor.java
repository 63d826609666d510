/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.Direction;

import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * An iterator of RocksDB. Key and value cross the border to native code only when they are asked for. The
 * iterator shows the state of its making; a move to a new position renews it if there were writes since.
 */
final class RocksDbCursor extends PeerCursor {
    private static final int FIRST_BUFFER_BYTES = 256;

    private final RocksDB database;
    private final RocksIterator iterator;
    private final byte[] value;
    private long sequence;
    private byte[] key = new byte[FIRST_BUFFER_BYTES];
    private int keyLength;
    private boolean keyRead;
    private byte[] keyBefore = new byte[FIRST_BUFFER_BYTES];
    private int keyBeforeLength;
    /** True if keys are kept across steps: only once somebody wants to compare them. */
    private boolean comparing;
    private Direction lastStep;
    private boolean closed;

    RocksDbCursor(final RocksDB database, final ReadOptions reading, final int valueBytes) {
        this.database = database;
        value = new byte[valueBytes];
        sequence = database.getLatestSequenceNumber();
        iterator = database.newIterator(reading);
    }

    @Override
    public boolean first() {
        renew();
        iterator.seekToFirst();
        return arrived(null);
    }

    @Override
    public boolean last() {
        renew();
        iterator.seekToLast();
        return arrived(null);
    }

    @Override
    public boolean seek(final byte[] wanted, final int offset, final int length) {
        renew();
        iterator.seek(PeerIndex.whole(wanted, offset, length));
        return arrived(null);
    }

    @Override
    public boolean seekLowerThan(final byte[] wanted, final int offset, final int length) {
        renew();
        final byte[] limit = PeerIndex.whole(wanted, offset, length);
        iterator.seekForPrev(limit);
        // That is at or below: one step more if it is the key itself.
        if (iterator.isValid()) {
            keyRead = false;
            readKey();
            if (ByteComparison.compare(key, 0, keyLength, limit, 0, limit.length) == 0) {
                iterator.prev();
            }
        }
        return arrived(null);
    }

    @Override
    public boolean next() {
        return step(Direction.FORWARD);
    }

    @Override
    public boolean previous() {
        return step(Direction.REVERSE);
    }

    private boolean step(final Direction direction) {
        if (!valid()) {
            return false;
        }
        if (comparing) {
            readKey();
            keepKey();
        }
        go(direction);
        return arrived(direction);
    }

    private void go(final Direction direction) {
        if (direction == Direction.FORWARD) {
            iterator.next();
        } else {
            iterator.prev();
        }
    }

    private void renew() {
        checkOpen();
        final long latest = database.getLatestSequenceNumber();
        if (latest != sequence) {
            try {
                iterator.refresh();
            } catch (final RocksDBException e) {
                throw new IllegalStateException("RocksDB failed: " + e.getMessage(), e);
            }
            sequence = latest;
        }
    }

    private boolean arrived(final Direction step) {
        lastStep = step;
        keyRead = false;
        final boolean found = iterator.isValid();
        if (!found) {
            try {
                iterator.status();
            } catch (final RocksDBException e) {
                throw new IllegalStateException("RocksDB failed: " + e.getMessage(), e);
            }
        }
        return moved(found);
    }

    private void readKey() {
        if (!keyRead) {
            keyLength = iterator.key(key);
            if (keyLength > key.length) {
                key = new byte[2 * keyLength];
                iterator.key(key);
            }
            keyRead = true;
        }
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        readKey();
        return key;
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
        if (lastStep == null) {
            return 0;
        }
        if (!comparing) {
            // The first to ask goes back once for the key before.
            comparing = true;
            go(lastStep.isForward() ? Direction.REVERSE : Direction.FORWARD);
            keyRead = false;
            readKey();
            keepKey();
            go(lastStep);
            keyRead = false;
        }
        readKey();
        return ByteComparison.commonPrefix(keyBefore, 0, keyBeforeLength, key, 0, keyLength);
    }

    private void keepKey() {
        final byte[] buffer = keyBefore;
        keyBefore = key;
        keyBeforeLength = keyLength;
        key = buffer;
    }

    @Override
    public byte[] value() {
        checkValid();
        iterator.value(value);
        return value;
    }

    @Override
    public void close() {
        super.close();
        if (!closed) {
            closed = true;
            iterator.close();
        }
    }
}
