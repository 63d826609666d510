/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.LatencyPercentiles;
import io.nestling.bench.MachineModel;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class HtmlReportTest {
    private static final String NAMESPACE = "http://www.w3.org/2000/svg";
    private static final Pattern BAD_NUMBER = Pattern.compile("\\b(NaN|Infinity|null|undefined)\\b");

    @Test
    void shouldHoldEverySectionOfAFullRun() {
        final Page page = Page.of(ReportFixture.full());
        assertEquals(List.of("glance", "reading", "throughput", "space", "scaling", "latency", "limit", "numbers", "subjects",
            "machine"), page.all("section").stream().map(section -> section.getAttribute("id")).toList());
        for (final Element link : page.all("a")) {
            assertTrue(page.has(link.getAttribute("href").substring(1)), link.getAttribute("href"));
        }
        assertEquals("Nestling benchmark, rand-8, 1 M keys, 3 M keys, baseline cassandra_trie",
            page.all("title").get(0).getTextContent());
    }

    @Test
    void shouldReferToNothingOutsideThePage() {
        final Page page = Page.of(ReportFixture.full());
        final String text = page.text().replace("xmlns=\"" + NAMESPACE + "\"", "");
        for (final String forbidden : List.of("http://", "https://", "url(", "@import", "src=", "<link", "<img", "<iframe")) {
            assertFalse(text.contains(forbidden), forbidden);
        }
        assertTrue(page.text().contains("default-src &#39;none&#39;"));
        assertTrue(page.text().chars().allMatch(c -> c == '\n' || c >= ' ' && c <= '~'));
    }

    @Test
    void shouldShowAllNumbersOfEveryResult() {
        final BenchmarkReport report = ReportFixture.full().report();
        final Page page = Page.of(report);
        final List<Element> rows = page.in("numbers", "tr");
        assertEquals(report.results().size() + 1, rows.size());
        for (int i = 0; i < report.results().size(); i++) {
            final Result result = report.results().get(i);
            final Spread spread = result.opsPerSecond();
            final double ratio = result.ratioToBaseline().orElseThrow();
            final List<String> cells = Page.cells(rows.get(i + 1));
            assertEquals(List.of(result.subject(), result.workload(), result.dataset(), Quantity.exact(result.keys()), "1",
                RateUnit.MILLION.format(spread.median()), RateUnit.MILLION.format(spread.min()),
                RateUnit.MILLION.format(spread.max())),
                cells.subList(0, 8));
            assertTrue(cells.get(8).endsWith(Quantity.ratio(ratio)), cells.toString());
            assertEquals(List.of(Quantity.number(1e9 / spread.median()), Quantity.number(result.roundTrips().orElseThrow()),
                Quantity.bytesPerKey(result.indexBytesPerKey()), Quantity.bytesPerKey(result.totalBytesPerKey()),
                Long.toHexString(result.checksum())), cells.subList(9, 14));
        }
    }

    @Test
    void shouldDrawOneBarForEachResultOfAWorkload() {
        final Page page = Page.of(ReportFixture.full());
        final long bars = page.in("throughput", "rect").stream().filter(bar -> bar.getAttribute("class").equals("bar")).count();
        assertEquals(ReportFixture.full().report().results().size(), bars);
        final double shortest = width(page, 0);
        assertTrue(shortest > 0 && shortest < width(page, 1) && width(page, 1) < width(page, 2), "bars grow with the numbers");
        assertTrue(page.in("throughput", "line").stream().anyMatch(line -> line.getAttribute("class").equals("whisker")));
    }

    private static double width(final Page page, final int bar) {
        return Double.parseDouble(page.in("throughput", "rect").get(bar).getAttribute("width"));
    }

    @Test
    void shouldShowLatencyModelMachineAndCommand() {
        final Page page = Page.of(ReportFixture.full());
        final String latency = text(page, "latency");
        for (final String number : List.of("284", "410", "1,012", "9,004", "1,234,504")) {
            assertTrue(latency.contains(number), number);
        }
        final String limit = text(page, "limit");
        for (final String number : List.of("285 ns", "432 ns", "1.27", "84.6 M", "612")) {
            assertTrue(limit.contains(number), number);
        }
        final String machine = text(page, "machine");
        for (final String fact : List.of("Some Processor 9000", "24.0 GiB", "-Xmx4g, -Xss1m",
            "bin/nestling bench --peers --html report.html")) {
            assertTrue(machine.contains(fact), fact);
        }
        assertTrue(text(page, "subjects").contains("configuration of cuckoo_trie"));
    }

    @Test
    void shouldNameEveryChartInWords() {
        final Page page = Page.of(ReportFixture.full());
        final Set<String> ids = new HashSet<>();
        for (final Element svg : page.all("svg")) {
            if (svg.getAttribute("aria-hidden").equals("true")) {
                continue;
            }
            for (final String id : svg.getAttribute("aria-labelledby").split(" ")) {
                assertTrue(ids.add(id), "once: " + id);
            }
            assertFalse(svg.getElementsByTagName("title").item(0).getTextContent().isBlank());
            assertFalse(svg.getElementsByTagName("desc").item(0).getTextContent().isBlank());
        }
        assertTrue(ids.size() >= 2 * (6 + 6 + 3 + 2 + 1 + 4), "charts: " + ids.size() / 2);
    }

    @Test
    void shouldEscapeNamesAndTextsOfAnyKind() {
        final String evil = "<script>alert('x')</script>&\"\u0001\ud83d";
        final Page page = Page.of(new ReportFixture().subject(evil, true).baseline(evil).fact(evil, evil).fact("command", evil)
            .add(new Result(evil, evil, evil, 5, 2, new Spread(1e6, 9e5, 2e6), 1, 2, Optional.of(1.0), Optional.of(2.0),
                Optional.of(ReportFixture.latency(0)), 3)));
        assertEquals(1, page.all("script").size());
        assertTrue(text(page, "machine").contains("<script>alert('x')</script>&\"\ufffd\ufffd"));
    }

    @Test
    void shouldLeaveOutWhatARunDoesNotHave() {
        final Page page = Page.of(new ReportFixture().add(ReportFixture.result("trie", "load", 1.5e6)));
        assertEquals(List.of("glance", "reading", "throughput", "space", "numbers", "subjects"),
            page.all("section").stream().map(section -> section.getAttribute("id")).toList());
        assertTrue(text(page, "glance").contains("nothing was compared"));
        assertFalse(text(page, "throughput").contains("\u00d7"));
    }

    @Test
    void shouldNotCompareASubjectWithItself() {
        final Page page = Page.of(new ReportFixture().baseline("base").add(compared("base", 100, 90, 110)));
        assertFalse(text(page, "glance").contains("1.00\u00d7"));
        assertFalse(text(page, "throughput").contains("times the baseline"));
    }

    @Test
    void shouldNameFactsInWords() {
        final String machine = text(Page.of(new ReportFixture().fact("hugePagesOfKernel", "madvise").fact("heapBytes", 3L << 30)
            .fact("glibcTunables", "").fact("l3_cache", Map.of("sizeBytes", 1L << 25)).fact("hugePages", true)
            .fact("bytes", 17).fact("nothing", null)), "machine");
        for (final String fact : List.of("huge pages of kernelmadvise", "heap3.00 GiB", "l3 cachesize 32.0 MiB", "huge pagesyes",
            "bytes17 bytes", "nothing" + Quantity.ABSENT)) {
            assertTrue(machine.contains(fact), fact + " in " + machine);
        }
        assertFalse(machine.contains("tunables"), machine);
    }

    @Test
    void shouldSayThatThereAreNoResults() {
        final Page page = Page.of(new BenchmarkReport(Map.of(), Optional.empty(), Optional.of("gone"), List.of(), List.of()));
        assertTrue(page.all("p").stream().anyMatch(p -> p.getTextContent().equals("This run has no results.")));
        assertFalse(page.has("glance") || page.has("machine") || page.has("limit"));
    }

    @Test
    void shouldShowDashesForWhatIsNotANumber() {
        final double none = Double.NaN;
        final Page page = Page.of(new ReportFixture().subject("a", false).subject("b", false).baseline("b")
            .model(new MachineModel(List.of(), List.of(), none))
            .add(new Result("a", "d", "c", 0, 0, new Spread(none, none, none), none, none, Optional.of(none),
                Optional.of(Double.POSITIVE_INFINITY), Optional.of(new LatencyPercentiles(0, 0, 0, 0, 0)), -1))
            .add(new Result("b", "d", "c", 0, 0, new Spread(0, 0, 0), 0, 0, Optional.of(0.0), Optional.of(0.0),
                Optional.empty(), 0)));
        assertFalse(BAD_NUMBER.matcher(withoutScript(page)).find(), () -> found(BAD_NUMBER, page));
        assertTrue(Page.cells(page.in("numbers", "tr").get(1)).containsAll(List.of(Quantity.ABSENT, "ffffffffffffffff")));
        assertTrue(text(page, "limit").contains("no numbers"));
    }

    @Test
    void shouldCopeWithHugeAndTinyNumbersAndManyOfThem() {
        final ReportFixture report = new ReportFixture().baseline("subject_0").model();
        for (int workload = 0; workload < 20; workload++) {
            for (int subject = 0; subject < 12; subject++) {
                final double median = Math.pow(10, 3.0 * subject * (workload % 9) - 20);
                final Spread spread = new Spread(median, median / 1e9, median * 1e9);
                report.add(new Result("subject_" + subject, "/some/very/long/path/".repeat(8) + "keys.txt",
                    "workload_" + workload, Integer.MAX_VALUE, 64, spread, median, median * 3, Optional.of(median),
                    Optional.of(median), Optional.of(new LatencyPercentiles(1, 2, 3, 4, Long.MAX_VALUE)), Long.MIN_VALUE));
            }
        }
        final Page page = Page.of(report);
        assertFalse(BAD_NUMBER.matcher(withoutScript(page)).find(), () -> found(BAD_NUMBER, page));
        for (final Element text : page.all("text")) {
            final double x = Double.parseDouble(text.getAttribute("x"));
            assertTrue(x >= 0 && x <= Panel.WIDTH + 1, x + " " + text.getTextContent());
        }
        for (final Element bar : page.all("rect")) {
            final double end = Double.parseDouble(bar.getAttribute("x")) + Double.parseDouble(bar.getAttribute("width"));
            assertTrue(end <= Panel.WIDTH, "bar ends at " + end);
        }
    }

    @Test
    void shouldDrawScalingForEachKindOfSweep() {
        final ReportFixture report = new ReportFixture();
        for (final int threads : new int[] {1, 2}) {
            for (final int keys : new int[] {1_000, 10_000}) {
                report.add(new Result("trie", "az", "c", keys, threads, new Spread(keys * threads, keys, keys * 3.0), 1, 2,
                    Optional.empty(), Optional.empty(), Optional.empty(), 0));
            }
        }
        final Page page = Page.of(report);
        final Set<String> headings = new TreeSet<>(page.in("scaling", "h3").stream().map(Element::getTextContent).toList());
        assertEquals(new TreeSet<>(Set.of("By number of keys: az \u00b7 1 thread", "By number of keys: az \u00b7 2 threads",
            "By number of threads: az \u00b7 1 k keys", "By number of threads: az \u00b7 10 k keys")), headings);
        assertEquals(4, page.in("scaling", "figure").size());
    }

    @Test
    void shouldFoldSettingsOnlyIfThereAreSeveral() {
        assertEquals(0, Page.of(new ReportFixture().add(ReportFixture.result("trie", "c", 1))).in("glance", "details").size());
        final List<Element> blocks = Page.of(ReportFixture.full()).in("glance", "details");
        assertEquals(2, blocks.size());
        assertTrue(blocks.stream().allMatch(block -> block.hasAttribute("open")));
    }

    @Test
    void shouldMarkRatiosThatTheRoundsDoNotBear() {
        final Page page = Page.of(new ReportFixture().baseline("base").add(compared("base", 100, 90, 110))
            .add(compared("near", 105, 95, 120)).add(compared("far", 250, 240, 260)));
        final String glance = text(page, "glance");
        assertTrue(glance.contains("\u22481.05\u00d7"), glance);
        assertTrue(glance.contains("2.50\u00d7") && !glance.contains("\u22482.50\u00d7"), glance);
    }

    private static Result compared(final String subject, final double median, final double min, final double max) {
        return new Result(subject, "d", "c", 1, 1, new Spread(median, min, max), 1, 1, Optional.of(median / 100),
            Optional.empty(), Optional.empty(), 0);
    }

    @Test
    void writeThrowsWhatTheDestinationThrows() {
        final Appendable full = new Appendable() {
            @Override
            public Appendable append(final CharSequence text) throws IOException {
                throw new IOException("disk full");
            }

            @Override
            public Appendable append(final CharSequence text, final int start, final int end) throws IOException {
                return append(text);
            }

            @Override
            public Appendable append(final char c) throws IOException {
                return append("");
            }
        };
        final BenchmarkReport report = ReportFixture.full().report();
        assertEquals("disk full", assertThrows(IOException.class, () -> HtmlReport.write(report, full)).getMessage());
        assertThrows(NullPointerException.class, () -> HtmlReport.write(null, new StringBuilder()));
    }

    private static String text(final Page page, final String section) {
        return page.all("section").stream().filter(element -> element.getAttribute("id").equals(section))
            .map(Element::getTextContent).findFirst().orElseThrow();
    }

    private static String withoutScript(final Page page) {
        return page.text().substring(0, page.text().indexOf("<script>"));
    }

    private static String found(final Pattern pattern, final Page page) {
        final Matcher matcher = pattern.matcher(withoutScript(page));
        return matcher.find() ? page.text().substring(Math.max(0, matcher.start() - 200), matcher.end() + 20) : "";
    }
}
