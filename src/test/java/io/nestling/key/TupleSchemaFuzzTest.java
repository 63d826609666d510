/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes {@link TupleSchema}: any schema, and bytes that no encoder wrote. A tuple that it accepts must be encoded to the same
 * bytes.
 * <p>
 * Seen to fail with this fault: a marker of nulls that come last is taken in a type whose nulls come first.
 */
@Tag("robustness")
class TupleSchemaFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "tuple-schema";
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
        return KeyDecoderFuzzTest.allocationLimit(FuzzedKey.of(input));
    }

    @Override
    public String read(final byte[] input) {
        final FuzzedKey fuzzed = FuzzedKey.of(input);
        try {
            return "tuple of " + TupleSchema.of(fuzzed.types()).decode(fuzzed.key()).length;
        } catch (final MalformedKeyException e) {
            assertTrue(e.position() >= 0 && e.position() <= fuzzed.key().length, e::getMessage);
            return ReaderFuzzer.site(e);
        }
    }

    @Override
    public void compare(final byte[] input) {
        final FuzzedKey fuzzed = FuzzedKey.of(input);
        final TupleSchema schema = TupleSchema.of(fuzzed.types());
        try {
            final Object[] values = schema.decode(fuzzed.key());
            assertEquals(fuzzed.codes().length, values.length);
            assertEquals(0, schema.compare(values, values));
            if (fuzzed.key().length <= MAX_KEY_BYTES) {
                assertArrayEquals(fuzzed.key(), schema.encode(values));
            }
        } catch (final MalformedKeyException e) {
            checkDecoderStays(schema, fuzzed);
        }
    }

    /** A failure of {@code decodeFrom} leaves the decoder where it was; bytes behind the tuple are none. */
    private static void checkDecoderStays(final TupleSchema schema, final FuzzedKey fuzzed) {
        final KeyDecoder decoder = new KeyDecoder(fuzzed.key());
        final int start = Math.min(1, fuzzed.key().length);
        for (int i = 0; i < start; i++) {
            decoder.uint8();
        }
        try {
            schema.decodeFrom(decoder);
        } catch (final MalformedKeyException e) {
            assertEquals(start, decoder.position());
            assertThrows(MalformedKeyException.class, () -> schema.decodeFrom(decoder));
        }
    }
}
