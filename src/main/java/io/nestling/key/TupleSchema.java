/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.List;
import java.util.StringJoiner;

/**
 * The component types of a composite key. A key is the concatenation of the encodings of its components, so that keys sort by
 * the first component, then by the second, and so on; being prefix-free, they need no separators.
 * <h2>Thread safety</h2>
 * Immutable; any thread.
 */
public final class TupleSchema {
    private final List<KeyType<?>> types;

    private TupleSchema(final List<KeyType<?>> types) {
        this.types = types;
    }

    /**
     * Creates a schema.
     *
     * @param types component types, the most significant first
     * @return a schema
     */
    public static TupleSchema of(final KeyType<?>... types) {
        return new TupleSchema(List.of(types));
    }

    /**
     * Creates a schema.
     *
     * @param types component types, the most significant first
     * @return a schema
     */
    public static TupleSchema of(final List<KeyType<?>> types) {
        return new TupleSchema(List.copyOf(types));
    }

    /**
     * Returns the component types.
     *
     * @return an immutable list, the most significant first
     */
    public List<KeyType<?>> types() {
        return types;
    }

    /**
     * Encodes a tuple as a key.
     *
     * @param values one value for each type, of its {@link KeyType#javaType}
     * @return a new array
     * @throws IllegalArgumentException if the number or the class of the values is wrong, a type cannot hold
     *     its value, or the key would be too long; the message names the component
     */
    public byte[] encode(final Object... values) {
        final KeyEncoder encoder = new KeyEncoder();
        encodeTo(encoder, values);
        return encoder.toBytes();
    }

    /**
     * Appends a tuple to a key.
     *
     * @param encoder receives the components; unchanged if this throws
     * @param values one value for each type, of its {@link KeyType#javaType}
     * @throws IllegalArgumentException if the number or the class of the values is wrong, a type cannot hold
     *     its value, or the key would be too long; the message names the component
     */
    public void encodeTo(final KeyEncoder encoder, final Object... values) {
        checkCount(values);
        final int before = encoder.length();
        int component = 0;
        try {
            for (; component < values.length; component++) {
                append(encoder, types.get(component), values[component]);
            }
        } catch (final IllegalArgumentException failure) {
            encoder.truncate(before);
            throw new IllegalArgumentException(describe(component) + ": " + failure.getMessage(), failure);
        } catch (final RuntimeException | Error failure) {
            encoder.truncate(before);
            throw failure;
        }
    }

    /**
     * Decodes a key that is one tuple.
     *
     * @param key what {@link #encode} returned
     * @return the values, one for each type
     * @throws MalformedKeyException if the key is not exactly one tuple of this schema; the message names the component
     */
    public Object[] decode(final byte[] key) {
        final KeyDecoder decoder = new KeyDecoder(key);
        final Object[] values = decodeFrom(decoder);
        decoder.end();
        return values;
    }

    /**
     * Reads the components of a tuple.
     *
     * @param decoder positioned at the first component, and behind the last one afterwards; unchanged if this throws
     * @return the values, one for each type
     * @throws MalformedKeyException if the key has something else here; the message names the component
     */
    public Object[] decodeFrom(final KeyDecoder decoder) {
        final int start = decoder.position();
        final Object[] values = new Object[types.size()];
        for (int component = 0; component < values.length; component++) {
            try {
                values[component] = decoder.value(types.get(component));
            } catch (final MalformedKeyException failure) {
                decoder.rewind(start);
                throw new MalformedKeyException(failure.position(), describe(component) + ": " + failure.problem(), failure);
            }
        }
        return values;
    }

    /**
     * Compares two tuples in the natural order of the types, which is the order of their keys.
     *
     * @param left one value for each type
     * @param right one value for each type
     * @return negative, zero or positive as {@code left} sorts before, with or after {@code right}
     * @throws IllegalArgumentException if the number or the class of the values is wrong
     */
    public int compare(final Object[] left, final Object[] right) {
        checkCount(left);
        checkCount(right);
        for (int component = 0; component < left.length; component++) {
            final int order = compare(component, left[component], right[component]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private int compare(final int component, final Object left, final Object right) {
        try {
            return compareAs(types.get(component), left, right);
        } catch (final IllegalArgumentException failure) {
            throw new IllegalArgumentException(describe(component) + ": " + failure.getMessage(), failure);
        }
    }

    private static <T> int compareAs(final KeyType<T> type, final Object left, final Object right) {
        return type.codec().compare(cast(type, left), cast(type, right));
    }

    private static <T> void append(final KeyEncoder encoder, final KeyType<T> type, final Object value) {
        encoder.value(type, cast(type, value));
    }

    private static <T> T cast(final KeyType<T> type, final Object value) {
        if (value == null && !type.acceptsNull()) {
            throw new IllegalArgumentException("expected a value but was null (take a type with nullsFirst() or nullsLast())");
        }
        if (value != null && !type.javaType().isInstance(value)) {
            throw new IllegalArgumentException("expected a value of class " + type.javaType().getSimpleName() + " but was "
                + value + " of class " + value.getClass().getSimpleName());
        }
        return type.javaType().cast(value);
    }

    private void checkCount(final Object[] values) {
        if (values == null || values.length != types.size()) {
            throw new IllegalArgumentException("expected " + types.size() + " values for " + this + " but was "
                + (values == null ? "null" : values.length));
        }
    }

    private String describe(final int component) {
        return "component " + component + " (" + types.get(component) + ")";
    }

    /**
     * Returns the names of the component types.
     *
     * @return the names in parentheses
     */
    @Override
    public String toString() {
        final StringJoiner names = new StringJoiner(", ", "(", ")");
        types.forEach(type -> names.add(type.toString()));
        return names.toString();
    }
}
