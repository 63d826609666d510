/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/**
 * The facts about a scenario that runs without any concurrency show.
 *
 * @param conflicts the words that fibers share
 * @param all the focus on all of these
 * @param steps accesses of each fiber to any word
 * @param operations operations of each fiber
 */
record Pilot(Conflicts conflicts, Conflicts.Focus all, int[] steps, int[] operations) { }
