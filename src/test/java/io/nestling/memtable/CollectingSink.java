/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.testing.KeyCorpus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a flush down, one line for each call, checks what a sink is promised, and fails when it is told to.
 */
public final class CollectingSink implements EntrySink {
    private final List<String> lines = new ArrayList<>();
    private final int failingCall;
    private int calls;
    private long entriesLeft;
    private long bytesLeft;
    private long rangesLeft;
    private byte[] previousKey;
    private long previousSequence;
    private byte[] previousFrom;
    private boolean ended;

    /** Never fails. */
    public CollectingSink() {
        this(Integer.MAX_VALUE);
    }

    /** Throws at a call, counted from 0. */
    public CollectingSink(final int failingCall) {
        this.failingCall = failingCall;
    }

    /** How an entry is written down. */
    public static String line(final byte[] key, final long sequence, final EntryKind kind, final byte[] value) {
        return KeyCorpus.text(key) + " @" + sequence + " " + kind + " " + KeyCorpus.text(value);
    }

    static String rangeLine(final byte[] from, final byte[] to, final long sequence) {
        return "range " + KeyCorpus.text(from) + " to " + KeyCorpus.text(to) + " @" + sequence;
    }

    private void call() throws IOException {
        assertFalse(ended, "called after the end");
        if (calls++ == failingCall) {
            ended = true;
            throw new IOException("planned failure at call " + failingCall);
        }
    }

    @Override
    public void begin(final long entryCount, final long byteCount,
        final long rangeTombstoneCount) throws IOException {
        assertEquals(0, calls, "begin comes first");
        call();
        entriesLeft = entryCount;
        bytesLeft = byteCount;
        rangesLeft = rangeTombstoneCount;
    }

    @Override
    public void entry(final EntryView entry) throws IOException {
        assertTrue(calls > 0, "begin comes first");
        call();
        final byte[] key = entry.key();
        checkOrder(key, entry);
        entriesLeft--;
        bytesLeft -= key.length + entry.valueLength();
        lines.add(line(key, entry.sequence(), entry.kind(), entry.value())
            + (entry.kind() == EntryKind.EXPIRING ? " until " + entry.expiry() : ""));
        previousKey = key;
        previousSequence = entry.sequence();
    }

    private void checkOrder(final byte[] key, final EntryView entry) {
        if (previousFrom != null && previousKey != null) {
            assertTrue(ByteComparison.compare(previousFrom, key) <= 0, "a range tombstone came too early");
        }
        if (previousKey == null) {
            assertEquals(0, entry.commonPrefix());
            return;
        }
        final int order = ByteComparison.compare(previousKey, key);
        assertTrue(order < 0 || order == 0 && previousSequence > entry.sequence(),
            "entries are out of order");
        assertEquals(
            ByteComparison.commonPrefix(previousKey, 0, previousKey.length, key, 0, key.length),
            entry.commonPrefix(), () -> KeyCorpus.text(previousKey) + " and " + KeyCorpus.text(key));
    }

    @Override
    public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) throws IOException {
        assertTrue(calls > 0, "begin comes first");
        call();
        assertTrue(to == null || ByteComparison.compare(from, to) < 0);
        assertTrue(previousFrom == null || ByteComparison.compare(previousFrom, from) <= 0);
        assertTrue(previousKey == null || ByteComparison.compare(previousKey, from) < 0, "comes too late");
        rangesLeft--;
        lines.add(rangeLine(from, to, sequence));
        previousFrom = from;
    }

    @Override
    public void end() throws IOException {
        call();
        assertEquals(0, entriesLeft, "entries announced and missing");
        assertEquals(0, bytesLeft, "bytes announced and missing");
        assertEquals(0, rangesLeft, "range tombstones announced and missing");
        ended = true;
    }

    /** What was passed on, in order. */
    public List<String> lines() {
        return lines;
    }

    /** Number of calls so far. */
    public int calls() {
        return calls;
    }
}
