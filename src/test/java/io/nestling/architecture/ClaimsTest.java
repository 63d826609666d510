/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The claims of the pages on concurrency: numbered without gaps, each with a reason and a test, cited by numbers that exist. */
class ClaimsTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Pattern CLAIM = Pattern.compile("(?m)^(\\d+)\\. \\*Claim\\*:");
    private static final Pattern CITED =
        Pattern.compile("([a-z-]+-concurrency\\.md|synchronization\\.md),? (?:on )?claims? (\\d+)(?:(?: to |, | and )(\\d+))*");
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)\\b");
    private static final Pattern METHOD = Pattern.compile("`(?:\\w+\\.)?(should\\w+)");
    private static final Pattern TEST_METHOD = Pattern.compile("void (should\\w+)\\(");

    private static List<Path> files(final String directory, final String end) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** The claims of each page, by its name; checks that their numbers have no gaps. */
    private static Map<String, Integer> claims() throws IOException {
        final List<Path> pages = new ArrayList<>(files("docs/design", "-concurrency.md"));
        pages.add(ROOT.resolve("docs/synchronization.md"));
        final Map<String, Integer> claims = new TreeMap<>();
        for (final Path page : pages) {
            int last = 0;
            final Matcher claim = CLAIM.matcher(Files.readString(page));
            while (claim.find()) {
                assertEquals(++last, Integer.parseInt(claim.group(1)), "number of a claim of " + page.getFileName());
            }
            claims.put(page.getFileName().toString(), last);
        }
        return claims;
    }

    @Test
    void shouldCiteClaimsThatExist() throws IOException {
        final Map<String, Integer> claims = claims();
        final List<Path> texts = new ArrayList<>(files("src", ".java"));
        texts.addAll(files("docs", ".md"));
        int cited = 0;
        for (final Path text : texts) {
            final String flat = Files.readString(text).replaceAll("\\s*\\n\\s*(\\*|//)?\\s*", " ");
            for (final MatchResult citation : CITED.matcher(flat).results().toList()) {
                final int most = claims.getOrDefault(citation.group(1), 0);
                NUMBER.matcher(citation.group().substring(citation.group(1).length())).results().forEach(number ->
                    assertTrue(Integer.parseInt(number.group()) <= most,
                        () -> text + " cites " + citation.group() + ", of " + most));
                cited++;
            }
        }
        assertTrue(cited >= 60, cited + " citations");
    }

    @Test
    void shouldHaveAReasonAndATestForEachClaim() throws IOException {
        final Set<String> tests = new HashSet<>();
        files("src", "Test.java").forEach(file -> tests.add(file.getFileName().toString().replace(".java", "")));
        final Set<String> methods = new HashSet<>();
        for (final Path file : files("src", ".java")) {
            TEST_METHOD.matcher(Files.readString(file)).results().forEach(method -> methods.add(method.group(1)));
        }
        for (final String page : claims().keySet()) {
            final Path file = ROOT.resolve(page.equals("synchronization.md") ? "docs" : "docs/design").resolve(page);
            final String text = Files.readString(file);
            final String[] claims = CLAIM.split(text);
            for (int i = 1; i < claims.length; i++) {
                final int number = i;
                assertTrue(claims[i].contains("*Why*:"), () -> page + ", claim " + number + ": no reason");
                assertTrue(claims[i].contains("*Test*:"), () -> page + ", claim " + number + ": no test");
            }
            TEST.matcher(text).results().forEach(test ->
                assertTrue(tests.contains(test.group(1)), () -> page + " names " + test.group(1)));
            METHOD.matcher(text).results().forEach(method ->
                assertTrue(methods.contains(method.group(1)), () -> page + " names " + method.group(1)));
        }
    }
}
