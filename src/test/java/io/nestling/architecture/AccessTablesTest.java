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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the access tables of layouts with the code. A table has the columns "access" and "constant". Each ordered access
 * (acquire, release, compare-and-set) by a constant of a table has to be named in a row of that constant.
 */
class AccessTablesTest {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", ""), "src/main/java/io/nestling");
    private static final Pattern TABLE = Pattern.compile("<pre>(.*?)</pre>", Pattern.DOTALL);
    private static final Pattern CONSTANT = Pattern.compile("\\b[A-Z][A-Z_]*_OFFSET\\b");
    private static final Pattern ORDERED =
        Pattern.compile("\\b(?:getAndAdd|compareAndSet|get|put)(?:Long|Int)(?:Acquire|Release)?\\b");
    private static final Pattern CALL = Pattern.compile("\\.((?:getAndAdd|compareAndSet|get|put)(?:Long|Int)\\w*)\\(([^,;()]*)");

    /** One row of an access table. */
    private record Row(String field, String access, String constants) { }

    @Test
    void shouldNameEveryOrderedAccess() throws IOException {
        final List<String> wrong = new ArrayList<>();
        int constants = 0;
        for (final Path layout : files(SOURCES, "Layout.java")) {
            final StringBuilder code = new StringBuilder();
            for (final Path file : files(layout.getParent(), ".java")) {
                code.append(Files.readString(file, UTF_8)).append('\n');
            }
            final Map<String, Set<String>> named = named(rows(Files.readString(layout, UTF_8)));
            constants += named.size();
            wrong.addAll(unnamed(layout.getFileName().toString(), named, code.toString()));
        }
        final int count = constants;
        assertTrue(count >= 40, () -> "only " + count + " constants in tables");
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldFindAnAccessThatNoRowNames() {
        final String table = String.join("\n",
            "/**",
            " * <pre>",
            " *  field  offset  access                  constant",
            " *  count  0       plain, later            COUNT_OFFSET",
            " *                 putIntRelease / getInt",
            " *  next   4       as count                NEXT_OFFSET",
            " * </pre>",
            " */");
        final Map<String, Set<String>> named = named(rows(table));
        assertEquals(Set.of("COUNT_OFFSET", "NEXT_OFFSET"), named.keySet());
        assertEquals(List.of(), unnamed("A", named, "slab.putIntRelease(at + COUNT_OFFSET, 1); slab.getInt(at + COUNT_OFFSET)"));
        assertEquals(List.of(), unnamed("A", named, "slab.putIntRelease(at + NEXT_OFFSET, 1); slab.getIntAcquire(other)"));
        assertEquals(1, unnamed("A", named, "slab.getIntAcquire(at + COUNT_OFFSET)").size());
        assertEquals(1, unnamed("A", named, "slab.compareAndSetInt(at + NEXT_OFFSET, 0, 1)").size());
    }

    /** Returns the ordered accesses that the rows of each constant name. */
    private static Map<String, Set<String>> named(final List<Row> rows) {
        final Map<String, Set<String>> named = new TreeMap<>();
        for (final Row row : rows) {
            final String access = rows.stream().filter(other -> row.access().startsWith("as " + other.field()))
                .map(Row::access).findFirst().orElse(row.access());
            final Set<String> modes = ORDERED.matcher(access).results().map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
            CONSTANT.matcher(row.constants()).results()
                .forEach(match -> named.computeIfAbsent(match.group(), constant -> new TreeSet<>()).addAll(modes));
        }
        return named;
    }

    private static List<String> unnamed(final String layout, final Map<String, Set<String>> named, final String code) {
        final Set<String> found = new TreeSet<>();
        final Matcher call = CALL.matcher(code);
        while (call.find()) {
            final String mode = call.group(1);
            if (mode.endsWith("Acquire") || mode.endsWith("Release") || mode.startsWith("compareAndSet")) {
                CONSTANT.matcher(call.group(2)).results().map(match -> match.group())
                    .filter(constant -> named.containsKey(constant) && !named.get(constant).contains(mode))
                    .forEach(constant -> found.add(layout + ": " + constant + " is accessed by " + mode + ", not named"));
            }
        }
        return List.copyOf(found);
    }

    private static List<Row> rows(final String layout) {
        final List<Row> rows = new ArrayList<>();
        final Matcher table = TABLE.matcher(layout);
        while (table.find()) {
            int access = -1;
            int constant = -1;
            for (final String commented : table.group(1).split("\n")) {
                final String line = commented.replaceFirst("^\\s*\\*", "");
                if (access < 0) {
                    access = line.contains("constant") ? line.indexOf("access") : -1;
                    constant = line.indexOf("constant");
                } else if (line.isBlank()) {
                    access = -1;
                } else {
                    final String field = cut(line, 0, access).replaceFirst("\\s{2,}.*|\\s+\\d.*", "");
                    final Row row = new Row(field, cut(line, access, constant), cut(line, constant, line.length()));
                    if (field.isEmpty() && !rows.isEmpty()) {
                        final Row begun = rows.remove(rows.size() - 1);
                        rows.add(new Row(
                            begun.field(), begun.access() + ' ' + row.access(), begun.constants() + row.constants()));
                    } else {
                        rows.add(row);
                    }
                }
            }
        }
        return rows;
    }

    private static String cut(final String line, final int from, final int to) {
        return from >= line.length() ? "" : line.substring(from, Math.min(to, line.length())).strip();
    }

    private static List<Path> files(final Path directory, final String suffix) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
