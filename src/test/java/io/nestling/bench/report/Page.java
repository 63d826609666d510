/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.BenchmarkReport;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

/** A written page, as text and as a tree. */
final class Page {
    private final String text;
    private final Document document;

    private Page(final String text) {
        this.text = text;
        try {
            final DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            builder.setErrorHandler(null);
            document = builder.parse(new InputSource(new StringReader(text)));
        } catch (final Exception e) {
            throw new AssertionError("not well-formed: " + e.getMessage(), e);
        }
    }

    static Page of(final ReportFixture fixture) {
        return of(fixture.report());
    }

    static Page of(final BenchmarkReport report) {
        final StringBuilder out = new StringBuilder();
        try {
            HtmlReport.write(report, out);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        return new Page(out.toString());
    }

    /** Markup of one drawing or block, put into a page. */
    static Page of(final Markup markup) {
        return new Page(markup.page());
    }

    String text() {
        return text;
    }

    /** All elements with a name. */
    List<Element> all(final String tag) {
        return list(document.getElementsByTagName(tag));
    }

    /** All elements with a name that are inside the element with an identifier; none if that does not exist. */
    List<Element> in(final String id, final String tag) {
        final List<Element> found = new ArrayList<>();
        all("section").stream().filter(section -> section.getAttribute("id").equals(id))
            .forEach(section -> found.addAll(list(section.getElementsByTagName(tag))));
        return found;
    }

    boolean has(final String id) {
        return all("section").stream().anyMatch(section -> section.getAttribute("id").equals(id));
    }

    /** The texts of all cells of a row. */
    static List<String> cells(final Element row) {
        final List<String> cells = new ArrayList<>();
        for (int i = 0; i < row.getChildNodes().getLength(); i++) {
            if (row.getChildNodes().item(i) instanceof Element cell) {
                cells.add(cell.getTextContent());
            }
        }
        return cells;
    }

    static List<Element> list(final NodeList nodes) {
        final List<Element> list = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            list.add((Element) nodes.item(i));
        }
        return list;
    }
}
