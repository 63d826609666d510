/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads from class files, with the {@code jdeps} of the running JDK, which class uses which. */
final class ClassFileEdges {
    /* From, to and archive. */
    private static final Pattern EDGE = Pattern.compile("^\\s+(\\S+)\\s+->\\s+(\\S+)\\s+\\S.*$");

    private ClassFileEdges() {
    }

    /** Returns all edges of a directory of classes, without a module descriptor: jdeps would look for its modules. */
    static List<PackageRules.Edge> read(final Path classes) throws IOException, InterruptedException {
        final List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "jdeps").toString(),
                "-verbose:class", "-filter:none", classes.toString());
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new AssertionError(command + " failed: " + output);
        }
        final List<PackageRules.Edge> edges = new ArrayList<>();
        output.lines().forEach(line -> {
            final Matcher matcher = EDGE.matcher(line);
            if (matcher.matches()) {
                edges.add(new PackageRules.Edge(matcher.group(1), matcher.group(2)));
            }
        });
        return edges;
    }
}
