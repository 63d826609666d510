/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EntryKindTest {
    @Test
    void shouldKeepItsCodes() {
        for (final EntryKind kind : EntryKind.values()) {
            assertEquals(kind, EntryKind.of(kind.code()));
        }
        assertThrows(IllegalArgumentException.class, () -> EntryKind.of(8));
        assertThrows(IllegalArgumentException.class, () -> EntryKind.of(10));
    }

    @Test
    void shouldRefuseToCallARangeTombstoneAnEntryOfAKey() {
        assertTrue(EntryKind.VALUE.isValue());
        assertTrue(EntryKind.EXPIRING.isValue());
        assertFalse(EntryKind.TOMBSTONE.isValue());
        assertThrows(IllegalStateException.class, EntryKind.RANGE_TOMBSTONE::isValue);
    }
}
