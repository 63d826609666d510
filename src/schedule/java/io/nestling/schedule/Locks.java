/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/** The locks, and the clocks of the volatile words, of heap objects: one {@link Lock} for each object and index. */
final class Locks {
    /** A lock with its owner, or a volatile word or array element with the clock of its last release. */
    static final class Lock {
        Fiber owner;
        int holds;
        int[] clock;
        /** Stores of a number by lazySet, setRelease or setOpaque since the last volatile store; null if there are none. */
        WeakMemory.History history;
    }

    private final Map<Object, Lock[]> byObject = new IdentityHashMap<>();

    Lock of(final Object object, final int index) {
        Lock[] locks = byObject.get(object);
        if (locks == null || index >= locks.length) {
            locks = locks == null ? new Lock[index + 1] : Arrays.copyOf(locks, Math.max(index + 1, locks.length * 2));
            byObject.put(object, locks);
        }
        if (locks[index] == null) {
            locks[index] = new Lock();
        }
        return locks[index];
    }
}
