/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Dumps of tries against files: commands, a line of dashes, what they show, an empty line. Commands are
 * {@code put KEY PAYLOAD}, {@code remove KEY} and {@code fill KEY COUNT STEP}, which puts the key with one
 * more byte that counts up from 0; keys are hexadecimal digits, or "-" for the empty key. After each block of
 * them the trie is verified and dumped. {@code -Dgolden.rewrite=true} writes what is shown into the files.
 */
class TrieGoldenTest {
    private static final boolean REWRITE = Boolean.getBoolean("golden.rewrite");
    private static final String DIRECTORY = "golden/trie/";
    private static final String DASHES = "----";

    @TestFactory
    Stream<DynamicTest> shouldDumpWhatTheFileSays() {
        return Stream.of("chains.txt", "branches.txt", "prefixes.txt", "removal.txt")
            .map(name -> dynamicTest(name, () -> check(name)));
    }

    private static void check(final String name) throws IOException {
        final List<String> expected = read(name);
        final List<String> shown = new ArrayList<>();
        try (TrieBytes trie = new TrieBytes()) {
            boolean command = true;
            for (final String line : expected) {
                if (command || line.isEmpty()) {
                    shown.add(line);
                }
                if (line.equals(DASHES)) {
                    command = false;
                    trie.trie().verify();
                    final StringBuilder dump = new StringBuilder();
                    trie.trie().dump(dump);
                    dump.toString().lines().forEach(shown::add);
                } else if (line.isEmpty()) {
                    command = true;
                } else if (command) {
                    apply(line, trie);
                }
            }
        }
        if (REWRITE) {
            Files.write(Path.of("src/test/resources", DIRECTORY, name), shown);
        } else {
            assertEquals(String.join("\n", expected), String.join("\n", shown), name);
        }
    }

    private static List<String> read(final String name) throws IOException {
        try (InputStream in = TrieGoldenTest.class.getClassLoader().getResourceAsStream(DIRECTORY + name)) {
            assertNotNull(in, name);
            final List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            assertTrue(lines.contains(DASHES), name + " shows nothing");
            return lines;
        }
    }

    private static void apply(final String line, final TrieBytes trie) {
        final String[] words = line.split(" ");
        final String key = words[1].equals("-") ? "" : words[1];
        switch (words[0]) {
            case "put":
                trie.put(key, Long.parseLong(words[2]));
                break;
            case "remove":
                assertTrue(trie.remove(key) >= 0, line);
                break;
            case "fill":
                for (int i = 0; i < Integer.parseInt(words[2]); i++) {
                    trie.put(key + String.format(Locale.ROOT, "%02x", i * Integer.parseInt(words[3])), i);
                }
                break;
            default:
                throw new AssertionError(line);
        }
    }
}
