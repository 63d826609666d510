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
    public static final KeyType<Byte> INT8 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.INT8, Byte.class, Byte::longValue, value -> (byte) value));
    /** Signed 16-bit integers. */
    public static final KeyType<Short> INT16 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.INT16, Short.class, Short::longValue, value -> (short) value));
    /** Signed 32-bit integers. */
    public static final KeyType<Integer> INT32 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.INT32, Integer.class, Integer::longValue, value -> (int) value));
    /** Signed 64-bit integers. */
    public static final KeyType<Long> INT64 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.INT64, Long.class, Long::longValue, value -> value));
    /** Unsigned 8-bit integers: 0 to 255. */
    public static final KeyType<Integer> UINT8 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.UINT8, Integer.class, Integer::longValue, value -> (int) value));
    /** Unsigned 16-bit integers: 0 to 65,535. */
    public static final KeyType<Integer> UINT16 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.UINT16, Integer.class, Integer::longValue, value -> (int) value));
    /** Unsigned 32-bit integers: 0 to 4,294,967,295. */
    public static final KeyType<Long> UINT32 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.UINT32, Long.class, Long::longValue, value -> value));
    /** Unsigned 64-bit integers: all bits of a {@code long}, in the order of {@link Long#compareUnsigned}. */
    public static final KeyType<Long> UINT64 = new KeyType<>(
        new IntegerCodec<>(IntegerFormat.UINT64, Long.class, Long::longValue, value -> value));
    /**
     * Single-precision numbers in the order of {@link Float#compare}: -0.0 before 0.0, NaN last. Every NaN
     * decodes to the canonical one.
     */
    public static final KeyType<Float> FLOAT32 = new KeyType<>(Float32Codec.INSTANCE);
    /**
     * Double-precision numbers in the order of {@link Double#compare}: -0.0 before 0.0, NaN last. Every NaN
     * decodes to the canonical one.
     */
    public static final KeyType<Double> FLOAT64 = new KeyType<>(Float64Codec.INSTANCE);
    /**
     * Strings in the order of their code points. {@link String#compareTo} orders by UTF-16 units instead and
     * so puts supplementary characters (U+10000 and above) before U+E000 to U+FFFF; {@link #comparator} has
     * the order of the encodings. A string with an unpaired surrogate is rejected.
     */
    public static final KeyType<String> STRING = new KeyType<>(StringCodec.INSTANCE);
    /** Byte strings in unsigned lexicographic order. */
    public static final KeyType<byte[]> BYTES = new KeyType<>(BytesCodec.INSTANCE);
    /**
     * UUIDs in the unsigned order of their 128 bits, which is that of their text form. {@link UUID#compareTo}
     * compares the halves as signed numbers instead; {@link #comparator} has the order of the encodings.
     */
    public static final KeyType<UUID> UUID = new KeyType<>(UuidCodec.INSTANCE);
    /** Integers of any size up to 65,532 bytes of magnitude (524,256 bits), in a key of their own. */
    public static final KeyType<BigInteger> BIG_INTEGER = new KeyType<>(BigIntegerCodec.INSTANCE);
    /**
     * Decimals of any scale and up to 131,072 digits, in the order of {@link BigDecimal#compareTo};
     * numerically equal ones of different scale are different, adjacent keys, the smaller scale
     * first, as in {@link #comparator}. Decoding restores the scale.
     */
    public static final KeyType<BigDecimal> BIG_DECIMAL = new KeyType<>(BigDecimalCodec.INSTANCE);
    /** Booleans, false first. */
    public static final KeyType<Boolean> BOOLEAN = new KeyType<>(BooleanCodec.INSTANCE);
    /** Instants from {@link Instant#MIN} to {@link Instant#MAX}, to the nanosecond. */
    public static final KeyType<Instant> INSTANT = new KeyType<>(InstantCodec.INSTANCE);

    private final Codec<T> codec;
    private final String name;

    private KeyType(final Codec<T> codec) {
        this.codec = codec;
        this.name = codec.name();
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
        if (codec.acceptsNull()) {
            throw new IllegalStateException("expected a type without null but was " + name);
        }
        return new KeyType<>(new NullableCodec<>(codec, first));
    }

    /**
     * Returns the type of these values in reverse order, nulls included. Reversing twice restores the order and
     * encoding.
     *
     * @return another type
     */
    public KeyType<T> descending() {
        return codec instanceof DescendingCodec<T> descending
            ? new KeyType<>(descending.ascending()) : new KeyType<>(new DescendingCodec<>(codec));
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
        return codec.javaType();
    }

    /**
     * Returns whether null is a value of this type.
     *
     * @return true after {@link #nullsFirst} or {@link #nullsLast}
     */
    public boolean acceptsNull() {
        return codec.acceptsNull();
    }

    /**
     * Encodes one value as a whole key. For more than one value, or without allocation, use
     * {@link KeyEncoder#value}.
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
