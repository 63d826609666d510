/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A named set of distinct keys in the order in which a test inserts them. The sets are the same in every run;
 * what is random in a test comes from its own seed.
 */
public final class KeyCorpus {
    /** Longest key of an index. */
    public static final int MAX_KEY_BYTES = 65_535;
    /** Number of {@link #neighbour}s of a key. */
    public static final int NEIGHBOURS = 8;
    private static final int SHOWN_BYTES = 24;
    private static final long HEAVY_KEY_BYTES = 256 << 10;
    private static final long CONTENT_SEED = 20_260_711L;
    private static final List<KeyCorpus> ALL = build();

    private final String name;
    private final byte[][] keys;

    private KeyCorpus(final String name, final byte[][] keys) {
        this.name = name;
        this.keys = keys;
    }

    /**
     * Every corpus.
     *
     * @return an unmodifiable list
     */
    public static List<KeyCorpus> all() {
        return ALL;
    }

    /**
     * A corpus by its name.
     *
     * @param name the name
     * @return the corpus
     * @throws IllegalArgumentException if there is none
     */
    public static KeyCorpus named(final String name) {
        return ALL.stream().filter(corpus -> corpus.name.equals(name)).findFirst().orElseThrow(
            () -> new IllegalArgumentException("no corpus \"" + name + "\", but " + ALL));
    }

    /**
     * A corpus of given keys; later copies of a key are dropped.
     *
     * @param name its name
     * @param keys the keys in order of insertion
     * @return a new corpus
     */
    public static KeyCorpus of(final String name, final Collection<byte[]> keys) {
        final TreeSet<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
        return new KeyCorpus(name, keys.stream().filter(seen::add).toArray(byte[][]::new));
    }

    /**
     * The keys that fulfil a condition.
     *
     * @param condition which keys stay
     * @return a corpus of the same name, perhaps an empty one
     */
    public KeyCorpus filter(final Predicate<byte[]> condition) {
        return new KeyCorpus(name, Arrays.stream(keys).filter(condition).toArray(byte[][]::new));
    }

    /**
     * A part of this corpus.
     *
     * @param count number of keys, spread evenly over the corpus
     * @return a corpus of the same name of at most that many keys
     */
    public KeyCorpus thinnedTo(final int count) {
        if (keys.length <= count) {
            return this;
        }
        final byte[][] some = new byte[count][];
        for (int i = 0; i < count; i++) {
            some[i] = keys[(int) ((long) i * keys.length / count)];
        }
        return new KeyCorpus(name, some);
    }

    /**
     * The name.
     *
     * @return words for messages
     */
    public String name() {
        return name;
    }

    /**
     * Number of keys.
     *
     * @return the count
     */
    public int size() {
        return keys.length;
    }

    /**
     * A key, to be read only.
     *
     * @param i its place in the order of insertion
     * @return the key
     */
    public byte[] key(final int i) {
        return keys[i];
    }

    /**
     * The keys in order of insertion; the arrays are to be read only.
     *
     * @return an unmodifiable list
     */
    public List<byte[]> keys() {
        return Collections.unmodifiableList(Arrays.asList(keys));
    }

    /**
     * Sum of the key lengths.
     *
     * @return bytes
     */
    public long keyBytes() {
        return Arrays.stream(keys).mapToLong(key -> key.length).sum();
    }

    /**
     * Returns whether its keys are so long that a check after each operation takes too long.
     *
     * @return false for all but those of the longest keys
     */
    public boolean isHeavy() {
        return keyBytes() > HEAVY_KEY_BYTES;
    }

    @Override
    public String toString() {
        return name + " (" + keys.length + " keys)";
    }

    /**
     * A key near a given one, the key itself for variant 0. It never exceeds the longest key of an index.
     *
     * @param key the key
     * @param variant 0 to {@link #NEIGHBOURS} - 1
     * @return a key that may or may not be in the corpus
     */
    public static byte[] neighbour(final byte[] key, final int variant) {
        final int last = key.length - 1;
        final byte[] near;
        switch (variant) {
            case 1:
                return Arrays.copyOf(key, Math.max(0, last));
            case 2:
                return Arrays.copyOf(key, Math.min(MAX_KEY_BYTES, key.length + 1));
            case 3:
                near = Arrays.copyOf(key, Math.min(MAX_KEY_BYTES, key.length + 1));
                near[near.length - 1] = (byte) 0xFF;
                return near;
            case 4:
            case 5:
                near = key.clone();
                if (last >= 0) {
                    near[last] = (byte) (near[last] + (variant == 4 ? 1 : -1));
                }
                return near;
            case 6:
                near = key.clone();
                if (last >= 0) {
                    near[last / 2] ^= 1;
                }
                return near;
            case 7:
                return Arrays.copyOf(key, key.length / 2);
            default:
                return key.clone();
        }
    }

