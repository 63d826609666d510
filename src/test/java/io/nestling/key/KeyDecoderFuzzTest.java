/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes {@link KeyDecoder}: components of any types from bytes that no encoder wrote. What it accepts, the encoder must write
 * in the same way, and what stands around the key must not matter.
 * <p>
 * Seen to fail with this fault: the end of the key is checked one byte too late.
 */
@Tag("robustness")
class KeyDecoderFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "key-decoder";
    private static final int PADDING = 40;
    private static final int MAX_KEY_BYTES = 65_535;

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(
            Effort.seconds(0, 20, 300), FuzzedKey.seeds(Seeds.random(NAME)), FuzzedKey::mutate);
    }

    @Override
    public long allocationLimit(final byte[] input) {
        return allocationLimit(FuzzedKey.of(input));
    }

    /**
     * A decimal may have 131,072 digits, whatever the length of the key (see {@link KeyType#BIG_DECIMAL}); the power of ten that
     * makes them takes 12 MB on the way.
     */
    static long allocationLimit(final FuzzedKey input) {
        final long decimals = input.types().stream().filter(type -> type.toString().startsWith("bigDecimal")).count();
        return (128L << 10) + 64L * input.key().length + decimals * (32L << 20);
    }

    @Override
    public String read(final byte[] input) {
        final FuzzedKey fuzzed = FuzzedKey.of(input);
        return decode(new KeyDecoder(fuzzed.key()), fuzzed, new ArrayList<>());
    }

    @Override
    public void compare(final byte[] input) {
        final FuzzedKey fuzzed = FuzzedKey.of(input);
        final byte[] key = fuzzed.key();
        final List<Object> values = new ArrayList<>();
        final String outcome = decode(new KeyDecoder(key), fuzzed, values);
        int start = 0;
        for (int i = 0; i < values.size() && key.length <= MAX_KEY_BYTES; i++) {
            final byte[] encoded = encode(fuzzed.types().get(i), values.get(i));
            assertArrayEquals(Arrays.copyOfRange(key, start, start + encoded.length), encoded, "component " + i);
            start += encoded.length;
        }
        for (final byte around : new byte[] {0, 1, -1}) {
            final byte[] padded = new byte[key.length + 2 * PADDING];
            Arrays.fill(padded, around);
            System.arraycopy(key, 0, padded, PADDING, key.length);
            final List<Object> again = new ArrayList<>();
            assertEquals(outcome, decode(new KeyDecoder(padded, PADDING, key.length), fuzzed, again));
            assertEquals(values.size(), again.size());
            for (int i = 0; i < values.size(); i++) {
                assertTrue(TypeSamples.same(values.get(i), again.get(i)), "component " + i);
            }
        }
    }

    private static String decode(final KeyDecoder decoder, final FuzzedKey fuzzed, final List<Object> values) {
        final List<KeyType<?>> types = fuzzed.types();
        final int length = fuzzed.key().length;
        for (int i = 0; i < types.size(); i++) {
            final int start = decoder.position();
            assertEquals(length, start + decoder.remaining());
            try {
                values.add(fuzzed.isPlain(i) ? named(decoder, fuzzed.plainType(i)) : decoder.value(types.get(i)));
            } catch (final MalformedKeyException e) {
                assertEquals(start, decoder.position());
                assertTrue(e.position() >= 0 && e.position() <= length, e::getMessage);
                return ReaderFuzzer.site(e) + " " + fuzzed.plainType(i);
            }
            assertTrue(decoder.position() > start && decoder.position() <= length);
        }
        try {
            decoder.end();
            assertEquals(length, decoder.position());
        } catch (final MalformedKeyException e) {
            return ReaderFuzzer.site(e);
        }
        return types.isEmpty() ? "no components" : "ends with " + types.get(types.size() - 1);
    }

    @SuppressWarnings("unchecked")
    private static <T> byte[] encode(final KeyType<T> type, final Object value) {
        return type.encode((T) value);
    }

    /** By the method for a type, in the order of {@link TypeSamples#all}. */
    private static Object named(final KeyDecoder decoder, final int type) {
        switch (type) {
            case 0:
                return decoder.int8();
            case 1:
                return decoder.int16();
            case 2:
                return decoder.int32();
            case 3:
                return decoder.int64();
            case 4:
                return decoder.uint8();
            case 5:
                return decoder.uint16();
            case 6:
                return decoder.uint32();
            case 7:
                return decoder.uint64();
            case 8:
                return decoder.float32();
            case 9:
                return decoder.float64();
            case 10:
                return decoder.string();
            case 11:
                return decoder.bytes();
            case 12:
                return decoder.uuid();
            case 13:
                return decoder.bigInteger();
            case 14:
                return decoder.bigDecimal();
            case 15:
                return decoder.bool();
            default:
                return Objects.requireNonNull(decoder.instant());
        }
    }
}
