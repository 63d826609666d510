/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of nodes.
 *
 * @param java the Java program
 * @param flags file of the options that Cassandra needs on this Java
 * @param template template of {@code cassandra.yaml}
 * @param lib directory with the jars of Cassandra
 * @param jar the jar of Nestling; null if it is in {@code lib}
 * @param nodes directory of the nodes' directories
 */
record Installation(Path java, Path flags, Path template, Path lib, Path jar, Path nodes) {
    private static final String PROPERTIES = "nestling.cassandra.";
    /** The version whose compactions write table files from which slices of partitions lack rows, with any memtable. */
    private static final String WITHOUT_COMPACTION = "6.0-alpha2";

    Installation {
        for (final Path path : new Path[] {java, flags, template, lib}) {
            if (!Files.exists(path)) {
                throw new IllegalArgumentException("missing: " + path);
            }
        }
    }

    /** Returns the files that the build has created, by its system properties. */
    static Installation tested() {
        final Path flags = property("flags");
        return new Installation(Path.of(System.getProperty("java.home"), "bin", "java"), flags,
                flags.resolveSibling("cassandra.yaml"), property("lib"),
                System.getProperty(PROPERTIES + "jar") == null ? null : property("jar"), property("nodes"));
    }

    /** Returns whether tests may compact table files that they read. */
    static boolean compacts() {
        return !WITHOUT_COMPACTION.equals(System.getProperty(PROPERTIES + "version"));
    }

    String classPath() {
        final String jars = lib.toAbsolutePath() + File.separator + "*";
        return jar == null ? jars : jar.toAbsolutePath() + File.pathSeparator + jars;
    }

    private static Path property(final String name) {
        final String value = System.getProperty(PROPERTIES + name);
        if (value == null) {
            throw new IllegalStateException(
                    "-D" + PROPERTIES + name + " is not set; src/cassandra/pom.xml does it");
        }
        return Path.of(value).toAbsolutePath();
    }
}
