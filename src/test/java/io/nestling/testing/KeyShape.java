/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Shapes of small sets of keys; each draw is another set. */
public enum KeyShape {
    /** Numbers in a row, or some steps apart, in 1 to 12 bytes, mostly in 8. */
    DENSE {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int length = random.nextBoolean() ? Long.BYTES : 1 + random.nextInt(12);
            final long start = random.nextBoolean() ? 0 : random.nextLong() >>> random.nextInt(64);
            final long step = random.nextBoolean() ? 1 : 1L << random.nextInt(20);
            for (int i = 0; i < count; i++) {
                keys.add(number(start + i * step, length));
            }
        }
    },
    /** Nodes of 2 to 256 children at one byte, and what follows it. */
    NODES {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int children = 2 + random.nextInt(random.nextBoolean() ? 255 : 30);
            final byte[] prefix = new byte[random.nextInt(9)];
            final byte[] suffix = new byte[random.nextInt(random.nextBoolean() ? 1 : 9)];
            random.nextBytes(prefix);
            random.nextBytes(suffix);
            final int first = random.nextInt(257 - children);
            final int parents = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                keys.add(joined(prefix, number(i / children, parents), new byte[] {(byte) (first + i % children)}, suffix));
            }
        }
    },
    /** Paths of files. */
    PATHS {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int fan = 1 + random.nextInt(12);
            for (int i = 0; i < count; i++) {
                final StringBuilder path = new StringBuilder("usr");
                for (int rest = i; rest > 0; rest /= fan + 1) {
                    path.append("/part-").append(rest % (fan + 1));
                }
                keys.add(path.append(random.nextInt(3) == 0 ? "" : "/file").toString().getBytes(StandardCharsets.UTF_8));
            }
        }
    },
    /** Keys of 0 to 9 bytes of a small alphabet. */
    SHORT {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int most = 1 + random.nextInt(9);
            final byte[] alphabet = new byte[1 + random.nextInt(6)];
            random.nextBytes(alphabet);
            for (int i = 0; i < count; i++) {
                keys.add(filled(random, new byte[random.nextInt(most + 1)], alphabet));
            }
        }
    },
    /** Prefixes of a few long keys, and keys that leave them. */
    PREFIXES {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int most = 10 + random.nextInt(290);
            final byte[] alphabet = new byte[1 + random.nextInt(3)];
            random.nextBytes(alphabet);
            while (keys.size() < count) {
                final byte[] whole = filled(random, new byte[most], alphabet);
                for (int length = random.nextInt(9); length <= most; length += 1 + random.nextInt(3)) {
                    final byte[] prefix = Arrays.copyOf(whole, length);
                    if (length > 0 && random.nextInt(5) == 0) {
                        prefix[length - 1]++;
                    }
                    keys.add(prefix);
                }
            }
        }
    },
    /** Few keys for each of many words of 8 bytes: hashes of words have as many values. */
    WORDS {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int group = 1 + random.nextInt(random.nextInt(4) == 0 ? 300 : 4);
            final int tail = random.nextInt(10);
            byte[] word = new byte[0];
            for (int i = 0; i < count; i++) {
                if (i % group == 0) {
                    word = number(random.nextLong() & (random.nextBoolean() ? -1L : 0xFFL << random.nextInt(56)), Long.BYTES);
                }
                keys.add(joined(word, number(i % group, Math.min(tail, 4)), new byte[Math.max(0, tail - 4)]));
            }
        }
    },
    /** Random bytes, of one length or of many. */
    RANDOM {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final int length = 1 + random.nextInt(16);
            final boolean mixed = random.nextBoolean();
            for (int i = 0; i < count; i++) {
                final byte[] key = new byte[mixed ? random.nextInt(40) : length];
                random.nextBytes(key);
                keys.add(key);
            }
        }
    },
    /** Runs of one byte, and what differs from them in one place. */
    RUNS {
        @Override
        void draw(final Random random, final int count, final List<byte[]> keys) {
            final byte[] bytes = {0, (byte) 0xFF, (byte) 0x80, (byte) random.nextInt()};
            for (int i = 0; i < count; i++) {
                final byte[] key = new byte[random.nextInt(random.nextInt(10) == 0 ? 600 : 40)];
                Arrays.fill(key, bytes[random.nextInt(bytes.length)]);
                if (key.length > 0 && random.nextBoolean()) {
                    key[random.nextInt(key.length)] = bytes[random.nextInt(bytes.length)];
                }
                keys.add(key);
            }
        }
    };

    private static final int FEW = 60;
    private static final int MANY = 400;
    private static final int MOST = 2_000;

    abstract void draw(Random random, int count, List<byte[]> keys);

    /**
     * Draws a set of up to 2,000 keys, mostly less than 400.
     *
     * @param random makes the choice
     * @return a corpus that bears the name of its shape
     */
    public static KeyCorpus draw(final Random random) {
        final int kind = random.nextInt(10);
        return draw(random, kind < 2 ? FEW : kind < 9 ? MANY : MOST);
    }

    /**
     * Draws a set of some keys.
     *
     * @param random makes the choice
     * @param most greatest number of keys, at least 1
     * @return a corpus that bears the name of its shape
     */
    public static KeyCorpus draw(final Random random, final int most) {
        final KeyShape shape = values()[random.nextInt(values().length)];
        final int count = 1 + random.nextInt(most);
        final List<byte[]> keys = new ArrayList<>();
        shape.draw(random, count, keys);
        return KeyCorpus.of(shape.name().toLowerCase(Locale.ROOT), keys.subList(0, count));
    }

    private static byte[] number(final long number, final int length) {
        final byte[] bytes = ByteBuffer.allocate(Math.max(length, Long.BYTES)).putLong(Math.max(0, length - Long.BYTES), number)
            .array();
        return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
    }

    private static byte[] joined(final byte[]... parts) {
        final ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (final byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static byte[] filled(final Random random, final byte[] key, final byte[] alphabet) {
        for (int i = 0; i < key.length; i++) {
            key[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return key;
    }
}
