/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class LabelPlacementTest {
    private static final double HEIGHT = 12;

    @Test
    void shouldPutALoneLabelRightOfItsPoint() {
        final LabelPlacement.Spot spot = new LabelPlacement(0, 0, 300, 200).place(100, 100, 50);
        assertEquals(109, spot.x(), 0.01);
        assertEquals(100, spot.y(), 0.01);
        assertFalse(spot.isFar());
    }

    @Test
    void shouldStayWithinBoundsAtTheRightEdge() {
        final LabelPlacement.Spot spot = new LabelPlacement(0, 0, 300, 200).place(295, 100, 50);
        assertTrue(spot.x() + spot.width() <= 300, spot.toString());
    }

    @Test
    void shouldKeepTenLabelsOfNeighboursApart() {
        final LabelPlacement labels = new LabelPlacement(0, 0, 320, 220);
        final List<LabelPlacement.Spot> spots = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            spots.add(labels.place(150 + 4 * i, 110 + 3 * (i % 3), 70));
        }
        for (int i = 0; i < spots.size(); i++) {
            for (int j = 0; j < i; j++) {
                assertFalse(overlap(spots.get(i), spots.get(j)), spots.get(i) + " and " + spots.get(j));
            }
        }
    }

    @Test
    void shouldAvoidBlockedAreas() {
        final LabelPlacement labels = new LabelPlacement(0, 0, 300, 200);
        labels.block(100, 90, 300, 110);
        final LabelPlacement.Spot spot = labels.place(100, 100, 50);
        assertTrue(spot.x() + spot.width() <= 100 || Math.abs(spot.y() - 100) >= 10, spot.toString());
    }

    @Test
    void shouldLeadToTheNearerEndOfADistantLabel() {
        final LabelPlacement.Spot spot = new LabelPlacement.Spot(120, 50, 40, true);
        assertEquals(120, spot.nearX(100));
        assertEquals(160, spot.nearX(400));
        assertEquals(130, spot.nearX(130));
    }

    private static boolean overlap(final LabelPlacement.Spot a, final LabelPlacement.Spot b) {
        return a.x() < b.x() + b.width() && b.x() < a.x() + a.width() && Math.abs(a.y() - b.y()) < HEIGHT;
    }
}
