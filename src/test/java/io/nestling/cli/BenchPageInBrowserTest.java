/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.LatencyPercentiles;
import io.nestling.bench.MachineModel;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import javax.imageio.ImageIO;

/** What the page shows, in a browser; left out where there is none. */
class BenchPageInBrowserTest {
    private static final Pattern BAD_NUMBER = Pattern.compile("\\b(NaN|Infinity|null|undefined)\\b");
    private static final String ABSENT = "\u2013";
    private static final String EVIL = "<script>alert('x')</script>&\"\u0001\ud83d";

    /* Functions of the page, and what they should give. */
    private static final String[][] NUMBERS = {
        {"number(0)", "0"}, {"number(1)", "1.00"}, {"number(1.5)", "1.50"}, {"number(9.999)", "10.0"}, {"number(12.345)", "12.3"},
        {"number(99.96)", "100"}, {"number(999.4)", "999"}, {"number(999.5)", "1,000"}, {"number(1234567)", "1,234,567"},
        {"number(0.0961)", "0.0961"}, {"number(0.1)", "0.100"}, {"number(0.00123)", "0.00123"}, {"number(0.00012)", "1.2e-4"},
        {"number(2e15)", "2.0e+15"}, {"number(-3.14159)", "-3.14"}, {"number(NaN)", ABSENT}, {"number(Infinity)", ABSENT},
        {"number(null)", ABSENT},
        {"rate(0)", "0 /s"}, {"rate(12.5)", "12.5 /s"}, {"rate(999.7)", "1.00 k/s"}, {"rate(834000)", "834 k/s"},
        {"rate(1234567)", "1.23 M/s"}, {"rate(84.6e6)", "84.6 M/s"}, {"rate(2e9)", "2.00 G/s"}, {"rate(5e17)", "500,000 T/s"},
        {"rate(NaN)", ABSENT},
        {"nanos(0)", "0 ns"}, {"nanos(285)", "285 ns"}, {"nanos(1234)", "1.23 \u00b5s"}, {"nanos(4500000)", "4.50 ms"},
        {"nanos(2e9)", "2.00 s"}, {"nanos(9.2e18)", "9,200,000,000 s"}, {"nanos(null)", ABSENT},
        {"times(1)", "1.00\u00d7"}, {"times(2.314)", "2.31\u00d7"}, {"times(0.0956)", "0.096\u00d7"},
        {"times(13.62)", "13.6\u00d7"},
        {"times(1446412)", "1.45 M\u00d7"}, {"times(0)", "0\u00d7"}, {"times(null)", ABSENT}, {"times(Infinity)", ABSENT},
        {"compact(1)", "1"}, {"compact(1000)", "1 k"}, {"compact(300000)", "300 k"}, {"compact(1050000)", "1.05 M"},
        {"compact(30000000)", "30 M"}, {"compact(2147483647)", "2.15 G"}, {"compact(100)", "100"},
        {"trimmed(number(0.5))", "0.5"}, {"trimmed(number(10))", "10"}, {"trimmed(number(1500))", "1,500"},
        {"trimmed(number(0.0001))", "1e-4"}, {"counted(1, 'thread')", "1 thread"}, {"counted(1e7, 'key')", "10 M keys"},
        {"perKey(46.25001)", "46.3"}, {"perKey(null)", ABSENT}, {"memory(25276510208)", "23.5 GiB"},
        {"memory(536870912)", "512 MiB"},
        {"memory(1000)", "1,000 bytes"}, {"String([0, -1, NaN, Infinity, null].map(present))", "true,false,false,false,false"},
        {"unit(5e6).format(1234567) + unit(5e6).symbol", "1.23M/s"}, {"unit(1e5).format(90000) + unit(1e5).symbol", "0.0900M/s"},
        {"unit(99999).format(50000) + unit(99999).symbol", "50.0k/s"}, {"unit(99).format(50) + unit(99).symbol", "50.0/s"},
        {"unit(NaN).format(NaN) + unit(NaN).symbol", ABSENT + "/s"},
        {"String(logarithmic(0.9, 35).ticks)", "1,2,5,10,20"},
        {"String(logarithmic(90, 50000).ticks)", "100,300,1000,3000,10000,30000"},
        {"String(logarithmic(90, 2e7).ticks)", "100,1000,10000,100000,1000000,10000000"},
        {"fit('a_subject_with_an_exceedingly_long_name')", "a_subject_w\u2026ong_name"}, {"fit('trie')", "trie"},
        {"String(new Set([...Array(20).keys()].map(i => i % COLOURS + '/' + shape(i))).size)", "20"},
        {"String(new Set([...Array(20).keys()].map(shape)).size)", "7"},
    };

