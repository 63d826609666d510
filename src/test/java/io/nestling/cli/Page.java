/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

/** A page as a browser shows it, after its scripts have run. */
final class Page {
    private final Document document;

    /** Reads the XML form of a page. */
    Page(final String xml) {
        try {
            final DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            builder.setErrorHandler(null);
            document = builder.parse(new InputSource(new StringReader(xml)));
        } catch (final Exception e) {
            throw new AssertionError("not well-formed: " + e.getMessage(), e);
        }
    }

    /** All elements with a name. */
    List<Element> all(final String tag) {
        return list(document.getElementsByTagName(tag));
    }

    /** All elements with a name in the section with an identifier; none if there is no such section. */
    List<Element> in(final String id, final String tag) {
        final List<Element> found = new ArrayList<>();
        all("section").stream().filter(section -> section.getAttribute("id").equals(id))
            .forEach(section -> found.addAll(list(section.getElementsByTagName(tag))));
        return found;
    }

    /** Identifiers of all sections. */
    List<String> sections() {
        return all("section").stream().map(section -> section.getAttribute("id")).toList();
    }

    /** Whole text of a section. */
    String text(final String id) {
        return all("section").stream().filter(section -> section.getAttribute("id").equals(id)).map(Element::getTextContent)
            .findFirst().orElseThrow();
    }

    /** Whole text of what the page shows. */
    String text() {
        return all("header").get(0).getTextContent() + all("main").get(0).getTextContent();
    }

    /** The numbers that each chart of a section was given, as JSON. */
    List<String> charts(final String id) {
        return in(id, "canvas").stream().map(canvas -> canvas.getAttribute("data-values")).toList();
    }

    /** The cells of a row. */
    static List<Element> cells(final Element row) {
        final List<Element> cells = new ArrayList<>();
        for (int i = 0; i < row.getChildNodes().getLength(); i++) {
            if (row.getChildNodes().item(i) instanceof Element cell) {
                cells.add(cell);
            }
        }
        return cells;
    }

    private static List<Element> list(final NodeList nodes) {
        final List<Element> list = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            list.add((Element) nodes.item(i));
        }
        return list;
    }
}