    /**
     * A key for messages.
     *
     * @param key the key
     * @return hexadecimal digits, cut where it is long
     */
    public static String text(final byte[] key) {
        if (key == null) {
            return "null";
        }
        final String digits = HexFormat.of().formatHex(key, 0, Math.min(key.length, SHOWN_BYTES));
        return key.length <= SHOWN_BYTES
            ? "[" + digits + "]"
            : "[" + digits + "... " + key.length + " bytes, hash " + Integer.toHexString(Arrays.hashCode(key))
                + "]";
    }

    private static List<KeyCorpus> build() {
        final Random random = new Random(CONTENT_SEED);
        final List<KeyCorpus> all = new ArrayList<>();
        all.add(of("empty key", List.of(new byte[0])));
        all.add(of("one byte", oneByte()));
        all.add(of("two bytes, all", shuffled(twoBytes(), random)));
        all.add(of("prefixes of each other", prefixes()));
        all.add(of("runs of 00 and FF", runs()));
        all.add(of("chains of 1 to 60", chains()));
        all.add(of("fan-outs", fanOuts()));
        all.add(of("small alphabet", randomLengths(random, 600, 24, new byte[] {0, 1, 'a', (byte) 0xFF})));
        final List<byte[]> random8 = fixedLength(random, 2000, 8);
        all.add(of("random 8 bytes", random8));
        all.add(of("random 8 bytes, sorted", sorted(random8)));
        all.add(of("random 8 bytes, reversed", reversed(sorted(random8))));
        all.add(of("sequential 8 bytes", sequential(2000)));
        final List<byte[]> paths = paths(random, 2000);
        all.add(of("paths", paths));
        all.add(of("paths, sorted", sorted(paths)));
        all.add(of("UTF-8 names", names()));
        all.add(of("long shared prefix", longSharedPrefix(random)));
        all.add(of("longest keys", longest()));
        return List.copyOf(all);
    }

