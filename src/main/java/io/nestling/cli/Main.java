/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line. It writes results to the standard output, everything else to the error stream. The exit code is
 * 0, 1 if a command failed, or 2 on wrong usage.
 */
@Command(name = "nestling", versionProvider = VersionReport.class,
    sortOptions = false,
    description = {"Off-heap memtables for LSM stores: fill them, write them to tables, read these.", ""},
    subcommands = {LoadCommand.class, GetCommand.class, ScanCommand.class, VerifyCommand.class,
        CompactCommand.class, InspectCommand.class, BenchCommand.class},
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands (nestling COMMAND --help tells more):%n",
    footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong usage.", "",
        "Environment: NESTLING_JAVA names the java program, NESTLING_JAVA_OPTS options for it."})
public final class Main implements Runnable {
    private final Console console;

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, scope = ScopeType.INHERIT, usageHelp = true,
        description = "Show this text.")
    private boolean help;

    @Option(names = {"-V", "--version"}, versionHelp = true,
        description = "Show the version, and what the program runs on.")
    private boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show where an error was thrown.")
    private boolean debug;

    private boolean outputFailed;

    private Main(final Console console) {
        this.console = console;
    }

    /** Runs a command and ends the process. */
    public static void main(final String[] args) {
        System.exit(run(Console.system(), args));
    }

    /** Runs a command and returns the exit code. */
    static int run(final Console console, final String... args) {
        final Main main = new Main(console);
        int exitCode;
        try {
            exitCode = main.commandLine().execute(args);
            if (!main.outputFailed) {
                console.flush();
            }
        } catch (final OutputException e) {
            exitCode = main.fail("nestling", e);
        } catch (final Error e) {
            exitCode = main.fail("nestling", e);
        }
        return exitCode;
    }

    /** Checks a command and its arguments without running it. */
    static void parse(final String... args) {
        new Main(Console.system()).commandLine().parseArgs(args);
    }

    private CommandLine commandLine() {
        final PrintWriter out = new PrintWriter(console.out(), false, StandardCharsets.UTF_8);
        return OptionConverters.addTo(new CommandLine(this))
            .setOut(out)
            .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
            .setExpandAtFiles(false) // a key may begin with '@'
            .setParameterExceptionHandler((e, args) -> wrongUsage(e))
            .setExecutionExceptionHandler(
                (e, command, result) -> fail(command.getCommandSpec().qualifiedName(), e))
            .setExecutionStrategy(result -> {
                final int exitCode = new CommandLine.RunLast().execute(result);
                out.flush();
                return exitCode;
            });
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(),
            "expected a command, one of " + String.join(", ", spec.subcommands().keySet()));
    }

    /** Returns the streams of this call. */
    Console console() {
        return console;
    }

    private int wrongUsage(final ParameterException e) {
        final CommandLine command = e.getCommandLine();
        final String name = command.getCommandSpec().qualifiedName();
        console.err().println(name + ": " + Messages.of(new CommandException(problem(e), e)) + " (" + name + " --help)");
        return CommandLine.ExitCode.USAGE;
    }

    private String problem(final ParameterException e) {
        final CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException) {
            return problem((UnmatchedArgumentException) e);
        }
        final List<String> unmatched = command.getUnmatchedArguments();
        if (e instanceof MissingParameterException && !unmatched.isEmpty()) {
            return problem(new UnmatchedArgumentException(command, unmatched));
        }
        final ArgSpec argument = e.getArgSpec();
        if (e.getCause() instanceof TypeConversionException && argument != null) {
            return (argument.isOption() ? ((OptionSpec) argument).longestName() : argument.paramLabel())
                + ": " + e.getCause().getMessage();
        }
        return e.getMessage();
    }

    private String problem(final UnmatchedArgumentException e) {
        final CommandSpec command = e.getCommandLine().getCommandSpec();
        final String word = "'" + e.getUnmatched().get(0) + "'";
        if (e.isUnknownOption()) {
            final List<String> similar = e.getSuggestions();
            return "unknown option " + word
                + (similar.isEmpty() ? "" : "; similar: " + String.join(", ", similar))
                + (command.positionalParameters().isEmpty() ? "" : "; put -- before a name or key that begins with '-'");
        }
        return command != spec ? "unexpected argument " + word
            : "expected one of " + String.join(", ", spec.subcommands().keySet()) + " but was " + word;
    }

    private int fail(final String command, final Throwable e) {
        outputFailed |= e instanceof OutputException;
        if (e instanceof OutputException output && output.isReaderGone()) {
            return CommandLine.ExitCode.OK;
        }
        if (!(e instanceof StoppedException)) {
            console.err().println(command + ": " + Messages.of(e));
            if (debug) {
                e.printStackTrace(console.err());
            }
        }
        return CommandLine.ExitCode.SOFTWARE;
    }
}
