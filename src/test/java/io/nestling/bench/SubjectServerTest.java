/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.OrderedIndex;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeyFile;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubjectServerTest {
    private static final int COUNT = 2_000;
    private static final int OTHERS = 4_000;
    private static final int KEY_BYTES = 8;
    private static final String LOAD = "load 1500\nload 1500\n";

    @TempDir
    private Path directory;

    private KeyFile keys() throws IOException {
        final ByteBuffer file = ByteBuffer.allocate((COUNT + OTHERS) * (Integer.BYTES + KEY_BYTES));
        file.order(ByteOrder.LITTLE_ENDIAN);
        for (long i = 0; i < COUNT + OTHERS; i++) {
            file.putInt(KEY_BYTES).putLong(i * 0x9E3779B97F4A7C15L);
        }
        return KeyFile.read(Files.write(directory.resolve("keys"), file.array()));
    }

    private List<String> served(final FakeFactory factory, final int count, final String commands) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final boolean right = SubjectServer.serve(factory, keys(), count, 0, new BufferedReader(new StringReader(commands)),
            new PrintStream(out, false, StandardCharsets.UTF_8));
        final List<String> answers = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(right, answers.stream().noneMatch(answer -> answer.startsWith("ERROR")), answers::toString);
        assertEquals(0, factory.open(), "subjects that are open");
        return answers;
    }

    private static long operations(final String answer) {
        final String[] words = answer.split(" ");
        assertEquals(3, words.length, answer);
        assertTrue(Double.parseDouble(words[1]) >= 0 && Double.parseDouble(words[2]) > 0, answer);
        return Long.parseLong(words[0]);
    }

    @Test
    void shouldAnswerEachCommandByALine() throws IOException {
        final List<String> answers = served(
            new FakeFactory("map"), COUNT, LOAD + "get 0\ndep 0\nmiss 0\nseek 0\nscan 0\niter 0\nbytes 0\nq 0\nget 0\n");
        assertEquals("READY", answers.get(0));
        assertEquals(1_500, operations(answers.get(1)));
        assertEquals(500, operations(answers.get(2)));
        for (final String answer : answers.subList(3, 9)) {
            assertTrue(operations(answer) > 0, answer);
        }
        assertEquals(COUNT, operations(answers.get(8)), "iterated entries");
        assertEquals(List.of("BYTES 10.00 15.00"), answers.subList(9, answers.size()));
    }

    @Test
    void shouldGoOnForTheTimeAskedFor() throws IOException {
        final String answer = served(new FakeFactory("map"), COUNT, LOAD + "get 0.05\n").get(3);
        assertTrue(Double.parseDouble(answer.split(" ")[2]) >= 0.05, answer);
    }

    @Test
    void shouldSayWhatASubjectCannotDo() throws IOException {
        final List<String> unordered = served(
            new FakeFactory("points").unordered(), COUNT, LOAD + "seek 1\nscan 1\niter 1\nget 0\n");
        assertEquals(List.of("0 0 0", "0 0 0", "0 0 0"), unordered.subList(3, 6));
        assertTrue(operations(unordered.get(6)) > 0);
        final List<String> whole = served(new FakeFactory("map"), COUNT + OTHERS, "load 6000\nmiss 1\n");
        assertEquals("0 0 0", whole.get(2));
    }

    @ParameterizedTest
    @CsvSource({"get", "dep", "miss", "seek", "scan", "iter"})
    void shouldNameTheCommandWithAWrongAnswer(final String command) throws IOException {
        final int[] made = {0};
        final UnaryOperator<OrderedIndex> fault = index -> made[0]++ < 3 ? index : new FakeFactory.Passing(index) {
            @Override
            public long get(final byte[] key, final int offset, final int length) {
                return super.get(key, offset, length) ^ 1;
            }

            @Override
            public EntryCursor cursor() {
                return new SkippingCursor(super.cursor());
            }
        };
        final List<String> answers = served(new FakeFactory("wrong", fault), COUNT, LOAD + command + " 0.2\nbytes 0\n");
        assertTrue(answers.get(answers.size() - 1).startsWith("ERROR " + command + ": expected "), answers::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fly 1", "get", "get soon", "get 0", "load -5", "load NaN", "quiet 0"})
    void shouldRefuseOtherCommandsAndThoseBeforeTheLoad(final String command) throws IOException {
        final List<String> answers = served(new FakeFactory("map"), COUNT, command + "\nload 2000\n");
        assertTrue(answers.get(1).startsWith("ERROR ") && answers.get(1).contains("expected "), answers::toString);
        assertEquals(2, answers.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1023, COUNT + OTHERS + 1})
    void shouldRefuseAWrongNumberOfKeys(final int count) {
        final String message = assertThrows(
            IllegalArgumentException.class, () -> served(new FakeFactory("map"), count, "")).getMessage();
        assertTrue(message.contains("expected 1024 to 6000 keys") && message.endsWith("but was " + count), message);
    }

    @ParameterizedTest
    @CsvSource({"0300000061, ends within key 0", "0100000061000000, ends within key 1",
        "01000000610000FFFF, to have 0 to 65535 bytes",
        "010000006100000100, key 1 to have 0 to 65535 bytes but was 65536"})
    void shouldRefuseDamagedKeyFiles(final String hex, final String problem) throws IOException {
        final byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        final Path file = Files.write(directory.resolve("damaged"), bytes);
        final String message = assertThrows(DatasetException.class, () -> KeyFile.read(file)).getMessage();
        assertTrue(message.startsWith(file + ": ") && message.contains(problem), message);
    }
}
