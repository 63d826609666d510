/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memory.SpaceExhaustedException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Describes exceptions in one line for people. */
final class Messages {
    private Messages() {
    }

    /** Returns the description of an exception. */
    static String of(final Throwable thrown) {
        return String.join(" ", describe(thrown).strip().split("\\s*\\R\\s*"));
    }

    private static String describe(final Throwable thrown) {
        if (thrown instanceof UncheckedIOException) {
            return describe(thrown.getCause());
        }
        if (thrown instanceof FileSystemException failure) {
            return failure.getFile() + ": " + reason(failure);
        }
        if (thrown instanceof OutOfMemoryError) {
            return "the Java heap is too small (" + thrown.getMessage() + "); NESTLING_JAVA_OPTS=-Xmx1g gives more";
        }
        final boolean expected = thrown instanceof IOException || thrown instanceof CommandException
            || thrown instanceof SpaceExhaustedException || thrown instanceof IllegalStateException
            || thrown instanceof IllegalArgumentException;
        return expected && thrown.getMessage() != null ? thrown.getMessage() : "unexpected " + thrown + "; --debug shows where";
    }

    /** Returns the description of a file's problem, without its name. */
    static String reason(final IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a directory";
        }
        if (failure instanceof FileAlreadyExistsException existing) {
            final String file = existing.getFile();
            return file + (Files.isSymbolicLink(Path.of(file)) ? " is a link to what does not exist" : " exists already");
        }
        if (!(failure instanceof FileSystemException named)) {
            return failure.getMessage();
        }
        final String reason = named.getReason();
        return reason != null ? reason
            : failure.getClass().getSimpleName().replaceAll("Exception$", "").replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
