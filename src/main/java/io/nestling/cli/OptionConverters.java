/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.WorkloadType;
import io.nestling.catalog.IndexType;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.RequestDistribution;

import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of the values of options. */
final class OptionConverters {
    private OptionConverters() {
    }

    private static <T> T named(final Function<String, T> parser, final String name) {
        try {
            return parser.apply(name);
        } catch (final IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    private static <T> T number(final Function<String, T> parser, final T max, final String text) {
        try {
            return parser.apply(text.strip());
        } catch (final NumberFormatException e) {
            throw new TypeConversionException("expected a whole number, at most " + max + ", but was '" + text + "'");
        }
    }

    /** Parses names of indexes. */
    static final class IndexConverter implements ITypeConverter<IndexType> {
        @Override
        public IndexType convert(final String name) {
            return named(IndexType::ofName, name);
        }
    }

    /** Parses names of workloads. */
    static final class WorkloadConverter implements ITypeConverter<WorkloadType> {
        @Override
        public WorkloadType convert(final String name) {
            return named(WorkloadType::ofName, name);
        }
    }

    /** Parses names of the distributions that a user can choose. */
    static final class DistributionConverter implements ITypeConverter<RequestDistribution> {
        @Override
        public RequestDistribution convert(final String name) {
            switch (name.toLowerCase(Locale.ROOT)) {
                case "uniform":
                    return RequestDistribution.UNIFORM;
                case "zipfian":
                    return RequestDistribution.ZIPFIAN;
                default:
                    throw new TypeConversionException("expected one of uniform, zipfian but was '" + name + "'");
            }
        }
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

    /** Parses the values of flags, which usually have none. */
    static final class BooleanConverter implements ITypeConverter<Boolean> {
        @Override
        public Boolean convert(final String text) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new TypeConversionException("expected no value, true or false but was '" + text + "'");
            }
            return Boolean.valueOf(text);
        }
    }

    /** Parses whole numbers. */
    static final class IntegerConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(final String text) {
            return number(Integer::valueOf, Integer.MAX_VALUE, text);
        }
    }

    /** Parses whole numbers of 64 bits. */
    static final class LongConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(final String text) {
            return number(Long::valueOf, Long.MAX_VALUE, text);
        }
    }

    /** Parses names of formats. */
    static final class FormatConverter implements ITypeConverter<DatasetFormat> {
        @Override
        public DatasetFormat convert(final String name) {
            for (final DatasetFormat format : DatasetFormat.values()) {
                if (format.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                    return format;
                }
            }
            throw new TypeConversionException("expected one of lines, tsv but was '" + name + "'");
        }
    }
}
