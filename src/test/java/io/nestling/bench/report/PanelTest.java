/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

import java.util.List;

class PanelTest {
    @Test
    void shouldNameAndDescribeTheDrawing() {
        final Page page = draw(panel -> panel.line(0, 0, 10, 10.26, "grid"));
        final Element svg = page.all("svg").get(0);
        final String[] ids = svg.getAttribute("aria-labelledby").split(" ");
        assertEquals("img", svg.getAttribute("role"));
        assertEquals("a < title", svg.getElementsByTagName("title").item(0).getTextContent());
        assertEquals("in words", svg.getElementsByTagName("desc").item(0).getTextContent());
        assertEquals(ids[0], ((Element) svg.getElementsByTagName("title").item(0)).getAttribute("id"));
        assertEquals(ids[1], ((Element) svg.getElementsByTagName("desc").item(0)).getAttribute("id"));
        assertEquals("10.3", page.all("line").get(0).getAttribute("y2"));
    }

    @Test
    void shouldShortenTextInTheMiddle() {
        assertEquals("trie", Panel.fit("trie", 100));
        final String fitted = Panel.fit("a_subject_with_an_exceedingly_long_name", 100);
        assertTrue(fitted.startsWith("a_sub") && fitted.endsWith("name") && fitted.contains("\u2026"), fitted);
        assertTrue(Panel.textWidth(fitted) <= 100);
        assertEquals("\u2026", Panel.fit("wide", 1));
    }

    @Test
    void shouldLeaveOutTickLabelsThatWouldOverlap() {
        final double[] close = {0, 25, 50, 75, 100};
        final double[] wide = {0, 60, 120, 180, 240};
        final String[] texts = {"100 ns", "1 \u00b5s", "10 \u00b5s", "100 \u00b5s", "1 ms"};
        assertEquals(List.of(texts), labels(wide, texts));
        final List<String> kept = labels(close, texts);
        assertEquals(List.of("100 ns", "10 \u00b5s", "1 ms"), kept);
        assertEquals(List.of(), labels(new double[0], new String[0]));
    }

    private static List<String> labels(final double[] xs, final String[] texts) {
        return draw(panel -> panel.tickLabels(xs, 10, texts)).all("text").stream().map(Element::getTextContent).toList();
    }

    private interface Drawing {
        void on(Panel panel);
    }

    private static Page draw(final Drawing drawing) {
        final Markup out = new Markup();
        try (Panel panel = new Panel(out, 100, "a < title", "in words")) {
            drawing.on(panel);
        }
        return Page.of(out);
    }
}
