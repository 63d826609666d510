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
    /**
     * From, to and archive; a class of a multi-release jar may have its version and a slash before the name.
     */
    private static final Pattern EDGE =
            Pattern.compile("^\\s+(?:\\d+/)?(\\S+)\\s+->\\s+(?:\\d+/)?(\\S+)\\s+\\S.*$");

    private ClassFileEdges() {
    }

    /**
     * All edges of a jar or of a directory of classes.
     *
     * @param release version of a multi-release jar to read, a number or {@code base}; null for a directory
     */
    static List<PackageRules.Edge> read(final Path classes, final String release)
            throws IOException, InterruptedException {
        // A process of its own: within one, jdeps goes on with the version of a jar that it read first.
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "jdeps").toString());
        command.addAll(List.of("-verbose:class", "-filter:none"));
        if (release != null) {
            command.addAll(List.of("--multi-release", release));
        }
        command.add(classes.toString());
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
