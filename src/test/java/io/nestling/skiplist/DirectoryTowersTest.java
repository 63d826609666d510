/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class DirectoryTowersTest {
    private static final int CAPACITY = 10_000;

    @Test
    void shouldFindTheNearestTowersOfEachLevel() {
        final Random random = Seeds.random("shouldFindTheNearestTowersOfEachLevel");
        final DirectoryTowers towers = new DirectoryTowers(CAPACITY);
        final List<int[]> added = new ArrayList<>();
        for (int place = random.nextInt(100); place < CAPACITY && added.size() < 100; place += 1 + random.nextInt(200)) {
            final int height = DirectoryTowers.LOW_HEIGHT + 1 + Integer.numberOfTrailingZeros(random.nextInt() | 1 << 6);
            towers.add(place, height);
            added.add(new int[] {place, height});
        }
        assertEquals(added.size(), towers.size());
        for (int place = 0; place < CAPACITY; place += 3) {
            final int last = towers.last(place);
            for (int level = DirectoryTowers.LOW_HEIGHT; level < 10; level++) {
                int before = -1;
                int behind = -1;
                for (final int[] tower : added) {
                    if (tower[1] > level && tower[0] <= place) {
                        before = tower[0];
                    } else if (tower[1] > level && behind < 0) {
                        behind = tower[0];
                    }
                }
                final int own = towers.before(last, level);
                assertEquals(before, own < 0 ? -1 : towers.place(own), "before " + place + " on level " + level);
                final int next = towers.behind(last + 1, level);
                assertEquals(behind, next == towers.size() ? -1 : towers.place(next), "behind " + place + " on level " + level);
            }
        }
    }

    @Test
    void shouldForgetWhatFindsNoRoom() {
        final DirectoryTowers towers = new DirectoryTowers(1_000);
        for (int place = 0; place < 1_000; place++) {
            towers.add(place, 3);
        }
        final int size = towers.size();
        assertTrue(size > 1_000 / 128 && size * 5 == DirectoryTowers.bytes(1_000), size + " towers");
        assertEquals(size - 1, towers.last(999));
        assertEquals(size - 1, towers.place(size - 1));
        assertEquals(-1, new DirectoryTowers(0).last(5));
    }
}
