/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/**
 * A run that went wrong, with what replays it.
 *
 * @param kind the structure
 * @param scenario seed of the scenario
 * @param schedule number of the schedule
 * @param weak whether memory was weak
 * @param what what went wrong
 * @param schedules schedules until it was found
 */
public record Finding(String kind, long scenario, long schedule, boolean weak, String what, long schedules) {
    /** Returns the kind of the fault, without its numbers. */
    String category() {
        final int end = what.indexOf(what.contains("threw") ? '\n' : ':');
        return (end < 0 ? what : what.substring(0, end)).replaceAll("[0-9a-f]{3,}|[0-9]+", "#");
    }

    @Override
    public String toString() {
        return kind + (weak ? " (weak memory)" : "") + ", after " + schedules + " schedules: " + what
            + "\n  replay with -Dschedule.replay=" + kind + ',' + scenario + ',' + schedule + ',' + (weak ? "weak" : "strong");
    }
}