    /* Draws all charts once more, and counts whiskers of bars, whiskers of lines, and rows with strokes at percentiles. */
    private static final String STROKES = """
        (() => {
            const count = [0, 0, 0], before = lines;
            lines = (ctx, colour, width, segments) => {
                if (segments.length === 3) {
                    count[width === 2 ? 2 : colour.startsWith(css("ink")) ? 0 : 1]++;
                }
                before(ctx, colour, width, segments);
            };
            draw();
            return String(count);
        })()""";

    @TempDir
    private static Path directory;
    private static Chromium browser;
    private static Map<String, Page> pages;

    @BeforeAll
    static void open() throws Exception {
        browser = Chromium.find(directory);
        final Map<String, String> texts = new LinkedHashMap<>();
        reports().forEach((name, report) -> texts.put(name, BenchPage.of(report)));
        final List<String> expressions = new ArrayList<>();
        for (final String[] number : NUMBERS) {
            expressions.add(number[0].replace("unit(", "((most) => rateUnit([{opsPerSecond: {median: most}}]))("));
        }
        expressions.add(STROKES);
        pages = browser.open(texts, expressions.toArray(String[]::new));
        assertEquals(texts.keySet(), pages.keySet());
    }

    private static Map<String, BenchmarkReport> reports() {
        final Map<String, BenchmarkReport> reports = new LinkedHashMap<>();
        reports.put("full", ReportFixture.full().report());
        reports.put("evil", new ReportFixture().subject(EVIL, true).baseline(EVIL).fact(EVIL, EVIL).fact("command", EVIL)
            .add(new Result(EVIL, EVIL, EVIL, 5, 2, new Spread(1e6, 9e5, 2e6), 1, 2, Optional.of(1.0), Optional.of(2.0),
                Optional.of(ReportFixture.latency(0)), Optional.of(3L))).report());
        reports.put("small", new ReportFixture().add(ReportFixture.result("stray", "load", 1.5e6)).report());
        reports.put("alone", new ReportFixture().baseline("base").add(compared("base", 100, 90, 110)).report());
        reports.put("facts", new ReportFixture().fact("hugePagesOfKernel", "madvise").fact("heapBytes", 3L << 30)
            .fact("glibcTunables", "").fact("l3_cache", Map.of("sizeBytes", 1L << 25)).fact("hugePages", true)
            .fact("bytes", 17).fact("nothing", null).report());
        reports.put("empty", new BenchmarkReport(Map.of(), Optional.empty(), Optional.of("gone"), List.of(), List.of()));
        reports.put("absent", absent().report());
        reports.put("many", many().report());
        final ReportFixture sweeps = new ReportFixture();
        for (final int threads : new int[] {1, 2}) {
            for (final int keys : new int[] {1_000, 10_000}) {
                sweeps.add(new Result("trie", "az", "c", keys, threads, new Spread(keys * threads, keys, keys * 3.0), 1, 2,
                    Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(0L)));
            }
        }
        reports.put("sweeps", sweeps.report());
        reports.put("overlap", new ReportFixture().baseline("base").add(compared("base", 100, 90, 110))
            .add(compared("near", 105, 95, 120)).add(compared("far", 250, 240, 260)).report());
        reports.put("files", new ReportFixture().add(ofDataset("/data/a/keys.txt")).add(ofDataset("/data/b/keys.txt"))
            .add(ofDataset("/data/c/others.txt")).add(ofDataset("/data/d/")).report());
        return reports;
    }

    private static ReportFixture absent() {
        final double none = Double.NaN;
        return new ReportFixture().subject("a", false).subject("b", false).baseline("b")
            .model(new MachineModel(List.of(), List.of(), none))
            .add(new Result("a", "d", "c", 0, 0, new Spread(none, none, none), none, none, Optional.of(none),
                Optional.of(Double.POSITIVE_INFINITY), Optional.of(new LatencyPercentiles(0, 0, 0, 0, 0)), Optional.of(-1L)))
            .add(new Result("b", "d", "c", 0, 0, new Spread(0, 0, 0), 0, 0, Optional.of(0.0), Optional.of(0.0),
                Optional.empty(), Optional.of(0L)))
            .add(new Result("a", "d", "load", 0, 0, new Spread(1, 1, 1), 20, 44, Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.of(0L)));
    }

