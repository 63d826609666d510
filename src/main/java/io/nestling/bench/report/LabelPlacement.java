/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Finds room for labels near points, away from marks and from labels that are already there. */
final class LabelPlacement {
    private static final double[] DISTANCES = {9, 15, 22, 30, 40, 52, 66};
    private static final int DIRECTIONS = 16;
    private static final double HALF_HEIGHT = 6.5;
    private static final double SIDEWAYS = 0.3;
    private static final double COST_OF_DISTANCE = 0.8;
    private static final double NEAR = 16;

    private final Box bounds;
    private final List<Box> taken = new ArrayList<>();

    LabelPlacement(final double left, final double top, final double right, final double bottom) {
        bounds = new Box(left, top, right, bottom);
    }

    private record Box(double left, double top, double right, double bottom) {
        double overlap(final Box other) {
            final double width = Math.min(right, other.right) - Math.max(left, other.left);
            final double height = Math.min(bottom, other.bottom) - Math.max(top, other.top);
            return width > 0 && height > 0 ? width * height : 0;
        }

        boolean isInside(final Box other) {
            return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
        }
    }

    /**
     * Where a label goes.
     *
     * @param x left end of the text
     * @param y middle line of the text
     * @param width width of the text
     * @param isFar whether a line should lead to it
     */
    record Spot(double x, double y, double width, boolean isFar) {
        /** End of the leading line: the end of the text that is nearer to the point. */
        double nearX(final double pointX) {
            return Math.max(x, Math.min(x + width, pointX));
        }
    }

    /** Keeps labels off an area. */
    void block(final double left, final double top, final double right, final double bottom) {
        taken.add(new Box(left, top, right, bottom));
    }

    /**
     * Picks the cheapest place and keeps later labels off it.
     *
     * @param x point to label
     * @param y point to label
     * @param width width of the text
     */
    Spot place(final double x, final double y, final double width) {
        Spot best = new Spot(x, y, width, true);
        double least = Double.MAX_VALUE;
        for (final double distance : DISTANCES) {
            for (int direction = 0; direction < DIRECTIONS; direction++) {
                final double angle = 2 * Math.PI * direction / DIRECTIONS;
                final Spot spot = spot(x + distance * Math.cos(angle), y + distance * Math.sin(angle), width, Math.cos(angle),
                    distance > NEAR);
                final double cost = cost(box(spot)) + distance * COST_OF_DISTANCE;
                if (cost < least) {
                    least = cost;
                    best = spot;
                }
            }
        }
        taken.add(box(best));
        return best;
    }

    private static Spot spot(final double x, final double y, final double width, final double cosine, final boolean isFar) {
        final double shift = cosine > SIDEWAYS ? 0 : cosine < -SIDEWAYS ? width : width / 2;
        return new Spot(x - shift, y, width, isFar);
    }

    private static Box box(final Spot spot) {
        return new Box(spot.x() - 1, spot.y() - HALF_HEIGHT, spot.x() + spot.width() + 1, spot.y() + HALF_HEIGHT);
    }

    private double cost(final Box box) {
        if (!box.isInside(bounds)) {
            return Double.MAX_VALUE / 2;
        }
        return taken.stream().mapToDouble(box::overlap).sum();
    }
}
