/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Locale;

/** What a line of a text data set holds. */
public enum DatasetFormat {
    /** The whole line is a key, without value. */
    LINES,
    /** Key, TAB, value; a line without a TAB is a key without value. */
    TSV;

    private static final String TSV_SUFFIX = ".tsv";

    /**
     * The format that the name of a file says.
     *
     * @param fileName name without suffix of compression
     * @return {@link #TSV} if it ends in {@code .tsv}, else {@link #LINES}
     */
    public static DatasetFormat ofFileName(final String fileName) {
        return fileName.toLowerCase(Locale.ROOT).endsWith(TSV_SUFFIX) ? TSV : LINES;
    }
}