    private static ReportFixture many() {
        final ReportFixture report = new ReportFixture().baseline("subject_0").model();
        for (int workload = 0; workload < 20; workload++) {
            for (int subject = 0; subject < 12; subject++) {
                final double median = Math.pow(10, 3.0 * subject * (workload % 9) - 20);
                final Spread spread = new Spread(median, median / 1e9, median * 1e9);
                report.add(new Result("subject_" + subject, "/some/very/long/path/".repeat(8) + "keys.txt",
                    "workload_" + workload, Integer.MAX_VALUE, 64, spread, median, median * 3, Optional.of(median),
                    Optional.of(median), Optional.of(new LatencyPercentiles(1, 2, 3, 4, Long.MAX_VALUE)),
                    Optional.of(Long.MIN_VALUE)));
            }
        }
        return report;
    }

    private static Result compared(final String subject, final double median, final double min, final double max) {
        return new Result(subject, "d", "c", 1, 1, new Spread(median, min, max), 1, 1, Optional.of(median / 100),
            Optional.empty(), Optional.empty(), Optional.of(0L));
    }

    private static Result ofDataset(final String dataset) {
        return new Result("trie", dataset, "c", 1, 1, new Spread(1, 1, 1), 1, 1, Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.of(0L));
    }

    @Test
    void shouldHoldEverySectionOfAFullRun() {
        final Page page = pages.get("full");
        final List<String> sections = List.of("glance", "reading", "throughput", "space", "scaling", "latency", "limit",
            "numbers", "subjects", "machine");
        assertEquals(sections, page.sections());
        assertEquals(sections, page.all("a").stream().map(link -> link.getAttribute("href").substring(1)).toList());
        assertEquals("Nestling benchmark, rand-8, 1 M keys, 3 M keys, baseline cassandra_trie",
            page.all("title").get(0).getTextContent());
        for (final String subject : List.of("trie", "cuckoo_trie", "cassandra_trie peer (baseline)")) {
            assertTrue(page.all("li").stream().anyMatch(item -> item.getTextContent().equals(subject)), subject);
        }
        assertTrue(page.text("limit").contains("Below: time per operation"));
    }

    @Test
    void shouldLoadNothing() {
        pages.forEach((name, page) -> assertEquals("0", page.all("html").get(0).getAttribute("data-loaded"), name));
    }

    @Test
    void shouldShowAllNumbersOfEveryResult() {
        final BenchmarkReport report = ReportFixture.full().report();
        final List<Element> rows = pages.get("full").in("numbers", "tr");
        assertEquals(report.results().size() + 1, rows.size());
        final List<?> json = (List<?>) JsonReader.object(Json.of(BenchJson.of(report))).get("results");
        for (int i = 0; i < json.size(); i++) {
            final Map<?, ?> result = (Map<?, ?>) json.get(i);
            final Map<?, ?> spread = (Map<?, ?>) result.get("opsPerSecond");
            final List<Element> cells = Page.cells(rows.get(i + 1));
            assertEquals(List.of(result.get("subject"), result.get("workload"), result.get("dataset")),
                cells.subList(0, 3).stream().map(Element::getTextContent).toList());
            final List<Object> numbers = new ArrayList<>(List.of(result.get("keys"), result.get("threads"), spread.get("median"),
                spread.get("min"), spread.get("max"), result.get("ratioToBaseline"), 1e9 / (Double) spread.get("median"),
                result.get("roundTrips"), result.get("indexBytesPerKey"), result.get("totalBytesPerKey")));
            assertEquals(numbers, cells.subList(3, 13).stream().map(cell -> cell.getAttribute("data-v")).map(Double::valueOf)
                .toList());
            assertEquals(result.get("checksum"), cells.get(13).getTextContent());
        }
        assertEquals(List.of("trie", "load", "rand-8", "1,000,000", "1", "1.23", "1.20", "1.28", "0.50\u00d7", "810", "1.25",
            "20.1", "44.3"), Page.cells(rows.get(1)).subList(0, 13).stream().map(Element::getTextContent).toList());
    }

