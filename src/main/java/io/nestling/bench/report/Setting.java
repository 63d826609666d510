/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;

/**
 * What has to be equal for results to stand side by side.
 *
 * @param dataset name of the dataset or file
 * @param keys number of keys loaded
 * @param threads threads that worked
 */
record Setting(String dataset, int keys, int threads) {
    static Setting of(final Result result) {
        return new Setting(result.dataset(), result.keys(), result.threads());
    }

    /**
     * For headings.
     *
     * @param datasetLabel short name of the dataset
     */
    String label(final String datasetLabel) {
        return datasetLabel + " \u00b7 " + size();
    }

    /** Keys and threads, for headings. */
    String size() {
        return Quantity.counted(keys, "key") + " \u00b7 " + Quantity.counted(threads, "thread");
    }
}
