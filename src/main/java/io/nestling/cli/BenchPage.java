/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.BenchmarkReport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A benchmark's report as one self-contained HTML page: a template with styles, scripts, a chart library and the JSON of the
 * run. The page's content security policy forbids it to load anything. Without scripts it shows the table of the command line.
 */
final class BenchPage {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([\\w./]+)}}");
    private static final Pattern SOURCE_MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");

    private BenchPage() {
    }

    /** Returns the page of a report. Optional parts may be missing, and numbers that are not finite become dashes. */
    static String of(final BenchmarkReport report) {
        final StringBuilder page = new StringBuilder();
        final Matcher placeholders = PLACEHOLDER.matcher(resource("page.html"));
        while (placeholders.find()) {
            placeholders.appendReplacement(page, Matcher.quoteReplacement(content(placeholders.group(1), report)));
        }
        return placeholders.appendTail(page).toString();
    }

    private static String content(final String placeholder, final BenchmarkReport report) {
        return switch (placeholder) {
            case "run" -> inScript(Json.of(BenchJson.of(report)));
            case "table" -> String.join("\n", BenchTable.lines(report)).replace("&", "&amp;").replace("<", "&lt;");
            default -> SOURCE_MAP.matcher(resource(placeholder)).replaceAll("");
        };
    }

    /** Escapes JSON so that it is also JavaScript and cannot end a script element. */
    private static String inScript(final String json) {
        return json.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
    }

    private static String resource(final String name) {
        try (InputStream in = BenchPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing on the class path, where \"mvn process-resources\" puts it");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
