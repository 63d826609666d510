/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.KeySource;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;

/**
 * An index for few keys: an array of payloads in the order of their keys, which are read from a key source and searched by
 * halving. Each new or removed key replaces the array by a changed copy, so that a reader finishes on the one that it took.
 * <p> An index of n keys takes 8 n bytes on the heap, which are charged to the budget; a put of a new key takes time O(n).
 * <h2>Thread safety</h2>
 * As {@link OrderedIndex} says, for one writer. Readers need no guard for the array, but one for the keys.
 */
public final class SmallIndex implements OrderedIndex {
    /** Number of keys that a structure which begins with this index should put into it at most. */
    public static final int KEYS = 128;

    private static final VarHandle PAYLOAD = MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final MemoryBudget budget;
    private final long maxBytes;
    private final KeySource keys;
    /* Null once it is closed. */
    private volatile long[] payloads = new long[0];
    private long charged;

    /** Creates an empty index. */
    public SmallIndex(final IndexContext context) {
        this.budget = context.budget();
        this.maxBytes = context.maxBytes();
        this.keys = context.keys();
    }

    KeySource keys() {
        return keys;
    }

    /** Returns the payloads in the order of their keys; elements change by {@link #put}. */
    long[] open() {
        final long[] present = payloads;
        if (present == null) {
            throw new IllegalStateException("the index is closed");
        }
        return present;
    }

    static long payload(final long[] payloads, final int i) {
        return (long) PAYLOAD.getAcquire(payloads, i);
    }

    /** Returns the number of keys below a given one. */
    static int lowerBound(
        final KeySource keys, final long[] payloads, final byte[] key, final int offset, final int length) {
        int low = 0;
        int high = payloads.length;
        while (low < high) {
            final int middle = low + high >>> 1;
            if (keys.compareKey(payload(payloads, middle), key, offset, length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isAt(final long[] present, final int at, final byte[] key, final int offset, final int length) {
        return at < present.length && keys.compareKey(payload(present, at), key, offset, length) == 0;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        final long[] present = open();
        final int at = lowerBound(keys, present, key, offset, length);
        return isAt(present, at, key, offset, length) ? payload(present, at) : NONE;
    }

    @Override
    public void getAll(final KeyBatch batch, final long[] found) {
        EntryArguments.checkRoom(batch, found);
        for (int i = 0; i < batch.size(); i++) {
            found[i] = get(batch.array(i), batch.offset(i), batch.length(i));
        }
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        final long[] present = open();
        final int at = lowerBound(keys, present, key, offset, length);
        if (isAt(present, at, key, offset, length)) {
            final long before = present[at];
            PAYLOAD.setRelease(present, at, payload);
            return before;
        }
        final long needed = bytes(present.length + 1L);
        if (needed > charged) {
            charge(needed);
        }
        final long[] more = Arrays.copyOf(present, present.length + 1);
        System.arraycopy(present, at, more, at + 1, present.length - at);
        more[at] = payload;
        payloads = more;
        return NONE;
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        final long[] present = open();
        final int at = lowerBound(keys, present, key, offset, length);
        if (!isAt(present, at, key, offset, length)) {
            return NONE;
        }
        final long[] fewer = Arrays.copyOf(present, present.length - 1);
        System.arraycopy(present, at + 1, fewer, at, fewer.length - at);
        payloads = fewer;
        charge(bytes(fewer.length));
        return present[at];
    }

    private static long bytes(final long entries) {
        return entries * Long.BYTES;
    }

    /** Charges a number of bytes in place of those before. */
    private void charge(final long bytes) {
        if (bytes > maxBytes || bytes > charged && !budget.tryAcquire(bytes - charged)) {
            throw new SpaceExhaustedException("expected at most " + maxBytes + " bytes of payloads, and at most "
                + (charged + budget.remaining()) + " by the budget, but was " + bytes);
        }
        if (bytes < charged) {
            budget.release(charged - bytes);
        }
        charged = bytes; // behind both calls: an error out of one has changed nothing
    }

    @Override
    public void reserve(final int entries, final long keyBytes) {
        charge(bytes(open().length + (long) entries));
    }

    @Override
    public EntryCursor cursor() {
        open();
        return new SmallCursor(this);
    }

    @Override
    public long entryCount() {
        return open().length;
    }

    @Override
    public long bytesUsed() {
        return bytes(open().length);
    }

    @Override
    public void verify() {
        final long[] present = open();
        if (bytes(present.length) > charged) {
            throw new IllegalStateException(
                "expected at least " + bytes(present.length) + " bytes charged but was " + charged);
        }
        byte[] before = null;
        for (int i = 0; i < present.length; i++) {
            final byte[] key = new byte[keys.keyLength(present[i])];
            keys.copyKey(present[i], key, 0);
            if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
                throw new IllegalStateException("expected key " + i + " above the one before but was "
                    + Arrays.toString(key) + " behind " + Arrays.toString(before));
            }
            before = key;
        }
    }

    @Override
    public void close() {
        payloads = null;
        budget.release(charged);
        charged = 0;
    }
}
