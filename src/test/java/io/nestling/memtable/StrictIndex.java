/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.testing.ReferenceIndex;

/**
 * A right index that watches whoever uses it: each payload must lead to a record that holds the key, space
 * must be reserved before a put, and a cursor must not move on from a place that it took so long ago that the
 * memory could have been reused.
 */
final class StrictIndex implements OrderedIndex {
    private final OrderedIndex map;
    private final IndexContext context;
    private int reserved;

    private StrictIndex(final OrderedIndex map, final IndexContext context) {
        this.map = map;
        this.context = context;
    }

    static IndexFactory factory() {
        final IndexFactory reference = ReferenceIndex.concurrentFactory();
        return new IndexFactory() {
            @Override
            public PointIndex create(final IndexContext context) {
                return new StrictIndex((OrderedIndex) reference.create(context), context);
            }

            @Override
            public String indexName() {
                return "strict";
            }

            @Override
            public boolean ordered() {
                return true;
            }

            @Override
            public boolean storesKeys() {
                return false;
            }

            @Override
            public boolean concurrentWriters() {
                return false;
            }

            @Override
            public String toString() {
                return indexName();
            }
        };
    }

    private long checked(final long payload, final byte[] key, final int offset, final int length) {
        if (payload != NONE && context.keys().compareKey(payload, key, offset, length) != 0) {
            throw new AssertionError("payload " + payload + " leads to another key");
        }
        return payload;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        return checked(map.get(key, offset, length), key, offset, length);
    }

    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        map.getAll(keys, payloads);
        for (int i = 0; i < keys.size(); i++) {
            checked(payloads[i], keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        if (--reserved < 0) {
            throw new AssertionError("a put without a reservation");
        }
        return map.put(key, offset, length, checked(payload, key, offset, length));
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        throw new AssertionError("memtables never remove");
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        map.reserve(entries, keyBytes);
        reserved = entries;
    }

    @Override
    public long entryCount() {
        return map.entryCount();
    }

    @Override
    public long bytesUsed() {
        return map.bytesUsed();
    }

    @Override
    public void verify() {
        map.verify();
    }

    @Override
    public void close() {
        map.close();
    }

    @Override
    public EntryCursor cursor() {
        return new Cursor(map.cursor());
    }

    /** Fails if memory unlinked when it was positioned could be used again at the end of a later move. */
    private final class Cursor implements EntryCursor {
        private final EntryCursor cursor;
        private final EpochReclaimer epochs = context.epochs();
        private final byte[] key = new byte[MAX_KEY_BYTES];
        private long positionedIn;

        Cursor(final EntryCursor cursor) {
            this.cursor = cursor;
        }

        private boolean positioned(final long epoch, final boolean found) {
            positionedIn = epoch;
            return moved(found);
        }

        private boolean moved(final boolean found) {
            epochs.tryAdvance(); // as a writer might at the worst moment
            if (epochs.isQuiescent(positionedIn)) {
                throw new AssertionError(
                    "a cursor positioned in epoch " + positionedIn + " moved in epoch " + epochs.epoch());
            }
            if (found) {
                System.arraycopy(cursor.keyBuffer(), 0, key, 0, cursor.keyLength());
                checked(cursor.payload(), key, 0, cursor.keyLength());
            }
            return found;
        }

        @Override
        public boolean first() {
            return positioned(epochs.epoch(), cursor.first());
        }

        @Override
        public boolean last() {
            return positioned(epochs.epoch(), cursor.last());
        }

        @Override
        public boolean seek(final byte[] sought, final int offset, final int length) {
            return positioned(epochs.epoch(), cursor.seek(sought, offset, length));
        }

        @Override
        public boolean seekLowerThan(final byte[] sought, final int offset, final int length) {
            return positioned(epochs.epoch(), cursor.seekLowerThan(sought, offset, length));
        }

        @Override
        public boolean next() {
            return moved(cursor.next());
        }

        @Override
        public boolean previous() {
            return moved(cursor.previous());
        }

        @Override
        public boolean valid() {
            return cursor.valid();
        }

        @Override
        public byte[] keyBuffer() {
            return key;
        }

        @Override
        public int keyLength() {
            return cursor.keyLength();
        }

        @Override
        public int commonPrefix() {
            return cursor.commonPrefix();
        }

        @Override
        public long payload() {
            return cursor.payload();
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
