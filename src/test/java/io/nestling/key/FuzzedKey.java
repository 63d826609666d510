/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import io.nestling.testing.ByteMutations;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * An input of the fuzz tests of keys: the number of components, a byte for the type of each, and the key.
 *
 * @param codes of the types
 * @param key their encodings, or something else
 */
record FuzzedKey(byte[] codes, byte[] key) {
    private static final int MAX_COMPONENTS = 16;
    private static final List<List<? extends TypeSample<?>>> SAMPLES =
        TypeSamples.all().stream().<List<? extends TypeSample<?>>>map(TypeSample::variants).toList();

    static FuzzedKey of(final byte[] input) {
        final int count = input.length == 0 ? 0 : Math.min(input[0] & MAX_COMPONENTS - 1, input.length - 1);
        return new FuzzedKey(Arrays.copyOfRange(input, Math.min(1, input.length), Math.min(input.length, 1 + count)),
            Arrays.copyOfRange(input, Math.min(input.length, 1 + count), input.length));
    }

    byte[] toBytes() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(codes.length);
        bytes.writeBytes(codes);
        bytes.writeBytes(key);
        return bytes.toByteArray();
    }

    List<KeyType<?>> types() {
        final List<KeyType<?>> types = new ArrayList<>();
        for (int i = 0; i < codes.length; i++) {
            types.add(sample(codes[i]).type());
        }
        return types;
    }

    /** Number of the type of a component without its nulls and direction, in the order of {@link TypeSamples#all}. */
    int plainType(final int component) {
        return (codes[component] & 0xFF) % SAMPLES.size();
    }

    /** Whether a component takes no null and ascends. */
    boolean isPlain(final int component) {
        return variant(codes[component]) == 0;
    }

    private static int variant(final byte code) {
        return (code & 0xFF) / SAMPLES.size() % SAMPLES.get(0).size();
    }

    private static TypeSample<?> sample(final byte code) {
        return SAMPLES.get((code & 0xFF) % SAMPLES.size()).get(variant(code));
    }

    private static <T> byte[] encoding(final TypeSample<T> sample, final Random random) {
        return sample.type().encode(sample.next(random));
    }

    /** A key with a component of each type. */
    static List<byte[]> seeds(final Random random) {
        final List<byte[]> seeds = new ArrayList<>();
        for (int code = 0; code < SAMPLES.size() * SAMPLES.get(0).size(); code++) {
            final byte[] codes = new byte[1 + random.nextInt(3)];
            random.nextBytes(codes);
            codes[0] = (byte) code;
            final ByteArrayOutputStream key = new ByteArrayOutputStream();
            for (final byte each : codes) {
                key.writeBytes(encoding(sample(each), random));
            }
            seeds.add(new FuzzedKey(codes, key.toByteArray()).toBytes());
        }
        return seeds;
    }

    /** Changes types, components, or bytes of a component. */
    static byte[] mutate(final byte[] input, final byte[] other, final Random random) {
        FuzzedKey result = of(input);
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            result = result.mutate(of(other), random);
        }
        return result.toBytes();
    }

    private FuzzedKey mutate(final FuzzedKey other, final Random random) {
        final List<byte[]> parts = parts();
        final int at = random.nextInt(parts.size());
        final byte[] newCodes = codes.clone();
        byte[] part = parts.get(at);
        switch (random.nextInt(9)) {
            case 0:
                return with(parts, at, ByteMutations.change(part, other.key, random), newCodes);
            case 1:
                return new FuzzedKey(codes, ByteMutations.change(key, other.key, random));
            case 2:
                for (int i = 0; i < part.length; i++) {
                    part[i] = (byte) ~part[i];
                }
                return with(parts, at, part, newCodes);
            case 3:
                if (at < codes.length) {
                    newCodes[at] = (byte) random.nextInt();
                    part = encoding(sample(newCodes[at]), random);
                }
                return with(parts, at, part, newCodes);
            case 4:
                if (at < codes.length) {
                    newCodes[at] = (byte) random.nextInt();
                }
                return with(parts, at, part, newCodes);
            case 5:
                if (codes.length < MAX_COMPONENTS - 1) {
                    final byte code = (byte) random.nextInt();
                    parts.add(at, encoding(sample(code), random));
                    return with(parts, 0, parts.get(0),
                        ByteMutations.replace(codes, Math.min(at, codes.length), Math.min(at, codes.length), new byte[] {code}));
                }
                return with(parts, at, part, newCodes);
            case 6:
                return with(parts, at, repeat(part, random), newCodes);
            case 7:
                return new FuzzedKey(codes, Arrays.copyOf(key, random.nextInt(key.length + 1)));
            default:
                if (at < codes.length) {
                    part = encoding(sample(newCodes[at]), random);
                }
                return with(parts, at, part, newCodes);
        }
    }

    /** Repeats bytes from the middle of a component: long strings and numbers of many digits. */
    private static byte[] repeat(final byte[] part, final Random random) {
        if (part.length == 0) {
            return part;
        }
        final int at = random.nextInt(part.length);
        final byte[] run = new byte[1 + random.nextInt(1 << 4 + random.nextInt(13))];
        Arrays.fill(run, random.nextBoolean() ? part[at] : (byte) (random.nextInt(101)));
        return ByteMutations.replace(part, at, at, run);
    }

    private static FuzzedKey with(final List<byte[]> parts, final int at, final byte[] part, final byte[] newCodes) {
        parts.set(at, part);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        parts.forEach(bytes::writeBytes);
        return new FuzzedKey(newCodes, bytes.toByteArray());
    }

    /** The encoding of each component as far as they are well-formed, then the rest. */
    private List<byte[]> parts() {
        final List<byte[]> parts = new ArrayList<>();
        final KeyDecoder decoder = new KeyDecoder(key);
        int start = 0;
        try {
            for (final KeyType<?> type : types()) {
                decoder.value(type);
                parts.add(Arrays.copyOfRange(key, start, decoder.position()));
                start = decoder.position();
            }
        } catch (final MalformedKeyException e) {
            // The rest is one part.
        }
        parts.add(Arrays.copyOfRange(key, start, key.length));
        return parts;
    }
}
