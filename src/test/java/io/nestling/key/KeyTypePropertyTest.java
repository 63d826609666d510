/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Order, prefix-freedom and round trip of every type under every combination of nulls and direction. */
class KeyTypePropertyTest {
    private static final int VALUES = Effort.count(140, 220, 220);

    static Stream<TypeSample<?>> variants() {
        return TypeSamples.all().stream().flatMap(sample -> sample.variants().stream());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void shouldKeepTheOrderAndBePrefixFree(final TypeSample<?> sample) {
        checkOrder(sample, Seeds.random("KeyTypePropertyTest.shouldKeepTheOrderAndBePrefixFree"));
    }

    private static <T> void checkOrder(final TypeSample<T> sample, final Random random) {
        final List<T> values = values(sample, random);
        final List<byte[]> keys = values.stream().map(sample.type()::encode).toList();
        for (int i = 0; i < values.size(); i++) {
            for (int j = 0; j < values.size(); j++) {
                checkPair(sample, values.get(i), values.get(j), keys.get(i), keys.get(j));
            }
        }
    }

    private static <T> void checkPair(
        final TypeSample<T> sample, final T left, final T right,
        final byte[] leftKey, final byte[] rightKey) {
        final int order = Integer.signum(sample.order().compare(left, right));
        final int keyOrder = Integer.signum(ByteComparison.compare(leftKey, rightKey));
        if (order != keyOrder) {
            assertEquals(order, keyOrder,
                sample + ": order of " + left + " " + hex(leftKey) + " and " + right + " "
                + hex(rightKey));
        }
        assertEquals(order, Integer.signum(sample.type().comparator().compare(left, right)), "comparator");
        if (order != 0 && leftKey.length <= rightKey.length) {
            assertFalse(startsWith(rightKey, leftKey),
                () -> sample + ": " + hex(leftKey) + " of " + left + " is a prefix of " + hex(rightKey));
        }
    }

    @ParameterizedTest
    @MethodSource("variants")
    void shouldRoundTrip(final TypeSample<?> sample) {
        checkRoundTrip(sample, Seeds.random("KeyTypePropertyTest.shouldRoundTrip"));
    }

    private static <T> void checkRoundTrip(final TypeSample<T> sample, final Random random) {
        final KeyEncoder encoder = new KeyEncoder();
        for (final T value : values(sample, random)) {
            final T decoded = sample.type().decode(sample.type().encode(value));
            assertTrue(TypeSamples.same(value, decoded),
                () -> sample + ": " + value + " came back as " + decoded);

            final byte[] within = encoder.reset().uint8(7).value(sample.type(), value).uint8(9).toBytes();
            final KeyDecoder decoder = new KeyDecoder(within);
            assertEquals(7, decoder.uint8());
            assertTrue(TypeSamples.same(value, decoder.value(sample.type())));
            assertEquals(9, decoder.uint8());
            decoder.end();
        }
    }

    private static <T> List<T> values(final TypeSample<T> sample, final Random random) {
        final List<T> values = new ArrayList<>(sample.edges());
        while (values.size() < VALUES) {
            values.add(sample.next(random));
        }
        return values;
    }

    private static boolean startsWith(final byte[] key, final byte[] prefix) {
        return ByteComparison.commonPrefix(key, 0, key.length, prefix, 0, prefix.length) == prefix.length;
    }

    private static String hex(final byte[] key) {
        return HexFormat.of().formatHex(key);
    }
}
