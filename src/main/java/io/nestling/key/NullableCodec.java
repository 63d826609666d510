/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/** The values of another type, and {@code null} before or after all of them: one marker byte, then the value if there is one. */
record NullableCodec<T>(String name, Codec<T> present, boolean nullsFirst) implements Codec<T> {
    private static final String MARKER = "null marker";
    private static final int NULL_FIRST = 0x00;
    private static final int PRESENT = 0x01;
    private static final int NULL_LAST = 0x02;

    @Override
    public void encode(final T value, final KeyBuffer out) {
        out.reserve(1, MARKER);
        if (value == null) {
            out.put(nullMarker());
        } else {
            out.put(PRESENT);
            present.encode(value, out);
        }
    }

    @Override
    public T decode(final KeyInput in) {
        final int marker = in.next(MARKER);
        if (marker == PRESENT) {
            return present.decode(in);
        }
        if (marker != nullMarker()) {
            throw in.unexpected("the marker of " + name + " (0" + nullMarker() + " or 01)", marker);
        }
        return null;
    }

    @Override
    public int compare(final T left, final T right) {
        if (left != null && right != null) {
            return present.compare(left, right);
        }
        final int order = Boolean.compare(left != null, right != null);
        return nullsFirst ? order : -order;
    }

    private int nullMarker() {
        return nullsFirst ? NULL_FIRST : NULL_LAST;
    }
}
