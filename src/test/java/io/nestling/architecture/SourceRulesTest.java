/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks every source and document of the project against {@link SourceRules}, and the rules against planted
 * violations.
 */
class SourceRulesTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Set<String> SUFFIXES = Set.of("java", "c", "h", "md", "xml", "properties");
    private static final String HEADER =
            "/*\n * Copyright 2026 The Nestling Authors\n * SPDX-License-Identifier: Apache-2.0\n */\n";
    private static final String MAIN = "src/main/java/io/nestling/";

    @Test
    void shouldKeepTheRulesInEveryFile() throws IOException {
        final List<String> found = new ArrayList<>();
        int files = 0;
        for (final Path file : files()) {
            final String path = ROOT.relativize(file).toString().replace('\\', '/');
            found.addAll(SourceRules.violations(path, Files.readString(file)));
            files++;
        }
        final int count = files;
        assertTrue(count > 20, () -> "only " + count + " files below " + ROOT);
        assertTrue(found.isEmpty(), () -> "broken rules:\n  " + String.join("\n  ", found));
    }

    /* Java 22 has twins of classes, under the same names. */
    @Test
    void shouldNameEachClassOnce() throws IOException {
        final Map<String, Path> named = new HashMap<>();
        final Path sources = ROOT.resolve("src/main/java");
        for (final Path file : files()) {
            final String name = file.getFileName().toString();
            if (file.startsWith(sources) && name.endsWith(".java") && !name.equals("package-info.java")) {
                final Path other = named.put(name, file);
                assertNull(other, () -> "one name for " + other + " and " + file);
            }
        }
        assertTrue(named.size() > 100, () -> named.size() + " classes below " + sources);
    }

    @Test
    void shouldAcceptACleanFile() {
        assertViolations(0, MAIN + "trie/A.java", HEADER + "package io.nestling.trie;\nclass A { }\n");
    }

    @Test
    void shouldFindAMissingHeader() {
        assertViolations(1, MAIN + "trie/A.java", "package io.nestling.trie;\n");
        final String otherYear = HEADER.replace("2026", "2025");
        assertViolations(1, MAIN + "trie/A.java", otherYear + "package io.nestling.trie;\n");
        assertViolations(1, "src/main/c/a.c", "int a;\n");
        assertViolations(0, "docs/a.md", "# A\n");
    }

    @Test
    void shouldFindOffHeapAccessOutsideOffheapAndBridge() {
        final String handle = HEADER + "VarHandle h = byteBufferViewVarHandle(long[].class, order);\n";
        final String segment = HEADER + "import java.lang.foreign.Arena;\nMemorySegment segment;\n";
        assertViolations(1, MAIN + "trie/A.java", handle);
        assertViolations(2, MAIN + "index/A.java", segment);
        assertViolations(2, "src/main/java22/io/nestling/memtable/A.java", segment);
        assertViolations(0, MAIN + "offheap/Slab.java", handle);
        assertViolations(0, "src/main/java22/io/nestling/offheap/Slab.java", segment);
        assertViolations(0, "src/main/java22/io/nestling/bridge/FfmBridge.java", segment);
        assertViolations(0, MAIN + "memtable/A.java", HEADER + "VarHandle h = findVarHandle(A.class);\n");
    }

    @Test
    void shouldFindInternalInterfacesOfTheJdk() {
        final String unsafe = HEADER + "sun.misc.Unsafe unsafe;\n";
        assertViolations(1, MAIN + "trie/A.java", unsafe);
        assertViolations(1, MAIN + "offheap/A.java", unsafe);
        assertViolations(0, MAIN + "offheap/A.java", unsafe + "// for invokeCleaner only\n");
        assertViolations(1, MAIN + "trie/A.java", HEADER + "import jdk.internal.misc.Blocker;\n");
    }

    @Test
    void shouldFindUnfinishedWork() {
        assertViolations(2, MAIN + "trie/A.java", HEADER + "// TO" + "DO later\n// FIX" + "ME now\n");
        assertViolations(0, MAIN + "trie/A.java", HEADER + "int todos;\n");
    }

    @Test
    void shouldFindPathsOfOneMachine() {
        assertViolations(1, "docs/a.md", "see `/ro" + "ot/data`\n");
        assertViolations(1, "pom.xml", "<a>/wo" + "rk/main</a>\n");
        assertViolations(0, "docs/a.md", "see home/lib and ${root}/work/x, https://example.org/work/x\n");
    }

    @Test
    void shouldFindTagsAndPackageNamesThatSayNothing() {
        assertViolations(2, MAIN + "trie/A.java", HEADER + "/**\n * @author A\n * @since 1\n */\n");
        assertViolations(1, MAIN + "trie/util/A.java", HEADER + "package io.nestling.trie.util;\n");
    }

    @Test
    void shouldFindArraysThatAnErrorLeavesOfDifferentLengths() {
        final String test = HEADER + "if (count == keys.length) {\n";
        final String keys = "    keys = Arrays.copyOf(keys, 2 * count);\n";
        final String values = "    values = Arrays.copyOf(values, 2 * count);\n";
        assertViolations(1, MAIN + "trie/A.java", test + keys + values + "}\n");
        assertViolations(1, MAIN + "trie/A.java", test + values + keys + values + "}\n");
        assertViolations(0, MAIN + "trie/A.java", test + values + keys + "}\n");
        assertViolations(0, MAIN + "trie/A.java", test + keys + "}\nvalues = new int[1];\n");
    }

    @Test
    void shouldFindLongFilesThatDoNotSayWhy() {
        final String lines = "int a;\n".repeat(450);
        assertViolations(1, MAIN + "trie/A.java", HEADER + lines);
        assertViolations(0, MAIN + "trie/A.java", HEADER + "/* Longer than 450 lines: a table. */\n" + lines);
        assertViolations(0, MAIN + "trie/A.java", HEADER + lines.substring(0, lines.length() / 2));
    }

    @Test
    void shouldFindPhrasesThatAReaderHasToGuessAt() {
        for (final String phrase : List.of("a cursor that stands nowhere", "whoever closes it", "it is told where",
                "foretold right", "searched in vain", "the indexes that there are", "@return what it is")) {
            assertViolations(1, MAIN + "trie/A.java", HEADER + "/* " + phrase + " */\n");
        }
        for (final String opening : List.of("/** How it is. */", "/** Whether it is. */", "/**\n * What it is.\n */")) {
            assertViolations(1, MAIN + "trie/A.java", HEADER + opening + "\n");
        }
        assertViolations(0, MAIN + "trie/A.java", HEADER + "/** Returns whether it is. Keys that are told apart by a byte. */\n");
    }

    @Test
    void shouldFindTablesAndLinksThatWrappingHasBroken() {
        assertViolations(1, "docs/a.md", "| a | b | |---|---| | 1 | 2 |\n");
        assertViolations(1, "docs/a.md", "[why](decisions/ranges-are-\nlearned.md)\n");
        assertViolations(0, "docs/a.md", "| | b |\n|---|---|\n| [the\nreason](decisions/a.md) | `a[i](b)` |\n");
    }

    @Test
    void shouldFindWhatDependsOnTheDefaultLocale() {
        for (final String code : List.of("String.format(\"%d\", 1)", "String.format(\n    \"%d\", 1)", "text.formatted(1)",
                "System.out.printf(\"%d\", 1)", "System.out.format(\"%d\", 1)", "name.toLowerCase()", "name.toUpperCase( )",
                "map(String::toLowerCase)", "map(String::format)", "new Formatter(text)", "new Scanner(text)",
                "new DecimalFormat(\"0\")", "NumberFormat.getInstance()", "MessageFormat.format(\"{0}\", 1)",
                "new SimpleDateFormat(\"yyyy\")", "DateTimeFormatter.ofPattern(\"yyyy\")", "Collator.getInstance()",
                "Locale.getDefault()", "name.getBytes()", "new String(bytes)", "Charset.defaultCharset()",
                "new FileReader(file)", "new FileWriter(file)", "new InputStreamReader(in)", "new OutputStreamWriter(out)")) {
            for (final String path : List.of(MAIN + "trie/A.java", "src/main/java22/io/nestling/trie/A.java",
                    "src/jmh/java/io/nestling/jmh/A.java", "src/cassandra/main/java/io/nestling/adapter/cassandra/A.java",
                    "src/cassandra/test/java/io/nestling/adapter/cassandra/ATest.java",
                    "src/test/java/io/nestling/trie/ATest.java")) {
                assertViolations(1, path, HEADER + code + ";\n");
            }
        }
        for (final String code : List.of("String.format(Locale.ROOT, \"%d\", 1)", "String.format(\n    Locale.ROOT, \"%d\", 1)",
                "System.out.printf(Locale.ROOT, \"%d\", 1)", "name.toLowerCase(Locale.ROOT)", "HexFormat.of()",
                "catch (NumberFormatException e)", "DateTimeFormatter.ISO_INSTANT", "unit.format(1)", "name.getBytes(UTF_8)",
                "new String(bytes, UTF_8)", "new InputStreamReader(in, UTF_8)")) {
            assertViolations(0, MAIN + "trie/A.java", HEADER + code + ";\n");
        }
    }

    private static void assertViolations(final int expected, final String path, final String text) {
        final List<String> found = SourceRules.violations(path, text);
        assertEquals(expected, found.size(), found.toString());
    }

    private static List<Path> files() throws IOException {
        final List<Path> files = new ArrayList<>();
        for (final String name : List.of("src", "docs", "datasets", ".ci")) {
            final Path directory = ROOT.resolve(name);
            if (Files.isDirectory(directory)) {
                try (Stream<Path> all = Files.walk(directory)) {
                    all.filter(SourceRulesTest::isText).forEach(files::add);
                }
            }
        }
        try (Stream<Path> top = Files.list(ROOT)) {
            top.filter(SourceRulesTest::isText).forEach(files::add);
        }
        return files;
    }

    private static boolean isText(final Path file) {
        final String name = file.getFileName().toString();
        return Files.isRegularFile(file) && SUFFIXES.contains(name.substring(name.lastIndexOf('.') + 1));
    }
}
