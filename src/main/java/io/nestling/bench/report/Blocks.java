/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.List;

/** Pieces that several sections are made of: a foldable block for each setting, a figure with a caption, a table that scrolls. */
final class Blocks {
    private static final int OPEN_BLOCKS = 4;

    private Blocks() {
    }

    /** What a block shows for one setting. */
    interface SettingBody {
        void write(Setting setting);
    }

    /**
     * One block for each setting. With a single setting there is nothing to fold; with many only the first stands open.
     *
     * @param out where to
     * @param measurements where headings come from
     * @param settings the settings
     * @param body writes the content of a block
     */
    static void settings(final Markup out, final Measurements measurements, final List<Setting> settings,
            final SettingBody body) {
        for (int i = 0; i < settings.size(); i++) {
            final Setting setting = settings.get(i);
            if (settings.size() == 1) {
                heading(out, measurements, setting);
                body.write(setting);
            } else {
                out.open("details", "open", settings.size() <= OPEN_BLOCKS || i == 0 ? "open" : null).open("summary");
                heading(out, measurements, setting);
                out.close();
                body.write(setting);
                out.closeLine();
            }
        }
    }

    private static void heading(final Markup out, final Measurements measurements, final Setting setting) {
        out.element("h3", measurements.label(setting), "title", setting.dataset());
    }

    /** Begins a row of figures that wraps; to be closed by the caller. */
    static void grid(final Markup out) {
        out.open("div", "class", "grid");
    }

    /** Begins a figure with a caption; to be closed by the caller. */
    static void figure(final Markup out, final String name, final String hint) {
        out.open("figure").open("figcaption").element("b", name);
        if (!hint.isEmpty()) {
            out.text(" ").element("span", hint, "class", "muted");
        }
        out.closeLine();
    }

    /**
     * Begins a table that scrolls sideways by itself; to be ended with {@link #endTable}.
     *
     * @param out where to
     * @param name what it holds, for readers who do not see it
     * @param classes style classes of the table
     */
    static void table(final Markup out, final String name, final String classes) {
        out.open("div", "class", "scroll", "role", "region", "aria-label", name, "tabindex", "0").open("table", "class", classes);
    }

    static void endTable(final Markup out) {
        out.close().closeLine();
    }

    /** A heading of a column of numbers, with an explanation under the pointer. */
    static void numberHeading(final Markup out, final String text, final String note) {
        out.element("th", text, "scope", "col", "class", "num", "title", note);
    }

    /** A cell with a number. */
    static void number(final Markup out, final String text, final double value) {
        out.element("td", text, "class", "num", "data-v", Double.isFinite(value) ? Double.toString(value) : null);
    }

    /** The mark and the name of a subject. */
    static void subject(final Markup out, final SubjectStyle subject) {
        out.open("span", "class", subject.classes() + " name", "title", subject.name());
        out.open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "-7 -7 14 14", "class", "chip", "aria-hidden", "true");
        out.empty("path", "d", subject.shape().path(), "class", subject.classes() + " mark").close();
        out.text(subject.name()).close();
    }
}
