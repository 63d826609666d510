/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.WorkloadType;
import io.nestling.catalog.IndexType;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.RequestDistribution;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Converters of the values of options. */
final class OptionConverters {
    private OptionConverters() {
    }

    /** Registers the converters of types with one each, and returns the command line. */
    static CommandLine addTo(final CommandLine commandLine) {
        return commandLine
            .registerConverter(Path.class, OptionConverters::path)
            .registerConverter(boolean.class, OptionConverters::flag)
            .registerConverter(int.class, number(Integer::valueOf, Integer.MAX_VALUE))
            .registerConverter(Integer.class, number(Integer::valueOf, Integer.MAX_VALUE))
            .registerConverter(Long.class, number(Long::valueOf, Long.MAX_VALUE))
            .registerConverter(IndexType.class, named(IndexType::ofName))
            .registerConverter(WorkloadType.class, named(WorkloadType::ofName))
            .registerConverter(RequestDistribution.class,
                oneOf(List.of(RequestDistribution.UNIFORM, RequestDistribution.ZIPFIAN)))
            .registerConverter(DatasetFormat.class, oneOf(List.of(DatasetFormat.values())));
    }

    private static <T> ITypeConverter<T> named(final Function<String, T> parser) {
        return name -> {
            try {
                return parser.apply(name);
            } catch (final IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }

    private static <T> ITypeConverter<T> number(final Function<String, T> parser, final T max) {
        return text -> {
            try {
                return parser.apply(text.strip());
            } catch (final NumberFormatException e) {
                throw new TypeConversionException("expected a whole number, at most " + max + ", but was '" + text + "'");
            }
        };
    }

    private static <T extends Enum<T>> ITypeConverter<T> oneOf(final List<T> values) {
        return name -> values.stream().filter(value -> value.name().equalsIgnoreCase(name)).findFirst()
            .orElseThrow(() -> new TypeConversionException("expected one of "
                + values.stream().map(Enum::name).collect(Collectors.joining(", ")).toLowerCase(Locale.ROOT)
                + " but was '" + name + "'"));
    }

    /** Parses the values of flags, which usually have none. */
    private static Boolean flag(final String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new TypeConversionException("expected no value, true or false but was '" + text + "'");
        }
        return Boolean.valueOf(text);
    }

    /** Parses names of files and directories. Rejects a blank one, which would mean the working directory by mistake. */
    static Path path(final String text) {
        if (text.isBlank()) {
            throw new TypeConversionException("expected a name but was '" + text + "'");
        }
        try {
            if (!KeyText.isUndecodable(text)) {
                return Path.of(text);
            }
        } catch (final InvalidPathException e) {
            // Reported as any text that cannot be decoded.
        }
        throw new TypeConversionException("'" + text + "'" + KeyText.UNDECODABLE_PROBLEM);
    }

    /** Parses counts: {@code 1000000}, {@code 300k}, {@code 1m}. Units are powers of 1000. */
    static final class CountConverter implements ITypeConverter<Integer> {
        private static final Pattern COUNT = Pattern.compile("(\\d{1,10})([km]?)");

        @Override
        public Integer convert(final String text) {
            final Matcher matcher = COUNT.matcher(text.strip().toLowerCase(Locale.ROOT).replace("_", ""));
            if (!matcher.matches()) {
                throw new TypeConversionException("expected a count such as 300k, 1m or 1000000 but was '" + text + "'");
            }
            final String unit = matcher.group(2);
            final long count = Long.parseLong(matcher.group(1)) * (unit.isEmpty() ? 1 : unit.equals("k") ? 1_000 : 1_000_000);
            if (count < 1 || count > Integer.MAX_VALUE) {
                throw new TypeConversionException("expected 1 to " + Integer.MAX_VALUE + " but was '" + text + "'");
            }
            return (int) count;
        }
    }
}
