/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

/**
 * One object for each payload. An index that keeps values as objects on the heap gets these where indexes are compared, so that
 * it pays for a reference and neither for an object of each key nor, with few distinct payloads, for a cache miss.
 */
public final class SharedValues {
    private static final Integer[] VALUES = new Integer[(int) PeerIndex.GREATEST_PAYLOAD + 1];

    static {
        for (int i = 0; i < VALUES.length; i++) {
            VALUES[i] = i;
        }
    }

    private SharedValues() {
    }

    /**
     * The value of a payload.
     *
     * @param payload 0 to {@link PeerIndex#GREATEST_PAYLOAD}
     * @return always the same object
     */
    public static Integer of(final long payload) {
        return VALUES[(int) payload];
    }

    /**
     * The payload of a value.
     *
     * @param value one of the values, or null
     * @return the payload, or {@link io.nestling.index.PointIndex#NONE} for null
     */
    public static long payload(final Integer value) {
        return value == null ? PeerIndex.NONE : value;
    }
}
