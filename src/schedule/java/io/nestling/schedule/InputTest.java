/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Bad input of the race finder: each message names the value and what was expected. */
class InputTest {
    private static final String SOURCE = "class Source { int one = 1; }\n";

    /** A class of the product's package as the loader sees it, with a lock that the rewriter does not know. */
    static final class UnknownLock {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

        void read() {
            lock.readLock().lock();
        }
    }

    private static <T extends Exception> void refused(final Class<T> type, final Executable task, final String... parts) {
        final String message = assertThrows(type, task).getMessage();
        for (final String part : parts) {
            assertTrue(message.contains(part), () -> "expected '" + part + "' in: " + message);
        }
    }

    @Test
    void searchThrowsIllegalArgumentWhenAKindIsUnknown() {
        final Search search = new Search(Map.of(), false);
        for (final String kind : List.of("b_tree", "memtable-b_tree", "thaw-trie", "", "-", "trie-")) {
            refused(IllegalArgumentException.class, () -> search.search(kind, false, 1, 1, 1),
                "'" + kind + "'", IndexType.TRIE.indexName(), "freeze-");
        }
    }

    @Test
    void numberThrowsIllegalArgumentWhenItIsNoneOrOutOfRange() {
        assertEquals(17, Input.number("seed", "17"));
        refused(IllegalArgumentException.class, () -> Input.number("seed", "x7"), "seed", "'x7'", "whole number");
        refused(IllegalArgumentException.class, () -> Input.number("seed", "-7"), "seed", "'-7'", "from 0");
        refused(IllegalArgumentException.class, () -> Input.number("seed", "9223372036854775808"), "'9223372036854775808'");
    }

    @Test
    void replayThrowsIllegalArgumentWhenAPartIsWrong() {
        assertEquals(new Input.Replay("trie", 3, 1L << 60, true), Input.replay("r", "trie,3," + (1L << 60) + ",weak"));
        refused(IllegalArgumentException.class, () -> Input.replay("r", "trie,3,4"), "'trie,3,4'", "KIND,SCENARIO,SCHEDULE");
        refused(IllegalArgumentException.class, () -> Input.replay("r", "trie,-3,4,weak"), "SCENARIO", "'-3'");
        refused(IllegalArgumentException.class, () -> Input.replay("r", "trie,3,four,weak"), "SCHEDULE", "'four'");
        refused(IllegalArgumentException.class, () -> Input.replay("r", "trie,3,4,soft"), "'soft'", "weak or strong");
    }

    @Test
    void plantsThrowsIllegalArgumentWhenANameIsUnknown() {
        final List<Plant> all = List.of(new Plant("one", "trie", false, 1, "", ""), new Plant("two", "trie", false, 1, "", ""));
        assertEquals(all, Input.plants("p", "all", all));
        assertEquals(List.of(all.get(1)), Input.plants("p", "two", all));
        refused(IllegalArgumentException.class, () -> Input.plants("p", "two,three", all), "'three'", "[one, two]");
    }

    @Test
    void plantThrowsIllegalStateWhenItsFileIsWrong(@TempDir final Path directory) throws IOException {
        Files.createDirectories(directory.resolve("io/nestling"));
        Files.writeString(directory.resolve("io/nestling/Source.java"), SOURCE);
        final String head = "a bug\nfile: Source.java\nkind: trie\nmemory: weak\nschedules: 1\n";
        assertTrue(plant(directory, head + "<<<<\n= 1;\n====\n= 2;\n>>>>\n").text().contains("one = 2;"));
        refused(IllegalStateException.class, () -> plant(directory, head), "plant wrong", "<<<<");
        refused(IllegalStateException.class, () -> plant(directory, head + "<<<<\n= 1;\n>>>>\n"), "plant wrong", "====");
        refused(IllegalStateException.class, () -> plant(directory, head + "<<<<\n= 3;\n====\n= 2;\n>>>>\n"), "= 3;");
        final String change = "<<<<\n= 1;\n====\n= 2;\n>>>>\n";
        refused(IllegalStateException.class,
            () -> plant(directory, head.replace("kind", "kinds") + change), "plant wrong", "kind: ");
        refused(IllegalArgumentException.class,
            () -> plant(directory, head.replace("weak", "soft") + change), "plant wrong", "'soft'");
        refused(java.io.UncheckedIOException.class, () -> plant(directory, head.replace("Source", "Sauce")), "Sauce.java");
    }

    private static Plant plant(final Path directory, final String text) throws IOException {
        Files.writeString(directory.resolve("wrong.plant"), text);
        return Plant.all(directory, directory).get(0);
    }

    @Test
    void rewriteThrowsIllegalStateWhenAClassCannotBeRewritten() throws IOException {
        final byte[] bytes;
        try (InputStream in = InputTest.class.getResourceAsStream("InputTest$UnknownLock.class")) {
            bytes = in.readAllBytes();
        }
        final Rewriter rewriter = new Rewriter(name -> new VolatileFields(bytes));
        refused(IllegalStateException.class, () -> rewriter.rewrite(bytes),
            "ReentrantReadWriteLock.readLock", "UnknownLock.read", "Rewriter.CALLS");
        bytes[7] = 127; // major version of the class file
        refused(IllegalStateException.class, () -> rewriter.rewrite(bytes), "version 127");
    }

    @Test
    void mainEndsWithAMessageWhenTheJdkKeepsItsCoroutines() throws IOException, InterruptedException {
        final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final Process process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Main.class.getName(),
            "search", "trie", "1", "1", "weak").redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(2, process.waitFor(), output);
        assertTrue(output.contains("--add-exports") && output.contains("JDK " + Runtime.version()), output);
        assertFalse(output.contains("\tat "), output);
    }
}
