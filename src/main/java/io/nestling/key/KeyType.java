/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * A type of key components: its values have a byte encoding whose unsigned lexicographic order is the order
 * of the values, none of which is a prefix of another, and which decodes back to an equal value. The package
 * description has the table of encodings.
 * <p>
 * {@link #nullsFirst}, {@link #nullsLast} and {@link #descending} derive further types; the order of the
 * calls matters as with {@link Comparator}: {@code STRING.nullsFirst().descending()} sorts nulls last,
 * {@code STRING.descending().nullsFirst()} first.
 * <h2>Thread safety</h2>
 * Immutable; any thread.
 *
 * @param <T> Java type of the values
 */
public final class KeyType<T> {
    /** Signed 8-bit integers. */
    public static final KeyType<Byte> INT8 = of(IntegerFormat.INT8, Byte.class, Byte::longValue, value -> (byte) value);
    /** Signed 16-bit integers. */
    public static final KeyType<Short> INT16 = of(IntegerFormat.INT16, Short.class, Short::longValue, value -> (short) value);
    /** Signed 32-bit integers. */
    public static final KeyType<Integer> INT32 = of(IntegerFormat.INT32, Integer.class, Integer::longValue, value -> (int) value);
    /** Signed 64-bit integers. */
    public static final KeyType<Long> INT64 = of(IntegerFormat.INT64, Long.class, Long::longValue, value -> value);
    /** Unsigned 8-bit integers: 0 to 255. */
    public static final KeyType<Integer> UINT8 = of(IntegerFormat.UINT8, Integer.class, Integer::longValue, value -> (int) value);
    /** Unsigned 16-bit integers: 0 to 65,535. */
    public static final KeyType<Integer> UINT16 =
        of(IntegerFormat.UINT16, Integer.class, Integer::longValue, value -> (int) value);
    /** Unsigned 32-bit integers: 0 to 4,294,967,295. */
    public static final KeyType<Long> UINT32 = of(IntegerFormat.UINT32, Long.class, Long::longValue, value -> value);
    /** Unsigned 64-bit integers: all bits of a {@code long}, in the order of {@link Long#compareUnsigned}. */
    public static final KeyType<Long> UINT64 = of(IntegerFormat.UINT64, Long.class, Long::longValue, value -> value);
    /**
     * Single-precision numbers in the order of {@link Float#compare}: -0.0 before 0.0, NaN last. Every NaN
     * decodes to the canonical one.
     */
    public static final KeyType<Float> FLOAT32 = of(IntegerFormat.FLOAT32, Float.class, FloatBits::ofFloat, FloatBits::toFloat);
    /**
     * Double-precision numbers in the order of {@link Double#compare}: -0.0 before 0.0, NaN last. Every NaN
     * decodes to the canonical one.
     */
    public static final KeyType<Double> FLOAT64 =
        of(IntegerFormat.FLOAT64, Double.class, FloatBits::ofDouble, FloatBits::toDouble);
    /**
     * Strings in the order of their code points. {@link String#compareTo} orders by UTF-16 units instead and
     * so puts supplementary characters (U+10000 and above) before U+E000 to U+FFFF; {@link #comparator} has
     * the order of the encodings. A string with an unpaired surrogate is rejected.
     */
    public static final KeyType<String> STRING = new KeyType<>(StringCodec.NAME, String.class, new StringCodec(), false);
    /** Byte strings in unsigned lexicographic order. */
    public static final KeyType<byte[]> BYTES = new KeyType<>(BytesCodec.NAME, byte[].class, new BytesCodec(), false);
    /**
     * UUIDs in the unsigned order of their 128 bits, which is that of their text form. {@link UUID#compareTo}
     * compares the halves as signed numbers instead; {@link #comparator} has the order of the encodings.
     */
    public static final KeyType<UUID> UUID = new KeyType<>(UuidCodec.NAME, UUID.class, new UuidCodec(), false);
    /** Integers of any size up to 65,532 bytes of magnitude (524,256 bits), in a key of their own. */
    public static final KeyType<BigInteger> BIG_INTEGER =
        new KeyType<>(BigIntegerCodec.NAME, BigInteger.class, new BigIntegerCodec(), false);
    /**
     * Decimals of any scale and up to 131,072 digits, in the order of {@link BigDecimal#compareTo};
     * numerically equal ones of different scale are different, adjacent keys, the smaller scale
     * first, as in {@link #comparator}. Decoding restores the scale.
     */
    public static final KeyType<BigDecimal> BIG_DECIMAL =
        new KeyType<>(BigDecimalCodec.NAME, BigDecimal.class, new BigDecimalCodec(), false);
    /** Booleans, false first. */
    public static final KeyType<Boolean> BOOLEAN = new KeyType<>(BooleanCodec.NAME, Boolean.class, new BooleanCodec(), false);
    /** Instants from {@link Instant#MIN} to {@link Instant#MAX}, to the nanosecond. */
    public static final KeyType<Instant> INSTANT = new KeyType<>(InstantCodec.NAME, Instant.class, new InstantCodec(), false);

    private final String name;
    private final Class<T> javaType;
    private final Codec<T> codec;
    private final boolean acceptsNull;

    private KeyType(final String name, final Class<T> javaType, final Codec<T> codec, final boolean acceptsNull) {
        this.name = name;
        this.javaType = javaType;
        this.codec = codec;
        this.acceptsNull = acceptsNull;
    }

    private static <T> KeyType<T> of(
        final IntegerFormat format, final Class<T> javaType, final ToLongFunction<T> toLong, final LongFunction<T> fromLong) {
        return new KeyType<>(format.typeName(), javaType, new IntegerCodec<>(format, toLong, fromLong), false);
    }

    /**
     * Returns the type of these values, and null before all of them.
     *
     * @return another type
     * @throws IllegalStateException if null is a value of this type already
     */
    public KeyType<T> nullsFirst() {
        return nullable(true);
    }

    /**
     * Returns the type of these values, and null after all of them.
     *
     * @return another type
     * @throws IllegalStateException if null is a value of this type already
     */
    public KeyType<T> nullsLast() {
        return nullable(false);
    }

    private KeyType<T> nullable(final boolean first) {
        if (acceptsNull) {
            throw new IllegalStateException("expected a type without null but was " + name);
        }
        final String nullable = name + (first ? " nulls first" : " nulls last");
        return new KeyType<>(nullable, javaType, new NullableCodec<>(nullable, codec, first), true);
    }

    /**
     * Returns the type of these values in reverse order, nulls included. Reversing twice restores the order and encoding.
     *
     * @return another type
     */
    public KeyType<T> descending() {
        return codec instanceof DescendingCodec<T> descending ? descending.ascending()
            : new KeyType<>(name + " descending", javaType, new DescendingCodec<>(this), acceptsNull);
    }

    /**
     * Returns the order of the values, which is that of their encodings.
     *
     * @return a comparator, which accepts null only if the type does
     */
    public Comparator<T> comparator() {
        return codec::compare;
    }

    /**
     * Returns the Java type of the values.
     *
     * @return their class
     */
    public Class<T> javaType() {
        return javaType;
    }

    /**
     * Returns whether null is a value of this type.
     *
     * @return true after {@link #nullsFirst} or {@link #nullsLast}
     */
    public boolean acceptsNull() {
        return acceptsNull;
    }

    /**
     * Encodes one value as a whole key. For more than one value, or without allocation, use {@link KeyEncoder#value}.
     *
     * @param value the value
     * @return a new array
     * @throws IllegalArgumentException if the type cannot hold the value; the message says which and why
     */
    public byte[] encode(final T value) {
        return new KeyEncoder().value(this, value).toBytes();
    }

    /**
     * Decodes a key that is one value.
     *
     * @param key what {@link #encode} returned
     * @return the value
     * @throws MalformedKeyException if the key is not exactly one value of this type
     */
    public T decode(final byte[] key) {
        final KeyDecoder decoder = new KeyDecoder(key);
        final T value = decoder.value(this);
        decoder.end();
        return value;
    }

    Codec<T> codec() {
        return codec;
    }

    /**
     * Returns the name of the type.
     *
     * @return the name used in messages, such as {@code string nulls first}
     */
    @Override
    public String toString() {
        return name;
    }
}
