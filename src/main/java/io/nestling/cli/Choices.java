/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.catalog.IndexType;
import io.nestling.workload.DatasetFormat;

import java.util.Locale;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Options that take one of a few words. */
final class Choices {
    private Choices() {
    }

    /** Names of indexes. */
    static final class IndexConverter implements ITypeConverter<IndexType> {
        @Override
        public IndexType convert(final String name) {
            try {
                return IndexType.ofName(name);
            } catch (final IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** Names of formats. */
    static final class FormatConverter implements ITypeConverter<DatasetFormat> {
        @Override
        public DatasetFormat convert(final String name) {
            for (final DatasetFormat format : DatasetFormat.values()) {
                if (format.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                    return format;
                }
            }
            throw new TypeConversionException("unknown format '" + name + "', there is: lines, tsv");
        }
    }
}
