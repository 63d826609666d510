/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the documents say, held against what is there. */
class ReadmeTest {
    private static final Path ROOT = DataFiles.root();
    private static final String SOURCE = "src/test/java/io/nestling/cli/ReadmeTest.java";
    private static final String TOOL = "bin/nestling ";
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)#\\s]+)(#[^)]*)?\\)");

    private static void example(final Path directory) throws IOException {
        // The example of the README, word for word.
        try (LiveTableSet tables = LiveTableSet.open(directory)) { // its only owner
            Path file = tables.nextTable();
            MemtableOptions options = MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(64L << 20)
                .firstSequence(tables.directory().greatestSequence() + 1).build(); // above all that was flushed
            try (Memtable memtable = Memtable.open(options);
                SstableWriter table = SstableWriter.create(file, SstableOptions.defaults())) {
                memtable.put("usr/bin/ls".getBytes(UTF_8), "utils/coreutils".getBytes(UTF_8));
                memtable.delete("usr/bin/vi".getBytes(UTF_8));
                memtable.flush(table);
            }
            tables.add(file); // from here on it counts
            try (TableSet read = tables.acquire()) {
                byte[] value = read.get("usr/bin/ls".getBytes(UTF_8));
                System.out.println(new String(value, UTF_8)); // utils/coreutils
            }
        }
        // The end of the example.
    }

    @Test
    void shouldDoWhatTheExampleSays(@TempDir final Path directory) throws IOException {
        final PrintStream standard = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, UTF_8));
        try {
            example(directory);
            example(directory); // as at a second start
        } finally {
            System.setOut(standard);
        }
        assertEquals(List.of("utils/coreutils", "utils/coreutils"), printed.toString(UTF_8).lines().toList());
        assertEquals(List.of("000001.sst", "000002.sst"), DataFiles.names(directory));
        assertEquals("2 tables, 4 entries: ok\n", Outcome.of("verify", directory.toString()).text());
    }

    @Test
    void shouldShowTheExampleThatIsTested() throws IOException {
        final String source = Files.readString(ROOT.resolve(SOURCE));
        final String begin = "word for word.\n";
        final String tested = source.substring(source.indexOf(begin) + begin.length(),
            source.indexOf("        // The end of the example."));
        final String readme = Files.readString(ROOT.resolve("README.md"));
        final Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(readme);
        assertTrue(block.find(), "no example");
        assertEquals(tested.stripTrailing().stripIndent() + "\n", block.group(1));
    }

    @Test
    void shouldNameCommandsThatAreThere() throws IOException {
        int count = 0;
        for (final Path document : documents()) {
            for (final String line : Files.readAllLines(document)) {
                if (line.startsWith(TOOL)) {
                    final String[] words = line.substring(TOOL.length()).split(" +");
                    Main.parse(words);
                    count++;
                }
            }
        }
        assertTrue(count >= 6, "only " + count + " commands in the documents");
    }

    @Test
    void shouldLinkToFilesThatAreThere() throws IOException {
        final List<String> missing = new ArrayList<>();
        for (final Path document : documents()) {
            final Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                final String target = link.group(1);
                if (!target.contains("://") && Files.notExists(document.resolveSibling(target))) {
                    missing.add(ROOT.relativize(document) + ": " + target);
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    private static List<Path> documents() throws IOException {
        final List<Path> found = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        for (final String name : List.of("docs", "datasets")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(name))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(found::add);
            }
        }
        return found;
    }

    @Test
    void shouldHoldTheDataSetThatIsDescribed() throws Exception {
        final byte[] content = Files.readAllBytes(DataFiles.debianPaths());
        final String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        assertTrue(Files.readString(ROOT.resolve("datasets/README.md")).contains("`" + sum + "`"), sum);
    }

    @Test
    void shouldTurnContentsIndexesIntoLines(@TempDir final Path directory) throws Exception {
        final Path index = DataFiles.write(directory.resolve("Contents-all"),
            "bin/ls   utils/coreutils\nusr/a file with  blanks.txt\t\tdoc/a,doc/b\n\netc/\u00fc  x/y\n");
        // Stands for the helper of apt that unpacks indexes.
        final Path helper =
            DataFiles.write(directory.resolve("helper"), "#!/bin/sh\nshift\nexec cat \"$@\"\n");
        assumeTrue(helper.toFile().setExecutable(true), "a Unix");
        final ProcessBuilder builder = new ProcessBuilder(
            "/bin/sh", ROOT.resolve("datasets/get-debian-paths.sh").toString(), index.toString());
        builder.environment().put("APT_HELPER", helper.toString());
        final Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final byte[] out = process.getInputStream().readAllBytes();
        assertEquals(0, process.waitFor());
        final String lines =
            "bin/ls\tutils/coreutils\nusr/a file with  blanks.txt\tdoc/a,doc/b\netc/\u00fc\tx/y\n";
        assertArrayEquals(lines.getBytes(ISO_8859_1), out);
    }
}
