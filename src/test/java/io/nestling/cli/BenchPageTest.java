/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the page consists of; what it shows is tested in a browser. */
class BenchPageTest {
    private static final Pattern RUN = Pattern.compile("(?s)<script type=\"application/json\" id=\"run\">(.*?)</script>");
    private static final String EVIL = "</script><script>alert('x')</script><!--&\"\u0001\u2028\u2029\ud83d{{page.css}}$1\\";

    private static String page(final ReportFixture report) {
        return BenchPage.of(report.report());
    }

    private static String run(final String page) {
        final Matcher matcher = RUN.matcher(page);
        assertTrue(matcher.find());
        return matcher.group(1);
    }

    @Test
    void shouldHoldTheJsonOfTheRun() {
        final BenchmarkReport report = ReportFixture.full().report();
        assertEquals(JsonReader.object(Json.of(BenchJson.of(report))), JsonReader.object(run(BenchPage.of(report))));
    }

    @Test
    void shouldEscapeNamesAndTextsOfAnyKind() {
        final Result result = new Result(EVIL, EVIL, EVIL, 5, 2, new Spread(1e6, 9e5, 2e6), 1, 2, Optional.of(1.0),
            Optional.of(2.0), Optional.of(ReportFixture.latency(0)), Optional.of(3L));
        final String page = page(new ReportFixture().subject(EVIL, true).baseline(EVIL).fact(EVIL, EVIL).add(result));
        assertEquals(count("</script>", page(ReportFixture.full())), count("</script>", page));
        for (final String forbidden : List.of("<script>alert", "\u2028", "\u2029", "<!--&")) {
            assertFalse(run(page).contains(forbidden), forbidden);
            assertFalse(page.contains("<script>alert"), forbidden);
        }
        final Map<?, ?> read = (Map<?, ?>) ((List<?>) JsonReader.object(run(page)).get("results")).get(0);
        assertEquals(EVIL, read.get("subject"));
    }

    private static int count(final String part, final String whole) {
        return whole.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void shouldLoadNothing() {
        final String page = page(ReportFixture.full());
        assertTrue(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\""));
        for (final String forbidden : List.of(" src=", "url(", "@import", "<link", "<img", "<iframe", "sourceMappingURL",
                "fetch(", "XMLHttpRequest", "href=\"h", "{{")) {
            assertFalse(page.contains(forbidden), forbidden);
        }
    }

    @Test
    void shouldHoldTheLibraryWithItsLicence() {
        final String page = page(ReportFixture.full());
        for (final String part : List.of("Chart.js v", "The MIT License (MIT)", "Chart.js Contributors",
                "The above copyright notice and this permission notice shall be included in all copies")) {
            assertTrue(page.contains(part), part);
        }
    }

    @Test
    void shouldShowATableWithoutScripts() {
        final BenchmarkReport report = ReportFixture.full().report();
        final String page = BenchPage.of(report);
        final String without = page.substring(page.indexOf("<noscript>"), page.indexOf("</noscript>"));
        assertTrue(without.contains("The charts need scripts"));
        for (final String line : BenchTable.lines(report)) {
            assertTrue(without.contains(line), line);
        }
        assertTrue(page.contains("<main hidden>"));
    }
}
