/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class JsonTest {
    @Test
    void shouldWriteEveryKindOfValue() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("long", 12345678901L);
        map.put("double", 0.5);
        map.put("yes", true);
        map.put("nothing", null);
        map.put("list", Arrays.asList(1, "two", null));
        map.put("map", Map.of("inner", 1));
        assertEquals("{\"long\":12345678901,\"double\":0.5,\"yes\":true,\"nothing\":null,"
            + "\"list\":[1,\"two\",null],\"map\":{\"inner\":1}}", Json.of(map));
        assertEquals("{}", Json.of(Map.of()));
        assertEquals("[]", Json.of(List.of()));
    }

    @Test
    void shouldWriteNumbersThatJsonDoesNotKnowAsNull() {
        assertEquals("[null,null,null]",
            Json.of(List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)));
        assertEquals("[1.0E-7,1.0E22]", Json.of(List.of(1e-7, 1e22)));
    }

    @Test
    void shouldEscapeStrings() {
        assertEquals("\"a\\\"b\\\\c\\u000a\\u0009\\u0000\\u001f /\u00fc\u20ac\"",
            Json.of("a\"b\\c\n\t\0\u001f /\u00fc\u20ac"));
        assertEquals("\"\\ud83d\\ude00 \\ud800\"", Json.of("\ud83d\ude00 \ud800"));
    }

    @Test
    void shouldBeReadBack() {
        final StringBuilder all = new StringBuilder();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            all.append((char) c);
        }
        final Map<?, ?> read = JsonReader.object(Json.of(Map.of(all.toString(), List.of(-1.5, all))));
        assertEquals(Map.of(all.toString(), List.of(-1.5, all.toString())), read);
    }

    @Test
    void shouldBeCheckedByAReaderThatIsStrict() {
        for (final String wrong : List.of("", "{", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{\"a\":01}", "{\"a\":1 \"b\":2}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":nul}",
            "{\"a\":NaN}", "{\"a\":1,\"a\":1}", "{\"a\":[1,]}")) {
            assertThrows(IllegalArgumentException.class, () -> JsonReader.object(wrong), wrong);
        }
    }
}
