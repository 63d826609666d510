/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules for the text of sources that the compiler and the style check do not know. */
final class SourceRules {
    private static final String HEADER = String.join("\n",
            "/*",
            " * Copyright 2026 The Nestling Authors",
            " * SPDX-License-Identifier: Apache-2.0");

    private static final Pattern OFF_HEAP_ACCESS =
            Pattern.compile("\\bbyteBufferViewVarHandle\\b|\\bMemorySegment\\b|\\bjava\\.lang\\.foreign\\b");
    private static final Pattern UNSAFE = Pattern.compile("\\bsun\\.misc\\b|\\bjdk\\.internal\\b");
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO[D]O|FIX[M]E|XX[X])\\b");
    private static final Pattern MACHINE_PATH = Pattern.compile("(?<![\\w.}/-])/(?:work|root|home)/\\w");
    private static final Pattern NOISE_TAG =
            Pattern.compile("^\\s*\\*\\s+@(since|author|version)\\b", Pattern.MULTILINE);
    private static final Pattern CATCH_ALL_PACKAGE =
            Pattern.compile("^package .*\\b(util|utils|common|impl|core)\\b.*;", Pattern.MULTILINE);

    /* ISO formats of dates have the same digits everywhere. */
    private static final Pattern DEFAULT_LOCALE = Pattern.compile(
            "\\bString\\.format\\((?!\\s*Locale\\.)|\\bString::format\\b|\\.formatted\\(|\\bprintf\\((?!\\s*Locale\\.)"
            + "|\\bout\\.format\\((?!\\s*Locale\\.)|\\bto(Lower|Upper)Case\\(\\s*\\)|::to(Lower|Upper)Case\\b"
            + "|\\bnew (Formatter|Scanner)\\(|\\b(Decimal|Number|Message|SimpleDate|Choice|CompactNumber)Format\\b"
            + "|\\b(Collator|BreakIterator)\\b|\\bDateTimeFormatter\\.(?!ISO_)\\w|\\bLocale\\.getDefault\\(");
    private static final Pattern DEFAULT_CHARSET = Pattern.compile(
            "\\.getBytes\\(\\s*\\)|\\bCharset\\.defaultCharset\\b|\\bnew File(Reader|Writer)\\([^,()]*\\)"
            + "|\\bnew (In|Out)putStream(Reader|Writer)\\([^,()]*\\)|\\bnew String\\(\\w+\\)");

    /* Where the array that is asked for its length grows first, an error behind it leaves the others too short for ever. */
    private static final Pattern GROWS_FIRST = Pattern.compile(
            "if \\([^\\n]*?\\b(\\w+)\\.length[^\\n>]*\\) \\{\\n(?:\\s+(?:final \\w+ )?\\w+ = [^\\n;]*;\\n)*?"
            + "\\s+\\1 = (?:Arrays\\.copyOf|new )[^\\n;]*;\\n\\s+\\w+ = (?:Arrays\\.copyOf|new )");

    /* Phrases that a reader has to guess at; the glossary has the words for what they mean. */
    private static final Pattern RIDDLE = Pattern.compile(
            "stands? (?:nowhere|on no )|comes? to an end|\\b(?:is|are) told(?! apart)|told otherwise|\\bforetold\\b|\\bin vain\\b"
            + "|\\bgives? way\\b|\\b[Ww]hoever\\b|\\b[Ww]ho would\\b|\\bthat there are\\b|\\b[Ww]hat there is\\b"
            + "|\\bis to be made\\b|\\bmakes? order\\b|@return what\\b|/\\*\\*\\s+(?:\\* )?(?:What|How|Who|Whether)\\b");

    /* What wrapping the lines of a document breaks. */
    private static final Pattern TABLE_IN_A_PARAGRAPH = Pattern.compile("\\| +\\|---");
    private static final Pattern BROKEN_LINK = Pattern.compile("\\]\\([^)\n]*$", Pattern.MULTILINE);

    private static final int MOST_LINES = 450;

    private SourceRules() {
    }

    /**
     * The rules that a file breaks.
     *
     * @param path path below the root of the project, with slashes
     * @param text content
     * @return one line for each, with path and line number
     */
    static List<String> violations(final String path, final String text) {
        final List<String> found = new ArrayList<>();
        final boolean java = path.endsWith(".java");
        final boolean code = java || path.endsWith(".c") || path.endsWith(".h");
        final boolean test = path.startsWith("src/test/");
        report(found, path, text, MACHINE_PATH, "path of one machine");
        if (code) {
            if (!text.startsWith(HEADER)) {
                found.add(path + ":1: no file header");
            }
            report(found, path, text, UNFINISHED, "unfinished");
        }
        if (path.endsWith(".md")) {
            report(found, path, text, TABLE_IN_A_PARAGRAPH, "rows of a table in one line");
            report(found, path, text, BROKEN_LINK, "a link that goes on in the next line");
        }
        if (java) {
            report(found, path, text, NOISE_TAG, "tag without use");
            report(found, path, text, CATCH_ALL_PACKAGE, "package name that says nothing");
        }
        if (java && !test) {
            if (!isIn(path, "offheap") && !isIn(path, "bridge")) {
                report(found, path, text, OFF_HEAP_ACCESS, "off-heap access outside offheap and bridge");
            }
            // The race finder takes the coroutines of the JDK.
            if (!path.startsWith("src/schedule/") && (!isIn(path, "offheap") || !text.contains("invokeCleaner"))) {
                report(found, path, text, UNSAFE, "internal interface of the JDK");
            }
            if (path.startsWith("src/main/") && !path.endsWith("/offheap/Slab.java")
                && text.lines().count() > MOST_LINES && !text.contains("Longer than " + MOST_LINES + " lines: ")) {
                found.add(path + ":" + MOST_LINES + ": longer than " + MOST_LINES + " lines, and the header does not say why");
            }
            report(found, path, text, RIDDLE, "a phrase that a reader has to guess at");
            report(found, path, text, GROWS_FIRST, "the array whose length is asked has to grow last");
        }
        if (java && !path.startsWith("src/test/java/io/nestling/architecture/")) {
            report(found, path, text, DEFAULT_LOCALE, "depends on the default locale");
            report(found, path, text, DEFAULT_CHARSET, "depends on the default charset");
        }
        return found;
    }

    private static boolean isIn(final String path, final String component) {
        return path.matches("src/main/java(22)?/io/nestling/" + component + "/.*");
    }

    private static void report(final List<String> found, final String path, final String text,
            final Pattern pattern, final String message) {
        final Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            final long line = 1 + text.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
            found.add(path + ":" + line + ": " + message + ": " + matcher.group().strip());
        }
    }
}
