/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes each fence and each access mode of the product away, one at a time, and searches. What nobody finds is held against a
 * reviewed list, which says why it is harmless, or that it is not found.
 */
final class Mutants {
    private static final String SEPARATOR = ": ";

    private final Search search;
    private final Map<String, String> reviewed = new HashMap<>();

    Mutants(final Search search, final Path list) throws IOException {
        this.search = search;
        for (final String line : Files.readAllLines(list)) {
            final int end = line.indexOf(SEPARATOR);
            if (!line.startsWith("#") && end > 0) {
                reviewed.put(line.substring(0, end), line.substring(end + SEPARATOR.length()));
            }
        }
    }

    /**
     * Searches each mutant of what one kind of scenarios reaches.
     *
     * @param kind the kind
     * @param cpuMillis processor time for each
     * @param prefix what the names of the sites begin with
     * @param out where each mutant gets a line
     */
    void run(final String kind, final long cpuMillis, final String prefix, final PrintStream out) {
        // Loads the classes, which numbers the sites, and shows which of them these scenarios reach.
        final Search.Outcome whole = search.search(kind, true, 1, cpuMillis, 1);
        if (!whole.findings().isEmpty()) {
            throw new IllegalStateException("the code goes wrong as it is: " + whole.findings().get(0));
        }
        final List<Mutations.Site> sites = Mutations.sites();
        final Set<String> unreviewed = new HashSet<>();
        int notReached = 0;
        for (int i = 0; i < sites.size(); i++) {
            final Mutations.Site site = sites.get(i);
            if (!site.name().startsWith(prefix)) {
                continue;
            }
            if (Mutations.hits(i) == 0) {
                notReached++;
                continue;
            }
            Mutations.remove(i);
            try {
                final Search.Outcome outcome = search.search(kind, true, 1, cpuMillis, 1);
                final boolean found = !outcome.findings().isEmpty();
                final String why = reviewed.get(site.name());
                out.println(site.name() + " (line " + site.line() + ")" + SEPARATOR + (found
                    ? "found after " + outcome.schedules() + ", " + outcome.findings().get(0).category()
                    : "SURVIVES " + outcome.schedules() + " schedules, " + Mutations.hits(i) + " hits, "
                        + (why == null ? "not reviewed" : why)));
                if (!found && why == null) {
                    unreviewed.add(site.name());
                }
            } finally {
                Mutations.remove(-1);
            }
        }
        out.println(notReached + " sites were not reached, " + unreviewed.size() + " survivors are not on the list");
    }
}
