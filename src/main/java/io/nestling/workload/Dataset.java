/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.List;

/**
 * A named set of keys: generated with a fixed seed, or the lines of a file. It has the same keys in the same
 * random order each time. {@code datasets/README.md} describes the names.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public interface Dataset {
    /** System property: the directory of the project's data sets, in case it is not found otherwise. */
    String DIRECTORY_PROP_NAME = "io.nestling.datasets";

    /**
     * Returns the name of the data set.
     *
     * @return a name of {@link #names} or the path of a file
     */
    String name();

    /**
     * Returns the description of the keys.
     *
     * @return a line for people
     */
    String description();

    /**
     * Returns the number of keys. The first call reads the file, if there is one.
     *
     * @return number of distinct keys; {@link Long#MAX_VALUE} if generated keys are unlimited
     * @throws java.io.UncheckedIOException if the file cannot be read
     */
    long maxKeys();

    /**
     * Returns the first keys in the data set's random order or, for a file, a random choice of its keys. All are distinct.
     *
     * @param count number of keys
     * @return {@code count} keys; the same ones at each call
     * @throws DatasetException if there are fewer or they cannot be read; the message contains their number
     * @throws IllegalArgumentException if the count is negative
     */
    KeySet keys(int count) throws DatasetException;

    /**
     * Returns keys like those of the data set that are absent from a set, for lookups without a result. All are distinct.
     * Those of a file are keys of {@code present} with some bytes of their second halves replaced.
     *
     * @param count number of keys
     * @param present keys that must not occur
     * @return {@code count} keys; the same ones at each call
     * @throws DatasetException if there are fewer
     * @throws IllegalArgumentException if the count is negative
     */
    KeySet absentKeys(int count, KeySet present) throws DatasetException;

    /**
     * Finds a data set.
     *
     * @param nameOrFile one of {@link #names}, or the path of a file with a key a line, plain or {@code .gz};
     *     in a {@code .tsv} a key ends at the first TAB
     * @return the data set
     * @throws DatasetException if there is neither such a name nor such a file; the message lists the names
     */
    static Dataset of(final String nameOrFile) throws DatasetException {
        return Datasets.of(nameOrFile);
    }

    /**
     * Returns a data set of a text that the caller opens.
     *
     * @param name name of the data set for messages
     * @param source the text; opened once for each set of keys
     * @param format format of the lines
     * @return the data set
     */
    static Dataset of(final String name, final DatasetReader.Source source, final DatasetFormat format) {
        return new TextDataset(name, "keys of " + name, source, format);
    }

    /**
     * Returns the names of the data sets that need no file from the user.
     *
     * @return the names, random keys first
     */
    static List<String> names() {
        return Datasets.names();
    }
}
