/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses names of files and directories. Rejects a blank one, which would mean the working directory by mistake. */
final class PathConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(final String text) {
        if (text.isBlank()) {
            throw new TypeConversionException("expected a name but was '" + text + "'");
        }
        if (KeyText.isUndecodable(text)) {
            throw new TypeConversionException("'" + text + "'" + KeyText.UNDECODABLE_PROBLEM);
        }
        try {
            return Path.of(text);
        } catch (final InvalidPathException e) {
            throw new TypeConversionException("'" + text + "'" + KeyText.UNDECODABLE_PROBLEM);
        }
    }
}
