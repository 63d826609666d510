/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads names of files and directories. A blank one would mean the working directory, which nobody types. */
final class PathText implements ITypeConverter<Path> {
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
