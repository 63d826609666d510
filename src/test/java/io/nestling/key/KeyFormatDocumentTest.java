/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/formats/keys.md both ways: the bytes there are the format. */
class KeyFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("docs", "formats", "keys.md");
    private static final Pattern EXAMPLE = Pattern.compile(
        "\\| `([^`]*)` \\| `([^`]*)` \\| `([0-9A-F ]*)` \\|");
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ").withUpperCase();
    private static final List<String> SORTED = List.of("float32", "float64", "int8", "string", "uuid");
    private static final int LEAST_EXAMPLES = 2;

    @Test
    void shouldEncodeAndDecodeEveryExampleAsWritten() throws IOException {
        int examples = 0;
        for (final Matcher example : examples()) {
            final List<KeyType<?>> types = new ArrayList<>();
            for (final String name : example.group(1).split(", ")) {
                types.add(ValueText.type(name));
            }
            final String[] texts = example.group(2).split(", ");
            final TupleSchema schema = TupleSchema.of(types);
            final Object[] values = new Object[texts.length];
            for (int i = 0; i < texts.length; i++) {
                values[i] = ValueText.parse(types.get(i), texts[i]);
            }
            final byte[] key = HEX.parseHex(example.group(3));
            assertEquals(example.group(3), HEX.formatHex(schema.encode(values)), example.group());
            final Object[] decoded = schema.decode(key);
            for (int i = 0; i < values.length; i++) {
                assertTrue(TypeSamples.same(values[i], decoded[i]), example.group());
            }
            examples++;
        }
        assertTrue(examples > 70, "found only " + examples + " examples");
    }

    @Test
    void shouldListTheExamplesOfATypeInItsOrder() throws IOException {
        final Map<String, byte[]> last = new HashMap<>();
        for (final Matcher example : examples()) {
            final byte[] key = HEX.parseHex(example.group(3));
            final byte[] before = last.put(example.group(1), key);
            if (before != null && SORTED.contains(example.group(1))) {
                assertTrue(ByteComparison.compare(before, key) < 0, example.group());
            }
        }
    }

    @Test
    void shouldHaveExamplesOfEveryType() throws IOException {
        final Map<String, Integer> counts = new HashMap<>();
        for (final Matcher example : examples()) {
            counts.merge(example.group(1), 1, Integer::sum);
        }
        for (final TypeSample<?> sample : TypeSamples.all()) {
            assertTrue(counts.getOrDefault(sample.toString(), 0) >= LEAST_EXAMPLES,
                sample + " needs examples");
        }
        for (final String combined : List.of("int32 nulls first", "int32 nulls last", "string descending")) {
            assertTrue(counts.containsKey(combined), combined + " needs examples");
        }
    }

    /** These two stand here too, so that the form of the document cannot hide a change of the format. */
    @Test
    void shouldEncodeTheOverviewExample() {
        assertArrayEquals(
            HEX.parseHex("80 00 00 00 00 00 00 05 78 00 00"),
            new KeyEncoder().int64(5).string("x").toBytes());
        assertArrayEquals(HEX.parseHex("61 00 01 62 00 00"),
            KeyType.BYTES.encode(new byte[] {0x61, 0, 0x62}));
    }

    @Test
    void shouldEncodeLongMagnitudesWithALengthOfTheirOwn() {
        final BigInteger big = BigInteger.ONE.shiftLeft(125 * 8);
        final String zeros = " 00".repeat(125);
        assertEquals("FE 00 7E 01" + zeros, HEX.formatHex(KeyType.BIG_INTEGER.encode(big)));
        assertEquals("01 FF 81 FE" + zeros.replace("00", "FF"),
            HEX.formatHex(KeyType.BIG_INTEGER.encode(big.negate())));
        assertEquals("FD" + " FF".repeat(125),
            HEX.formatHex(KeyType.BIG_INTEGER.encode(big.subtract(BigInteger.ONE))));
    }

    private static List<Matcher> examples() throws IOException {
        final List<Matcher> examples = new ArrayList<>();
        boolean reached = false;
        for (final String line : Files.readAllLines(DOCUMENT)) {
            reached |= line.equals("## Examples");
            if (reached && line.startsWith("| `")) {
                final Matcher matcher = EXAMPLE.matcher(line);
                assertTrue(matcher.matches(), "not an example: " + line);
                examples.add(matcher);
            }
        }
        return examples;
    }
}
