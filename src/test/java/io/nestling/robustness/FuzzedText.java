/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.testing.ByteMutations;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Texts with a key a line, for fuzzing. */
final class FuzzedText {
    private static final byte[] SIGNS = {'\n', '\n', '\t', '\r', 0, -1, 'a', 'b'};
    private static final String[] SEEDS = {"", "a\nb\nc", "a\tb\nc\td\te\n\n\t\n", "\u00ef\u00bb\u00bfa\r\nb\r\n", "\n\n\n"};

    private FuzzedText() {
    }

    static List<byte[]> seeds(final Random random) {
        final List<byte[]> seeds = new ArrayList<>();
        for (final String seed : SEEDS) {
            seeds.add(seed.getBytes(StandardCharsets.ISO_8859_1));
        }
        for (int i = 0; i < 5; i++) {
            final byte[] text = new byte[random.nextInt(2000)];
            for (int at = 0; at < text.length; at++) {
                text[at] = SIGNS[random.nextInt(SIGNS.length)];
            }
            seeds.add(text);
        }
        return seeds;
    }

    /** Changes a line, or makes it about as long as a key may be or a buffer is. */
    static byte[] mutate(final byte[] text, final byte[] other, final Random random) {
        final int at = random.nextInt(text.length + 1);
        switch (random.nextInt(5)) {
            case 0:
                return ByteMutations.replace(text, at, at, new byte[] {SIGNS[random.nextInt(SIGNS.length)]});
            case 1:
                final byte[] run = new byte[random.nextInt(4) == 0 ? 65_536 * (1 + random.nextInt(2)) + random.nextInt(7) - 3
                    : random.nextInt(300)];
                Arrays.fill(run, SIGNS[random.nextInt(SIGNS.length)]);
                return ByteMutations.replace(text, at, at, run);
            case 2:
                final byte[] lines = Arrays.copyOfRange(text, at, at + random.nextInt(text.length - at + 1));
                return ByteMutations.replace(text, at, at, lines);
            default:
                return ByteMutations.change(text, other, random);
        }
    }

    /** Lines as a reader must see them: each ends with a line feed, the last one may do without. */
    static List<byte[]> lines(final byte[] text) {
        final List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\n') {
                lines.add(Arrays.copyOfRange(text, start, i));
                start = i + 1;
            }
        }
        if (start < text.length) {
            lines.add(Arrays.copyOfRange(text, start, text.length));
        }
        return lines;
    }
}
