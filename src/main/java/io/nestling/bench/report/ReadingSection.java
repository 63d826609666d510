/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/** What may be concluded from the page, and what may not. */
final class ReadingSection implements Section {
    private static final String[] NOTES = {
        "Compare within this page only.",
        "Machines differ and drift; an absolute number means little elsewhere or tomorrow. The rounds of all subjects took "
            + "turns, so drift hit all alike, and ratios within one workload, dataset, number of keys and of threads hold.",
        "Mind the spread.",
        "Numbers are medians of the rounds, with the slowest and the fastest beside them. Where two ranges overlap (\u2248) the "
            + "run does not tell the two apart.",
        "Count bytes fairly.",
        "\u201cIndex\u201d leaves keys and values out, \u201ctotal\u201d leaves only values out. An index that spells whole keys "
            + "in itself and one that points to them can be compared in total only.",
        "Look at the pages.",
        "The same code is about half as fast again on 2 MiB pages as on 4 KiB pages. A subject in ordinary allocated or heap "
            + "memory has the pages that process and system were set up for; see the machine and the subjects below.",
        "Know what caches hide.",
        "Few keys, keys in order and skewed requests are answered from caches. Only uniform requests over far more memory than "
            + "the last cache show the index itself.",
        "Know what overlaps.",
        "Unless each key depends on the answer before, the processor works on several lookups at once, so time per operation is "
            + "not latency. Scans count entries and batches count keys, not calls.",
    };

    @Override
    public String id() {
        return "reading";
    }

    @Override
    public String title() {
        return "How to read this";
    }

    @Override
    public boolean isPresent() {
        return true;
    }

    @Override
    public void write(final Markup out) {
        out.open("ul", "class", "notes");
        for (int i = 0; i < NOTES.length; i += 2) {
            out.open("li").element("b", NOTES[i]).text(" " + NOTES[i + 1]).closeLine();
        }
        out.closeLine();
    }
}
