/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.WorkloadType;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts a benchmark's report to JSON, as maps and lists. */
final class BenchJson {
    private static final int DIGITS = 3;

    private BenchJson() {
    }

    /** Returns the whole report. */
    static Map<String, Object> of(final BenchmarkReport report) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("machine", report.machine());
        json.put("model", plain(report.model()));
        json.put("baseline", plain(report.baseline()));
        json.put("subjects", plain(report.subjects()));
        json.put("workloads", Arrays.stream(WorkloadType.values()).filter(type -> report.results().stream()
            .anyMatch(result -> result.workload().equals(type.workloadName()))).map(BenchJson::of).toList());
        json.put("results", plain(report.results()));
        return json;
    }

    private static Map<String, Object> of(final WorkloadType workload) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", workload.workloadName());
        json.put("description", workload.description());
        json.put("unit", workload.unit());
        return json;
    }

    /** Returns records as maps of their components, and numbers rounded. */
    private static Object plain(final Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(BenchJson::plain).orElse(null);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(BenchJson::plain).toList();
        }
        if (value instanceof Double number) {
            return Figures.rounded(number, DIGITS);
        }
        return value instanceof Record parts ? components(parts) : value;
    }

    private static Map<String, Object> components(final Record parts) {
        final Map<String, Object> json = new LinkedHashMap<>();
        for (final RecordComponent component : parts.getClass().getRecordComponents()) {
            try {
                final Object value = component.getAccessor().invoke(parts);
                json.put(component.getName(), switch (component.getName()) {
                    case "linesPerSecond" -> Math.rint((double) value);
                    // Most JSON readers keep fewer bits of a number.
                    case "checksum" -> ((Optional<?>) value).map(sum -> Long.toHexString((long) sum)).orElse(null);
                    default -> plain(value);
                });
            } catch (final ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return json;
    }
}
