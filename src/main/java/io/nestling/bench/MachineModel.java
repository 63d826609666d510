/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.List;

/**
 * The speed of this machine's memory in the same run: reads of random 64-byte lines of one gibibyte by one thread.
 *
 * @param hugePages reads on 2 MiB pages
 * @param smallPages reads on 4 KiB pages
 * @param linesPerSecond greatest number of random lines a second, on 2 MiB pages
 */
public record MachineModel(List<ParallelReads> hugePages, List<ParallelReads> smallPages, double linesPerSecond) {
    /**
     * Time of a step of reads that are independent of each other; the next step depends on all of them.
     *
     * @param reads number of independent reads in a step; 1 gives the latency of a dependent read
     * @param nanos nanoseconds for the step
     */
    public record ParallelReads(int reads, double nanos) {
    }
}
