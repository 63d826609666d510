/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Order, prefix-freedom and round trip of random tuples of random schemas. */
class TupleSchemaPropertyTest {
    private static final int SCHEMAS = 300;
    private static final int MAX_COMPONENTS = 5;
    private static final int TUPLES = 40;
    private static final int POOL = 3;

    @Test
    void shouldKeepTheOrderOfRandomTuples() {
        final Random random = Seeds.random("TupleSchemaPropertyTest.shouldKeepTheOrderOfRandomTuples");
        int ties = 0;
        for (int i = 0; i < SCHEMAS; i++) {
            final List<TypeSample<?>> samples = randomSamples(random);
            final TupleSchema schema = schema(samples);
            final List<Object[]> tuples = randomTuples(samples, random);
            final List<byte[]> keys = tuples.stream().map(schema::encode).toList();
            for (int left = 0; left < TUPLES; left++) {
                for (int right = 0; right < TUPLES; right++) {
                    final int order = compare(samples, tuples.get(left), tuples.get(right));
                    checkPair(schema, order, keys.get(left), keys.get(right));
                    assertEquals(order, Integer.signum(schema.compare(tuples.get(left), tuples.get(right))));
                    ties += left != right && order == 0 ? 1 : 0;
                }
            }
        }
        assertTrue(ties > 0, "equal tuples have to occur");
    }

    private static void checkPair(
        final TupleSchema schema, final int order, final byte[] leftKey, final byte[] rightKey) {
        assertEquals(order, Integer.signum(ByteComparison.compare(leftKey, rightKey)), schema::toString);
        final int common =
            ByteComparison.commonPrefix(leftKey, 0, leftKey.length, rightKey, 0, rightKey.length);
        assertFalse(order != 0 && common == Math.min(leftKey.length, rightKey.length),
            () -> schema + ": one key is a prefix of another");
    }

    @Test
    void shouldRoundTripRandomTuples() {
        final Random random = Seeds.random("TupleSchemaPropertyTest.shouldRoundTripRandomTuples");
        for (int i = 0; i < SCHEMAS; i++) {
            final List<TypeSample<?>> samples = randomSamples(random);
            final TupleSchema schema = schema(samples);
            for (final Object[] tuple : randomTuples(samples, random)) {
                final Object[] decoded = schema.decode(schema.encode(tuple));
                assertEquals(tuple.length, decoded.length);
                for (int component = 0; component < tuple.length; component++) {
                    assertTrue(TypeSamples.same(tuple[component], decoded[component]),
                        () -> schema + ": " + Arrays.toString(tuple) + " came back as "
                        + Arrays.toString(decoded));
                }
            }
        }
    }

    private static List<TypeSample<?>> randomSamples(final Random random) {
        final List<TypeSample<?>> all = TypeSamples.all();
        final List<TypeSample<?>> chosen = new ArrayList<>();
        final int components = 1 + random.nextInt(MAX_COMPONENTS);
        for (int i = 0; i < components; i++) {
            final List<? extends TypeSample<?>> variants = all.get(random.nextInt(all.size())).variants();
            chosen.add(variants.get(random.nextInt(variants.size())));
        }
        return chosen;
    }

    private static TupleSchema schema(final List<TypeSample<?>> samples) {
        final List<KeyType<?>> types = new ArrayList<>();
        samples.forEach(sample -> types.add(sample.type()));
        return TupleSchema.of(types);
    }

    /** Tuples over few values in each component, so that many share their first components. */
    private static List<Object[]> randomTuples(final List<TypeSample<?>> samples, final Random random) {
        final List<List<Object>> pools = new ArrayList<>();
        for (final TypeSample<?> sample : samples) {
            final List<Object> pool = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                pool.add(sample.next(random));
            }
            pools.add(pool);
        }
        final List<Object[]> tuples = new ArrayList<>();
        for (int i = 0; i < TUPLES; i++) {
            tuples.add(pools.stream().map(pool -> pool.get(random.nextInt(POOL))).toArray());
        }
        return tuples;
    }

    private static int compare(final List<TypeSample<?>> samples, final Object[] left, final Object[] right) {
        int order = 0;
        for (int i = 0; i < left.length && order == 0; i++) {
            order = compare(samples.get(i), left[i], right[i]);
        }
        return Integer.signum(order);
    }

    private static <T> int compare(final TypeSample<T> sample, final Object left, final Object right) {
        final Class<T> javaType = sample.type().javaType();
        return sample.order().compare(javaType.cast(left), javaType.cast(right));
    }
}
