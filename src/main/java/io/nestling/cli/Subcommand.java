/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memtable.MemtableOptions;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.util.concurrent.Callable;

/** A command of the command line, with its streams and its errors. */
abstract class Subcommand implements Callable<Integer> {
    @CommandLine.ParentCommand
    private Main main;
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    /** Returns the streams of this call. */
    final Console console() {
        return main.console();
    }

    /** Returns this command as it was parsed. */
    final CommandLine commandLine() {
        return spec.commandLine();
    }

    /** Returns the exception for wrong usage. */
    final ParameterException wrong(final String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }

    /** Prints a message that begins with the name of the command. */
    final void warn(final String message) {
        console().err().println(spec.qualifiedName() + ": " + message);
    }

    /** Prints lines of results. */
    final void print(final Iterable<String> lines) throws OutputException {
        for (final String line : lines) {
            console().println(line);
        }
    }

    /** Checks the number of shards of a memtable. */
    final void checkShards(final int shards) {
        if (shards < 1 || shards > MemtableOptions.MAX_SHARDS) {
            throw wrong("--shards " + shards + " is outside 1 to " + MemtableOptions.MAX_SHARDS);
        }
    }
}
