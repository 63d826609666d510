/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.KeySource;

import java.util.Arrays;

/**
 * The key of an entry; its bytes are read on demand.
 * <h2>Thread safety</h2>
 * One thread, as its cursor.
 */
final class EntryKey {
    private static final int NOT_LOADED = -1;

    private final KeySource keys;
    private byte[] buffer = new byte[KeyWord.BYTES];
    private int length = NOT_LOADED;
    private boolean bytesLoaded;
    private long word;
    private long payload;
    private boolean exact;

    EntryKey(final KeySource keys) {
        this.keys = keys;
    }

    /** Sets an entry whose key is its word, or is found by the payload. */
    void set(final long newWord, final long newPayload, final boolean isExact) {
        word = newWord;
        payload = newPayload;
        exact = isExact;
        length = isExact ? KeyWord.BYTES : NOT_LOADED;
        bytesLoaded = false;
    }

    long payload() {
        return payload;
    }

    boolean isExact() {
        return exact;
    }

    int length() {
        if (length == NOT_LOADED) {
            length = keys.keyLength(payload);
        }
        return length;
    }

    byte[] bytes() {
        load();
        return buffer;
    }

    void load() {
        if (bytesLoaded) {
            return;
        }
        if (exact) {
            KeyWord.write(word, buffer);
        } else {
            if (buffer.length < length()) {
                buffer = new byte[Math.max(length(), 2 * buffer.length)];
            }
            keys.copyKey(payload, buffer, 0);
        }
        bytesLoaded = true;
    }

    /** Returns the number of leading bytes that two keys share. */
    int commonPrefix(final EntryKey other) {
        if (word != other.word) {
            final int shared = KeyWord.commonPrefix(word, other.word);
            return Math.min(shared, Math.min(length(), other.length()));
        }
        load();
        other.load();
        final int mismatch = Arrays.mismatch(buffer, 0, length(), other.buffer, 0, other.length());
        return mismatch < 0 ? length() : mismatch;
    }
}
