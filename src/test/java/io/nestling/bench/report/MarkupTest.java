/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MarkupTest {
    private static final String START = "<!DOCTYPE html>\n";

    @Test
    void shouldEscapeTextAndAttributes() {
        final Markup out = new Markup().open("p", "title", "a<\"b\">&'c'").text("1 < 2 && \"x\" > 'y'").close();
        assertEquals(START + "<p title=\"a&lt;&quot;b&quot;&gt;&amp;&#39;c&#39;\">"
            + "1 &lt; 2 &amp;&amp; &quot;x&quot; &gt; &#39;y&#39;</p>", out.page());
    }

    @Test
    void shouldWriteOnlyAscii() {
        final String page = new Markup().element("p", "\u00b5s \u2248 \ud83d\ude00").page();
        assertEquals(START + "<p>&#181;s &#8776; &#128512;</p>", page);
    }

    @Test
    void shouldReplaceWhatXmlDoesNotAllow() {
        final String page = new Markup().element("p", "a\u0000b\u001bc\ud800d\uffffe\u0085f\tg\nh").page();
        assertEquals(START + "<p>a&#65533;b&#65533;c&#65533;d&#65533;e&#65533;f\tg\nh</p>", page);
        assertEquals("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\tg\nh",
            Page.of(new Markup().element("p", "a\u0000b\u001bc\ud800d\uffffe\u0085f\tg\nh")).all("p").get(0).getTextContent());
    }

    @Test
    void shouldLeaveOutAttributesWithoutValue() {
        assertEquals(START + "<br id=\"x\"/>", new Markup().empty("br", "class", null, "id", "x").page());
    }

    @Test
    void pageThrowsIllegalStateExceptionWhenAnElementIsOpen() {
        final Markup out = new Markup().open("div").open("p").close();
        assertTrue(assertThrows(IllegalStateException.class, out::page).getMessage().contains("div"));
        out.close();
        assertThrows(IllegalStateException.class, out::close);
    }

    @Test
    void verbatimThrowsIllegalArgumentExceptionWhenTextNeedsEscaping() {
        for (final String text : new String[] {"a < b", "a && b", "\u00e9", "]]>", "\u0007"}) {
            assertThrows(IllegalArgumentException.class, () -> new Markup().verbatim(text), text);
        }
        assertEquals(START + "a > b { }\n", new Markup().verbatim("a > b { }\n").page());
    }

    @Test
    void shouldNeverRepeatAnId() {
        final Markup out = new Markup();
        assertNotEquals(out.newId("c"), out.newId("c"));
    }
}