    private static List<byte[]> oneByte() {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            keys.add(new byte[] {(byte) (i * 167)}); // odd factor: a permutation
        }
        return keys;
    }

    private static List<byte[]> twoBytes() {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 1 << 16; i++) {
            keys.add(new byte[] {(byte) (i >> 8), (byte) i});
        }
        return keys;
    }

    private static List<byte[]> prefixes() {
        final byte[] spine = new byte[70];
        for (int i = 0; i < spine.length; i++) {
            spine[i] = (byte) (i * 31 + 7);
        }
        final List<byte[]> keys = new ArrayList<>();
        for (int length = spine.length; length >= 0; length -= 2) {
            keys.add(Arrays.copyOf(spine, length));
        }
        for (int length = 1; length <= spine.length; length += 2) {
            keys.add(Arrays.copyOf(spine, length));
            for (final int change : new int[] {1, -1, 0x40}) {
                final byte[] branch = Arrays.copyOf(spine, length);
                branch[length - 1] = (byte) (branch[length - 1] + change);
                keys.add(branch);
            }
        }
        return keys;
    }

    private static List<byte[]> runs() {
        final List<byte[]> keys = new ArrayList<>();
        keys.add(new byte[0]);
        for (int length = 1; length <= 64; length++) {
            for (final int fill : new int[] {0, 0xFF}) {
                final byte[] run = new byte[length];
                Arrays.fill(run, (byte) fill);
                keys.add(run);
                final byte[] other = run.clone();
                other[length - 1] = (byte) ~fill;
                keys.add(other);
                final byte[] begin = run.clone();
                begin[0] = (byte) ~fill;
                keys.add(begin);
            }
        }
        return keys;
    }

    /** For each length, two keys that part after a chain of that length, and one that ends on it. */
    private static List<byte[]> chains() {
        final List<byte[]> keys = new ArrayList<>();
        for (int length = 1; length <= 60; length++) {
            final byte[] chain = new byte[length + 2];
            chain[0] = (byte) (length * 4);
            for (int i = 1; i <= length; i++) {
                chain[i] = (byte) (i ^ length);
            }
            chain[length + 1] = (byte) 0x80;
            keys.add(chain);
            final byte[] fork = chain.clone();
            fork[length + 1] = 1;
            keys.add(fork);
            if (length % 2 == 0) {
                keys.add(Arrays.copyOf(chain, length + 1));
            }
            if (length % 3 == 0) {
                final byte[] middle = Arrays.copyOf(chain, length / 2 + 2);
                middle[length / 2 + 1] ^= 0x55;
                keys.add(middle);
            }
        }
        return keys;
    }

    private static List<byte[]> fanOuts() {
        final List<byte[]> keys = new ArrayList<>();
        final List<Integer> fanOuts =
            List.of(1, 2, 3, 4, 5, 6, 7, 8, 200, 207, 214, 221, 228, 235, 242, 249, 256);
        for (final int children : fanOuts) {
            for (int i = 0; i < children; i++) {
                keys.add(new byte[] {(byte) (children >> 8), (byte) children, (byte) (i * 101), 'x'});
            }
            if (children % 2 == 0) {
                keys.add(new byte[] {(byte) (children >> 8), (byte) children});
            }
        }
        return keys;
    }

    private static List<byte[]> randomLengths(
        final Random random, final int count, final int maxLength, final byte[] alphabet) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] key = new byte[random.nextInt(maxLength + 1)];
            for (int j = 0; j < key.length; j++) {
                key[j] = alphabet[random.nextInt(alphabet.length)];
            }
            keys.add(key);
        }
        return keys;
    }

    /**
     * Makes random keys of one length, of which some may be equal.
     *
     * @param random where their bytes come from
     * @param count number of keys
     * @param length bytes of each
     * @return the keys
     */
    public static List<byte[]> fixedLength(final Random random, final int count, final int length) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] key = new byte[length];
            random.nextBytes(key);
            keys.add(key);
        }
        return keys;
    }

    private static List<byte[]> sequential(final int count) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(ByteBuffer.allocate(8).putLong(0x7FFF_FFFF_FFFF_FF00L + i).array());
        }
        return keys;
    }

    private static List<byte[]> paths(final Random random, final int count) {
        final String[] tops =
            {"usr/share/doc/", "usr/lib/x86_64-linux-gnu/", "usr/share/locale/", "etc/", "usr/bin/"};
        final String[] parts =
            {"lib", "python", "node", "perl", "gtk", "core", "data", "dev", "common", "tools"};
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final StringBuilder path = new StringBuilder(tops[random.nextInt(tops.length)]);
            final int depth = 1 + random.nextInt(5);
            for (int d = 0; d < depth; d++) {
                path.append(parts[random.nextInt(parts.length)]);
                path.append(d == 0 ? "-" + random.nextInt(20) : "").append('/');
            }
            keys.add(path.append(random.nextInt(50)).append(".txt").toString()
                .getBytes(StandardCharsets.UTF_8));
        }
        return keys;
    }

    private static List<byte[]> names() {
        final String[] given = {
            "Zoë", "Łukasz", "Мария", "Ελένη", "さくら", "김민준", "José", "Ann", "Anna", "Annabel", "𝒜da", ""};
        final String[] family = {
            "Müller", "Ó Briain", "Иванова", "Παπαδοπούλου", "田中", "이", "García", "Å", "Ångström", "😀"};
        return Arrays.stream(given)
            .flatMap(first -> Arrays.stream(family).flatMap(
                last -> Arrays.stream(new String[] {first + " " + last, last + ", " + first, first})))
            .map(text -> text.getBytes(StandardCharsets.UTF_8))
            .collect(Collectors.toList());
    }

    private static List<byte[]> longSharedPrefix(final Random random) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            final byte[] key = new byte[300 + random.nextInt(6)];
            Arrays.fill(key, 0, 300, (byte) 'p');
            for (int j = 300; j < key.length; j++) {
                key[j] = (byte) random.nextInt();
            }
            if (i % 10 == 0) {
                key[random.nextInt(300)] = 'q';
            }
            keys.add(key);
        }
        return keys;
    }

    private static List<byte[]> longest() {
        final byte[] zeroes = new byte[MAX_KEY_BYTES];
        final byte[] pattern = new byte[MAX_KEY_BYTES];
        for (int i = 0; i < pattern.length; i++) {
            pattern[i] = (byte) (i * 7 + (i >> 8));
        }
        final List<byte[]> keys = new ArrayList<>();
        keys.add(pattern);
        keys.add(Arrays.copyOf(pattern, MAX_KEY_BYTES - 1));
        keys.add(neighbour(pattern, 4));
        keys.add(zeroes);
        keys.add(new byte[0]);
        keys.add(Arrays.copyOf(pattern, 32_768));
        final byte[] fork = pattern.clone();
        fork[40_000] ^= (byte) 0x80;
        keys.add(fork);
        keys.add(Arrays.copyOf(pattern, 1));
        return keys;
    }

    private static List<byte[]> sorted(final List<byte[]> keys) {
        final List<byte[]> copy = new ArrayList<>(keys);
        copy.sort(Arrays::compareUnsigned);
        return copy;
    }

    private static List<byte[]> reversed(final List<byte[]> keys) {
        final List<byte[]> copy = new ArrayList<>(keys);
        Collections.reverse(copy);
        return copy;
    }

    private static List<byte[]> shuffled(final List<byte[]> keys, final Random random) {
        final List<byte[]> copy = new ArrayList<>(keys);
        Collections.shuffle(copy, random);
        return copy;
    }
}
