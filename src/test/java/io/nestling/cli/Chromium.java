/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Assumptions;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless browser that opens pages. Tests that need it are left out, with a message, where there is none. */
final class Chromium {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final Pattern RESULT = Pattern.compile("<pre id=\"result\">([\\w+/=]+)</pre>");
    private static final int MOST_SECONDS = 240;

    /* Runs in each page: shows what charts were given and what was loaded, and works out expressions. */
    private static final String PROBE = """
        <script>
        document.querySelectorAll("canvas").forEach(canvas => canvas.setAttribute("data-values",
            JSON.stringify(Chart.getChart(canvas).data.datasets.map(set => set.data))));
        document.documentElement.setAttribute("data-loaded", performance.getEntriesByType("resource").length);
        document.documentElement.setAttribute("data-values", JSON.stringify([%s]));
        </script></body>""";

    /* Opens each page in a frame, and tells what all of them look like in the end. */
    private static final String FRAMES = """
        <!DOCTYPE html><meta charset="utf-8"><body><script>
        const pages = %s, result = {};
        const clean = text => text.toWellFormed().replace(/[^\\t\\n -\\ud7ff\\ue000-\\ufffd]/gu, "\\ufffd");
        const open = name => new Promise(done => {
            const frame = document.createElement("iframe");
            Object.assign(frame, { width: 1280, height: 900, srcdoc: new TextDecoder().decode(Uint8Array.from(atob(pages[name]),
                byte => byte.charCodeAt(0))), onload: () => {
                    frame.contentDocument.querySelectorAll("script").forEach(script => { script.textContent = ""; });
                    frame.contentDocument.querySelectorAll("noscript,style").forEach(other => other.remove());
                    result[name] = clean(new XMLSerializer().serializeToString(frame.contentDocument.documentElement));
                    done();
                } });
            document.body.append(frame);
        });
        Promise.all(Object.keys(pages).map(open)).then(() => {
            const bytes = new TextEncoder().encode(JSON.stringify(result));
            document.body.innerHTML = "<pre id=result></pre>";
            document.body.firstChild.textContent = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
        });
        </script>""";

    private final Path program;
    private final Path directory;

    private Chromium(final Path program, final Path directory) {
        this.program = program;
        this.directory = directory;
    }

    /** The browser that {@code -Dchromium} names, or the first on the path; without one the test is left out. */
    static Chromium find(final Path directory) {
        final String named = System.getProperty("chromium", "");
        final Stream<Path> there = Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)));
        final Path program = (named.isEmpty() ? there : Stream.of(Path.of(named))).filter(Files::isExecutable).findFirst()
            .orElseGet(() -> Assumptions.abort("left out: no Chromium (" + String.join(", ", NAMES) + ") on the path"));
        return new Chromium(program, directory);
    }

    /**
     * Opens pages, all at once.
     *
     * @param pages their texts by name
     * @param expressions JavaScript that each page works out, into the attribute {@code data-values} of its root
     */
    Map<String, Page> open(final Map<String, String> pages, final String... expressions) throws Exception {
        final Map<String, String> encoded = new LinkedHashMap<>();
        pages.forEach((name, text) -> encoded.put(name, Base64.getEncoder().encodeToString(text.replace("</body>",
            PROBE.replace("%s", String.join(", ", expressions))).getBytes(StandardCharsets.UTF_8))));
        final Path frames = Files.writeString(directory.resolve("frames.html"), FRAMES.replace("%s", Json.of(encoded)));
        final String shown = run("--dump-dom", frames.toUri().toString());
        final Matcher result = RESULT.matcher(shown);
        assertTrue(result.find(), () -> "the browser gave no result: " + shown.substring(0, Math.min(2000, shown.length())));
        final Map<String, Page> opened = new LinkedHashMap<>();
        JsonReader.object(new String(Base64.getDecoder().decode(result.group(1)), StandardCharsets.UTF_8))
            .forEach((name, xml) -> opened.put(name.toString(), new Page(xml.toString())));
        return opened;
    }

    /** Takes a picture of a page. */
    Path picture(final String page, final int width, final int height) throws Exception {
        final Path file = Files.writeString(directory.resolve("picture.html"), page);
        final Path picture = directory.resolve("picture.png");
        run("--screenshot=" + picture, "--window-size=" + width + "," + height, file.toUri().toString());
        return picture;
    }

    private String run(final String... options) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(program.toString(), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
            "--user-data-dir=" + directory.resolve("profile"), "--virtual-time-budget=20000"));
        command.addAll(List.of(options));
        final Path out = directory.resolve("out.txt");
        final Path err = directory.resolve("err.txt");
        final Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertTrue(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS), "the browser does not end: " + command);
        } finally {
            process.destroyForcibly();
        }
        assertTrue(process.exitValue() == 0, () -> "the browser failed: " + command);
        return Files.readString(out);
    }
}
