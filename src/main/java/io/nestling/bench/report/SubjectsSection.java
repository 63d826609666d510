/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/** How each subject was set up. */
final class SubjectsSection implements Section {
    private final Measurements measurements;

    SubjectsSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "subjects";
    }

    @Override
    public String title() {
        return "Subjects";
    }

    @Override
    public boolean isPresent() {
        return !measurements.subjects().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.open("dl", "class", "subjects");
        for (final SubjectStyle subject : measurements.subjects()) {
            out.open("dt");
            Blocks.subject(out, subject);
            out.element("small", (subject.peer() ? " peer" : " Nestling") + (subject.baseline() ? ", baseline" : "")).close();
            out.element("dd", subject.configuration().isBlank() ? "nothing noted" : subject.configuration());
        }
        out.closeLine();
    }
}
