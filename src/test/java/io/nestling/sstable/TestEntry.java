/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** An entry of a test's own making. The key buffer has bytes to spare, as those of cursors do. */
record TestEntry(byte[] key, long sequence, EntryKind kind, byte[] value, long expiry) implements EntryView {
    /** Order of tables. */
    static final Comparator<TestEntry> ORDER = (left, right) -> {
        final int order = Arrays.compareUnsigned(left.key, right.key);
        return order != 0 ? order : Long.compare(right.sequence, left.sequence);
    };

    static TestEntry value(final byte[] key, final long sequence, final byte[] value) {
        return new TestEntry(key, sequence, EntryKind.VALUE, value, 0);
    }

    /** A value that has expired ever since (0), or never does (the greatest number), whatever the clock says; or another one. */
    static TestEntry expiring(final byte[] key, final long sequence, final byte[] value, final long expiry) {
        return new TestEntry(key, sequence, EntryKind.EXPIRING, value, expiry);
    }

    static TestEntry value(final String key, final long sequence, final String value) {
        return value(bytes(key), sequence, bytes(value));
    }

    static TestEntry operand(final byte[] key, final long sequence, final byte[] operand) {
        return new TestEntry(key, sequence, EntryKind.OPERAND, operand, 0);
    }

    static TestEntry tombstone(final byte[] key, final long sequence) {
        return new TestEntry(key, sequence, EntryKind.TOMBSTONE, null, 0);
    }

    static TestEntry tombstone(final String key, final long sequence) {
        return tombstone(bytes(key), sequence);
    }

    static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] keyBuffer() {
        final byte[] buffer = Arrays.copyOf(key, key.length + 3);
        Arrays.fill(buffer, key.length, buffer.length, (byte) 0xEE);
        return buffer;
    }

    @Override
    public int keyLength() {
        return key.length;
    }

    @Override
    public int commonPrefix() {
        return 0; // A lie, which the writer must not believe.
    }

    @Override
    public int valueLength() {
        return value == null ? 0 : value.length;
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        System.arraycopy(value, 0, destination, offset, value.length);
        return value.length;
    }

    /** Same key, sequence, kind and value. */
    boolean matches(final EntryView other) {
        return Arrays.equals(key, other.key()) && sequence == other.sequence() && kind == other.kind()
            && Arrays.equals(value, other.value()) && (kind != EntryKind.EXPIRING || expiry == other.expiry());
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(key, 0, Math.min(key.length, 40))
            + (key.length > 40 ? "..." + key.length : "")
            + "@" + sequence + " " + kind + " " + (value == null ? "" : value.length + " bytes");
    }
}
