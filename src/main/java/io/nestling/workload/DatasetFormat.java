/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Locale;

/** The format of the lines of a text data set. */
public enum DatasetFormat {
    /** The whole line is a key, without value. */
    LINES,
    /** Key, TAB, value; a line without a TAB is a key without value. */
    TSV;

    private static final String TSV_SUFFIX = ".tsv";

    /**
     * Returns the format of a file by its name without a suffix of compression: {@link #TSV} if it ends in {@code .tsv}, else
     * {@link #LINES}.
     */
    public static DatasetFormat ofFileName(final String fileName) {
        return fileName.toLowerCase(Locale.ROOT).endsWith(TSV_SUFFIX) ? TSV : LINES;
    }
}
