/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.List;

/**
 * The speed of this machine's memory in the same run: reads of random 64-byte lines of one gibibyte by one thread, on 2 MiB pages
 * and on 4 KiB pages, and the greatest number of random lines a second on 2 MiB pages.
 */
public record MachineModel(List<ParallelReads> hugePages, List<ParallelReads> smallPages, double linesPerSecond) {
    /**
     * Time in nanoseconds of a step of reads that are independent of each other; the next step depends on all of them. A step of
     * one read gives the latency of a dependent read.
     */
    public record ParallelReads(int reads, double nanos) {
    }
}
