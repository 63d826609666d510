/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Finds code that was written twice: more than twelve equal lines, without comments and blank lines. */
class EqualStretchesTest {
    private static final int MOST_LINES = 12;
    private static final Path SOURCES = Path.of(System.getProperty("basedir", ""), "src/main");
    /** Twins, one for each generation of the JDK. */
    private static final String TWIN = "Slab.java";
    /** The handler of an error in a write calls nothing, as the stack may be full: so it cannot be shared. */
    private static final Set<String> ACCEPTED = Set.of("MlpIndex.java InMemoryTrie.java");

    /** A line of code and where it is. */
    private record Line(int number, String text) { }

    @Test
    void shouldNotBeInTheSources() throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(SOURCES)) {
            for (final Path path : paths.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
                if (!path.endsWith(TWIN)) {
                    files.put(path.toString(), Files.readString(path, UTF_8));
                }
            }
        }
        assertTrue(files.size() > 100, () -> "only " + files.size() + " files below " + SOURCES);
        assertEquals(List.of(), stretches(files), "more than " + MOST_LINES + " equal lines");
    }

    @Test
    void shouldBeFound() {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i <= MOST_LINES; i++) {
            text.append("    f(").append(i).append(");\n\n    // differs\n");
        }
        final String one = "class A {\n" + text + "}\n";
        final String other = "class B {\n" + text.toString().replace("differs", "is another comment") + "int b;\n}\n";
        assertEquals(1, stretches(Map.of("A.java", one, "B.java", other)).size());
        assertEquals(0, stretches(Map.of("A.java", one, "B.java", other.replace("f(7)", "g(7)"))).size());
        assertEquals(1, stretches(Map.of("A.java", one + one)).size(), "in one file");
    }

    /** Returns each pair of files with equal stretches, with the lines of the first one. */
    private static List<String> stretches(final Map<String, String> files) {
        final Map<List<String>, String> first = new HashMap<>();
        final Map<String, String> found = new TreeMap<>();
        files.forEach((name, text) -> {
            final List<Line> lines = lines(text);
            for (int i = 0; i + MOST_LINES < lines.size(); i++) {
                final List<String> stretch = lines.subList(i, i + MOST_LINES + 1).stream().map(Line::text).toList();
                final String here = name + ":" + lines.get(i).number();
                final String before = first.putIfAbsent(stretch, here);
                if (before != null && !isAccepted(before, name)) {
                    found.putIfAbsent(before.substring(0, before.lastIndexOf(':')) + " " + name, before + " and " + here);
                }
            }
        });
        return List.copyOf(found.values());
    }

    private static boolean isAccepted(final String one, final String other) {
        final String both = one + other;
        return ACCEPTED.stream().anyMatch(pair -> Stream.of(pair.split(" ")).allMatch(both::contains));
    }

    private static List<Line> lines(final String text) {
        final List<Line> lines = new ArrayList<>();
        final String[] all = text.split("\n");
        for (int i = 0; i < all.length; i++) {
            final String line = all[i].strip();
            if (!line.isEmpty() && !line.startsWith("import ") && !line.startsWith("/*") && !line.startsWith("*")
                && !line.startsWith("//")) {
                lines.add(new Line(i + 1, line));
            }
        }
        return lines;
    }
}