    @Test
    void shouldGiveChartsTheNumbersOfTheJson() {
        final Page page = pages.get("full");
        final List<String> charts = page.charts("throughput");
        assertEquals(6, charts.size());
        assertEquals("[[[0,1234567],[0,1556554],[0,1878541]]]", charts.get(0));
        assertEquals("[[{\"x\":47.3,\"y\":2200528},{\"x\":23.1,\"y\":2200528}],"
            + "[{\"x\":48.3,\"y\":2522515},{\"x\":24.1,\"y\":2522515}],[{\"x\":49.3,\"y\":2844502},{\"x\":25.1,\"y\":2844502}]]",
            page.charts("space").get(0));
        assertEquals("[[[284,9004],[285,9005],[286,9006]]]", page.charts("latency").get(0));
        assertEquals("[[[1,2.36],[1,2.73],[1,3.1]]]", page.charts("limit").get(2));
        assertTrue(page.charts("scaling").get(0)
            .startsWith("[[{\"x\":1000000,\"y\":1234567,\"low\":1197529.99,\"high\":1283949.68,"));
    }

    @Test
    void shouldShowLatencyModelMachineAndCommand() {
        final Page page = pages.get("full");
        for (final String number : List.of("284", "410", "1,012", "9,004", "1,234,504")) {
            assertTrue(page.text("latency").contains(number), number);
        }
        for (final String number : List.of("285 ns", "432 ns", "1.27", "84.6 M", "612")) {
            assertTrue(page.text("limit").contains(number), number);
        }
        for (final String fact : List.of("Some Processor 9000", "24.0 GiB", "-Xmx4g, -Xss1m", "Machine and command",
            "bin/nestling bench --peers --html report.html")) {
            assertTrue(page.text("machine").contains(fact), fact);
        }
        assertTrue(page.text("subjects").contains("configuration of cuckoo_trie"));
        assertTrue(page.text("glance").contains("0.50\u00d7") && page.text("glance").contains("index 20.1"));
    }

    @Test
    void shouldNameEveryChartInWords() {
        final Set<String> names = new HashSet<>();
        for (final Element chart : pages.get("full").all("canvas")) {
            assertEquals("img", chart.getAttribute("role"));
            final String label = chart.getAttribute("aria-label");
            assertTrue(label.contains("trie") || label.contains("pages"), label);
            assertTrue(names.add(label.substring(0, label.indexOf(':'))) || label.contains("By number of"), "once: " + label);
        }
        assertEquals(6 + 6 + 3 + 2 + 1 + 4, pages.get("full").all("canvas").size());
        assertTrue(pages.get("full").all("canvas").get(0).getAttribute("aria-label")
            .startsWith("Throughput of load, rand-8 \u00b7 1 M keys \u00b7 1 thread: trie median 1.23 M/s rounds 1.20 M/s to "));
    }

    @Test
    void shouldEscapeNamesAndTextsOfAnyKind() {
        final Page page = pages.get("evil");
        assertEquals(pages.get("full").all("script").size(), page.all("script").size());
        assertTrue(page.text("machine").contains("<script>alert('x')</script>&\"\ufffd\ufffd"), page.text("machine"));
    }

    @Test
    void shouldLeaveOutWhatARunDoesNotHave() {
        final Page page = pages.get("small");
        assertEquals(List.of("glance", "reading", "throughput", "space", "numbers", "subjects"), page.sections());
        assertTrue(page.text("glance").contains("nothing was compared"));
        assertFalse(page.text("throughput").contains("\u00d7"));
        assertTrue(page.text("subjects").contains("stray"), "subjects that are not described");
    }

    @Test
    void shouldNotCompareASubjectWithItself() {
        assertFalse(pages.get("alone").text("glance").contains("1.00\u00d7"));
        assertEquals("", pages.get("alone").in("throughput", "span").get(0).getAttribute("hidden"));
        assertTrue(pages.get("alone").in("throughput", "span").get(0).hasAttribute("hidden"));
        assertFalse(pages.get("full").in("throughput", "span").get(0).hasAttribute("hidden"));
    }

    @Test
    void shouldNameFactsInWords() {
        final String machine = pages.get("facts").text("machine");
        for (final String fact : List.of("huge pages of kernelmadvise", "heap3.00 GiB", "l3 cachesize 32.0 MiB", "huge pagesyes",
            "bytes17 bytes", "nothing" + ABSENT)) {
            assertTrue(machine.contains(fact), fact + " in " + machine);
        }
        assertFalse(machine.contains("tunables"), machine);
    }

    @Test
    void shouldSayThatThereAreNoResults() {
        final Page page = pages.get("empty");
        assertTrue(page.all("p").stream().anyMatch(p -> p.getTextContent().equals("This run has no results.")));
        assertEquals(List.of("reading"), page.sections());
    }

