/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

/**
 * The directory in which Cassandra unpacks native libraries, {@code jna.tmpdir}: where the one for temporary files is mounted
 * {@code noexec}, it is set to another, and Nestling's helper goes there as well.
 */
final class HelperDirectory {
    private static final String OF_CASSANDRA = "jna.tmpdir";
    private static final String OF_NESTLING = "io.nestling.native.tmpdir";

    private HelperDirectory() {
    }

    /** Sets the directory of the helper, unless it is set; to be called before the helper is loaded. */
    static void set() {
        final String directory = System.getProperty(OF_CASSANDRA);
        if (directory != null && System.getProperty(OF_NESTLING) == null) {
            System.setProperty(OF_NESTLING, directory);
        }
    }
}
