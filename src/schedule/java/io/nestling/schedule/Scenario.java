/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/** A small concurrent program over one structure, made from a seed, that can be run again and again and judges each run. */
public interface Scenario {
    /** Makes the structure anew, with what is there before the fibers begin. */
    void setUp();

    /**
     * Returns the names of the fibers.
     *
     * @return a name each
     */
    String[] names();

    /**
     * Returns what the fibers do.
     *
     * @return a task each, in the order of the names
     */
    Runnable[] bodies();

    /**
     * Returns how many operations each fiber does.
     *
     * @return a number each
     */
    int[] operations();

    /**
     * Returns how many sampled schedules it is worth, beside those that are planned.
     *
     * @return a number
     */
    default int samples() {
        return 40;
    }

    /**
     * Judges what was read in the run, and the structure as it is now, and closes it.
     *
     * @return the error, its category first, up to a colon; null if all is well
     */
    String judge();

    /** Makes scenarios of one kind. */
    interface Source {
        /**
         * Makes a scenario.
         *
         * @param seed chooses its keys and operations
         * @return the scenario
         */
        Scenario scenario(long seed);

        /** Makes the classes of the product forget what they count in static fields of the twin. */
        void reset();
    }
}
