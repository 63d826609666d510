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

    /** Returns the name of the data set, one of {@link #names} or the path of a file. */
    String name();

    /**
     * Returns the number of distinct keys; {@link Long#MAX_VALUE} if generated keys are unlimited. The first call reads the file,
     * if there is one, and throws if it cannot.
     */
    long maxKeys();

    /**
     * Returns the first keys in the data set's random order or, for a file, a random choice of its keys. All are distinct, and
     * the same ones at each call. Throws, with the number of keys in the message, if there are fewer or they cannot be read.
     */
    KeySet keys(int count) throws DatasetException;

    /**
     * Returns keys like those of the data set that are absent from a set, for lookups without a result. All are distinct, and the
     * same ones at each call. Those of a file are keys of {@code present} with some bytes of their second halves replaced. Throws
     * if there are fewer.
     */
    KeySet absentKeys(int count, KeySet present) throws DatasetException;

    /**
     * Finds a data set: one of {@link #names}, or a file with a key a line, plain or {@code .gz}; in a {@code .tsv} a key ends at
     * the first TAB. Throws, with a list of the names, if there is neither such a name nor such a file.
     */
    static Dataset of(final String nameOrFile) throws DatasetException {
        return Datasets.of(nameOrFile);
    }

    /** Returns a data set of a text that is opened once for each set of keys; the name is for messages. */
    static Dataset of(final String name, final DatasetReader.Source source, final DatasetFormat format) {
        return new TextDataset(name, source, format);
    }

    /** Returns the names of the data sets that need no file from the user, random keys first. */
    static List<String> names() {
        return Datasets.names();
    }
}
