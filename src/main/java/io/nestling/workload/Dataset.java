/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.List;

/**
 * A named set of keys: generated with a fixed seed, or the lines of a file. It has the same keys in the same
 * random order each time. What the names mean is written in {@code datasets/README.md}.
 * <h2>Thread safety</h2>
 * Any thread.
 */
public interface Dataset {
    /**
     * System property with the directory of the data sets that come with the project, where it is not found by
     * itself.
     */
    String DIRECTORY_PROP_NAME = "io.nestling.datasets";

    /**
     * Name of the data set.
     *
     * @return a name of {@link #names} or the path of a file
     */
    String name();

    /**
     * What the keys are.
     *
     * @return a line for people
     */
    String description();

    /**
     * How many keys there are. A file is read for it at the first call.
     *
     * @return number of distinct keys; {@link Long#MAX_VALUE} if keys are generated and there is no end of them
     * @throws java.io.UncheckedIOException if the file cannot be read
     */
    long maxKeys();

    /**
     * The first keys in the data set's random order, or of a file a random choice of its keys. All are
     * different.
     *
     * @param count how many
     * @return {@code count} keys; the same ones at each call
     * @throws DatasetException if there are not so many or they cannot be read; the message says how many there
     *     are
     * @throws IllegalArgumentException if the count is negative
     */
    KeySet keys(int count) throws DatasetException;

    /**
     * Keys like those of the data set that are not in a set: for lookups that find nothing. All are different.
     * Those of a file are keys of {@code present} with some bytes replaced in their second halves.
     *
     * @param count how many
     * @param present keys that must not occur
     * @return {@code count} keys; the same ones at each call
     * @throws DatasetException if there are not so many
     * @throws IllegalArgumentException if the count is negative
     */
    KeySet absentKeys(int count, KeySet present) throws DatasetException;

    /**
     * Finds a data set.
     *
     * @param nameOrFile one of {@link #names}, or the path of a file with a key a line, plain or {@code .gz};
     *     in a {@code .tsv} a key ends at the first TAB
     * @return the data set
     * @throws DatasetException if there is none of this name and no such file; the message lists the names
     */
    static Dataset of(final String nameOrFile) throws DatasetException {
        return Datasets.of(nameOrFile);
    }

    /**
     * Takes keys from a text that the caller knows how to open.
     *
     * @param name what messages call the data set
     * @param source the text; opened once for each set of keys
     * @param format what a line holds
     * @return the data set
     */
    static Dataset of(final String name, final DatasetReader.Source source, final DatasetFormat format) {
        return new TextDataset(name, "keys of " + name, source, format);
    }

    /**
     * Names of the data sets that need no file from the user.
     *
     * @return the names, random keys first
     */
    static List<String> names() {
        return Datasets.names();
    }
}
