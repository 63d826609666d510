/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;

/** Finds the directory of the project's data sets. */
final class DatasetDirectory {
    private static final String DIRECTORY = "datasets";
    private static final String ALL_PATHS = "debian-paths.tsv.gz";
    private static final String SOME_PATHS = "debian-paths-100k.tsv.gz";

    private DatasetDirectory() {
    }

    /** Returns the file with all paths if the user has created it, else the one with some. */
    static Path debianPaths() throws DatasetException {
        final List<Path> candidates = candidates();
        for (final String name : List.of(ALL_PATHS, SOME_PATHS)) {
            for (final Path directory : candidates) {
                if (Files.isRegularFile(directory.resolve(name))) {
                    return directory.resolve(name);
                }
            }
        }
        throw new DatasetException("debian-paths: there is no " + SOME_PATHS + " in " + candidates + "; -D"
            + Dataset.DIRECTORY_PROP_NAME + "=DIRECTORY says where it is");
    }

    /**
     * Returns the value of the property or, without it, directories beside or above the jar or directory with this class and
     * in the working directory.
     */
    private static List<Path> candidates() {
        final String set = System.getProperty(Dataset.DIRECTORY_PROP_NAME);
        if (set != null) {
            return List.of(Path.of(set));
        }
        final List<Path> candidates = new ArrayList<>();
        for (Path parent = origin(); parent != null; parent = parent.getParent()) {
            if (Files.isDirectory(parent.resolve(DIRECTORY))) {
                candidates.add(parent.resolve(DIRECTORY));
            }
        }
        candidates.add(Path.of(DIRECTORY).toAbsolutePath());
        return candidates;
    }

    private static Path origin() {
        final CodeSource source = DatasetDirectory.class.getProtectionDomain().getCodeSource();
        try {
            return source == null ? null : Path.of(source.getLocation().toURI()).getParent();
        } catch (final URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }
}