    @Test
    void shouldShowDashesForWhatIsNotANumber() {
        final Page page = pages.get("absent");
        assertFalse(BAD_NUMBER.matcher(page.text()).find(), page::text);
        final List<String> cells = Page.cells(page.in("numbers", "tr").get(1)).stream().map(Element::getTextContent).toList();
        assertTrue(cells.containsAll(List.of(ABSENT, "ffffffffffffffff")), cells.toString());
        assertTrue(page.text("limit").contains("no numbers"));
        assertTrue(page.text("glance").contains("44.0index 20.0"), "the first number of bytes that is one");
    }

    @Test
    void shouldCopeWithHugeAndTinyNumbersAndManyOfThem() {
        final Page page = pages.get("many");
        assertFalse(BAD_NUMBER.matcher(page.text()).find(), page::text);
        assertEquals(20, page.charts("throughput").size());
        assertEquals("8000000000000000", Page.cells(page.in("numbers", "tr").get(1)).get(13).getTextContent());
        for (final Element chart : page.all("canvas")) {
            assertFalse(BAD_NUMBER.matcher(chart.getAttribute("aria-label")).find(), chart.getAttribute("aria-label"));
        }
    }

    @Test
    void shouldDrawScalingForEachKindOfSweep() {
        final Page page = pages.get("sweeps");
        final Set<String> headings = new TreeSet<>(page.in("scaling", "h3").stream().map(Element::getTextContent).toList());
        assertEquals(new TreeSet<>(Set.of("By number of keys: az \u00b7 1 thread", "By number of keys: az \u00b7 2 threads",
            "By number of threads: az \u00b7 1 k keys", "By number of threads: az \u00b7 10 k keys")), headings);
        assertEquals(4, page.in("scaling", "figure").size());
    }

    @Test
    void shouldFoldSettingsOnlyIfThereAreSeveral() {
        assertEquals(0, pages.get("small").in("glance", "details").size());
        final List<Element> blocks = pages.get("full").in("glance", "details");
        assertEquals(2, blocks.size());
        assertTrue(blocks.stream().allMatch(block -> block.hasAttribute("open")));
    }

    @Test
    void shouldMarkRatiosThatTheRoundsDoNotBear() {
        final String glance = pages.get("overlap").text("glance");
        assertTrue(glance.contains("\u22481.05\u00d7"), glance);
        assertTrue(glance.contains("2.50\u00d7") && !glance.contains("\u22482.50\u00d7"), glance);
        assertTrue(glance.contains("1.00\u00d7") && !glance.contains("\u22481.00\u00d7"), glance);
    }

    @Test
    void shouldShortenFilesOnlyIfThatTellsThemApart() {
        assertEquals(List.of("/data/a/keys.txt \u00b7 1 key \u00b7 1 thread", "/data/b/keys.txt \u00b7 1 key \u00b7 1 thread",
            "others.txt \u00b7 1 key \u00b7 1 thread", "/data/d/ \u00b7 1 key \u00b7 1 thread"),
            pages.get("files").in("glance", "h3").stream().map(Element::getTextContent).toList());
    }

    @Test
    void shouldShowNumbersAsPeopleReadThem() {
        final List<?> given = values("small");
        for (int i = 0; i < NUMBERS.length; i++) {
            assertEquals(NUMBERS[i][1], given.get(i), NUMBERS[i][0]);
        }
    }

    private static List<?> values(final String page) {
        final String values = pages.get(page).all("html").get(0).getAttribute("data-values");
        return (List<?>) JsonReader.object("{\"values\":" + values + "}").get("values");
    }

    @Test
    void shouldDrawWhiskersAndPercentiles() {
        assertEquals((18 + 12) + ",18,6", values("full").get(NUMBERS.length), "bars, points of lines, latencies");
    }

    /** The bars of all subjects are there in their colours; those of peers are pale with an outline. */
    @Test
    void shouldDrawChartsThatCanBeSeen() throws Exception {
        final String page = BenchPage.of(ReportFixture.full().report());
        final BufferedImage picture = ImageIO.read(browser.picture(page, 1280, 6000).toFile());
        final int[] colours = {0x4f85e2, 0x912a04, 0x3a9f7f};
        final int[] pixels = new int[colours.length];
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                for (int i = 0; i < colours.length; i++) {
                    pixels[i] += (picture.getRGB(x, y) & 0xffffff) == colours[i] ? 1 : 0;
                }
            }
        }
        assertTrue(pixels[0] > 5_000 && pixels[1] > 5_000, "bars: " + pixels[0] + ", " + pixels[1]);
        assertTrue(pixels[2] > 500 && pixels[2] < pixels[1] / 2, "outlines of a peer: " + pixels[2]);
    }
}
