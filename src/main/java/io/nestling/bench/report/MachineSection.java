/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Facts on machine and process, and the command that repeats the run. */
final class MachineSection implements Section {
    private static final String COMMAND = "command";
    private static final String BYTES = "bytes";
    private static final Pattern NEXT_WORD = Pattern.compile("(?<=[a-z0-9])[A-Z](?=[a-z])");

    private final Map<String, Object> machine;

    MachineSection(final Map<String, Object> machine) {
        this.machine = machine;
    }

    @Override
    public String id() {
        return "machine";
    }

    @Override
    public String title() {
        return command().isPresent() ? "Machine and command" : "Machine";
    }

    @Override
    public boolean isPresent() {
        return !machine.isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.open("dl", "class", "facts");
        machine.forEach((name, value) -> {
            if (!isCommand(name) && !text(name, value).isBlank()) {
                out.element("dt", words(name)).element("dd", text(name, value));
            }
        });
        out.closeLine();
        command().ifPresent(command -> {
            out.element("p", "Run it again:");
            out.open("pre", "tabindex", "0").element("code", command).closeLine();
        });
    }

    /** A fact by a part of its name, for the head of the page. */
    static Optional<String> fact(final Map<String, Object> machine, final String part) {
        return machine.entrySet().stream().filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).contains(part))
            .map(entry -> text(entry.getKey(), entry.getValue())).filter(text -> !text.isBlank()).findFirst();
    }

    private Optional<String> command() {
        return machine.entrySet().stream().filter(entry -> isCommand(entry.getKey()))
            .map(entry -> text("", entry.getValue())).findFirst();
    }

    private static boolean isCommand(final String name) {
        return name.toLowerCase(Locale.ROOT).contains(COMMAND);
    }

    /** "hugePages", "huge_pages" and "huge pages" alike become "huge pages". */
    private static String words(final String name) {
        final String spaced = name.replaceAll("[_-]", " ").replaceAll("(?i)(?<=.) ?bytes$", "");
        return NEXT_WORD.matcher(spaced).replaceAll(word -> " " + word.group().toLowerCase(Locale.ROOT));
    }

    private static String text(final String name, final Object value) {
        if (value instanceof Map<?, ?> map) {
            final List<String> parts = new ArrayList<>();
            map.forEach((key, inner) -> parts.add(words(String.valueOf(key)) + " " + text(String.valueOf(key), inner)));
            return String.join(", ", parts);
        }
        if (value instanceof Iterable<?> values) {
            final List<String> parts = new ArrayList<>();
            values.forEach(inner -> parts.add(text(name, inner)));
            return String.join(", ", parts);
        }
        if (value instanceof Number number && name.toLowerCase(Locale.ROOT).endsWith(BYTES)) {
            return Quantity.memory(number.doubleValue());
        }
        if (value instanceof Boolean isSo) {
            return isSo ? "yes" : "no";
        }
        return value == null ? Quantity.ABSENT : value.toString();
    }
}
