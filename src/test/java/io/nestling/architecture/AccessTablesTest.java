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
 * (acquire, release, compare-and-set) by a constant of a table has to be named in a row of that constant, and each one named
 * there has to be in the code. A constant from which addresses are computed first may be meant by any access by such an address.
 */
class AccessTablesTest {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", ""), "src/main/java/io/nestling");
    private static final Pattern TABLE = Pattern.compile("<pre>(.*?)</pre>", Pattern.DOTALL);
    private static final Pattern CONSTANT = Pattern.compile("\\b[A-Z][A-Z_]*_OFFSET\\b");
    private static final Pattern ORDERED =
        Pattern.compile("\\b(?:getAndAdd|compareAndSet|get|put)(?:Long|Int)(?:Acquire|Release)?\\b");
    private static final Pattern CALL = Pattern.compile("\\.((?:getAndAdd|compareAndSet|get|put)(?:Long|Int|Short|Byte)\\w*)\\(");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern DECLARATION = Pattern.compile("\\bint [A-Z_]+_OFFSET =");

    /** One row of an access table. */
    private record Row(String field, String access, String constants) { }

    /** A call that reads or writes a word, and its first argument. */
    private record Access(String mode, String address) {
        boolean isOrdered() {
            return AccessTablesTest.isOrdered(mode);
        }

        boolean isBy(final String constant) {
            return constants(address).contains(constant);
        }
    }

    @Test
    void shouldNameTheOrderedAccesses() throws IOException {
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
            wrong.addAll(missing(layout.getFileName().toString(), named, code.toString()));
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
        assertEquals(1, unnamed("A", named, "slab.getIntAcquire(offset(node, 1) + COUNT_OFFSET)").size());
        assertEquals(1, unnamed("A", named, "slab.getIntAcquire(COUNT_OFFSET + (at << 4))").size());
        assertEquals(List.of(), unnamed("A", named, "// slab.getIntAcquire(COUNT_OFFSET)"));
    }

    @Test
    void shouldFindAnAccessThatNoCodeMakes() {
        final Map<String, Set<String>> named = Map.of("COUNT_OFFSET", Set.of("putIntRelease", "getIntAcquire", "getInt"));
        final String write = "static final int COUNT_OFFSET = 4; slab.putIntRelease(offset(a, b) + COUNT_OFFSET, 1);";
        assertEquals(List.of(), missing("A", named, write + "slab.getIntAcquire(COUNT_OFFSET + at)"));
        assertEquals(1, missing("A", named, write + "slab.getInt(at + COUNT_OFFSET)").size());
        assertEquals(1, missing("A", named, write + "slab.getIntAcquire(at + NEXT_OFFSET)").size());
        assertEquals(1, missing("A", named, write + "slab.getIntAcquire(other)").size());
        assertEquals(1, missing("A", named, write + "/* slab.getIntAcquire(at + COUNT_OFFSET) */").size());
        assertEquals(List.of(), missing("A", named, write + "long other = at + COUNT_OFFSET; slab.getIntAcquire(other)"));
        assertEquals(1, missing("A", named, write + "long other = at + COUNT_OFFSET; slab.getInt(other)").size());
        assertEquals(2, missing("A", named, "static final int COUNT_OFFSET = 4;").size());
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
        for (final Access access : accesses(code)) {
            if (access.isOrdered()) {
                constants(access.address()).stream()
                    .filter(constant -> named.containsKey(constant) && !named.get(constant).contains(access.mode()))
                    .forEach(constant -> found.add(layout + ": " + constant + " is accessed by " + access.mode() + ", unnamed"));
            }
        }
        return List.copyOf(found);
    }

    private static List<String> missing(final String layout, final Map<String, Set<String>> named, final String code) {
        final List<Access> accesses = accesses(code);
        final Set<String> computedFrom = computedFrom(code);
        final List<String> found = new ArrayList<>();
        named.forEach((constant, modes) -> modes.stream()
            .filter(mode -> isOrdered(mode) && accesses.stream().noneMatch(access -> access.mode().equals(mode)
                && (access.isBy(constant) || computedFrom.contains(constant) && constants(access.address()).isEmpty())))
            .forEach(mode -> found.add(layout + ": " + constant + " is never accessed by " + mode + ", but named so")));
        return found;
    }

    private static boolean isOrdered(final String mode) {
        return mode.endsWith("Acquire") || mode.endsWith("Release") || mode.startsWith("compareAndSet")
            || mode.startsWith("getAndAdd");
    }

    private static Set<String> constants(final String text) {
        return CONSTANT.matcher(text).results().map(match -> match.group()).collect(Collectors.toSet());
    }

    private static List<Access> accesses(final String code) {
        final String text = COMMENT.matcher(code).replaceAll("");
        return CALL.matcher(text).results()
            .map(call -> new Access(call.group(1), text.substring(call.end(), argumentEnd(text, call.end())))).toList();
    }

    /** Returns the constants in code other than that of accesses: addresses are computed from them. */
    private static Set<String> computedFrom(final String code) {
        final String text = COMMENT.matcher(code).replaceAll("");
        final StringBuilder others = new StringBuilder();
        final Matcher call = CALL.matcher(text);
        int from = 0;
        while (call.find()) {
            if (call.start() >= from) {
                others.append(text, from, call.start());
                from = argumentEnd(text, call.end());
            }
        }
        return constants(DECLARATION.matcher(others.append(text.substring(from))).replaceAll(""));
    }

    /** Returns where an argument that begins at an index ends: at a comma or parenthesis that is not inside of it. */
    private static int argumentEnd(final String text, final int from) {
        int depth = 0;
        for (int i = from; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (depth == 0 && (c == ',' || c == ')')) {
                return i;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return text.length();
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
