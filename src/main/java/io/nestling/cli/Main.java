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
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line. Results go to the standard output, everything else to the error stream; the exit code is
 * 0, 1 if a command failed, or 2 if it was called in a wrong way.
 */
@Command(name = "nestling", versionProvider = VersionReport.class,
    sortOptions = false,
    description = {"Off-heap memtables for LSM stores: fill them, write them to tables, read these.", ""},
    subcommands = {LoadCommand.class, GetCommand.class, ScanCommand.class, VerifyCommand.class,
        InspectCommand.class, BenchCommand.class},
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands (nestling COMMAND --help tells more):%n",
    footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong usage.", "",
        "Environment: NESTLING_JAVA names the java program, NESTLING_JAVA_OPTS options for it."})
public final class Main implements Runnable {
    private final Console console;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

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

    /**
     * Runs a command and ends the process.
     *
     * @param args the command and its arguments
     */
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
        return new CommandLine(this)
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
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    /** The streams of this call. */
    Console console() {
        return console;
    }

    private int wrongUsage(final ParameterException e) {
        final CommandLine command = e.getCommandLine();
        final String name = command.getCommandSpec().qualifiedName();
        console.err().println(name + ": " + Messages.of(new CommandException(problem(e), e))
            + " (" + name + " --help)");
        return CommandLine.ExitCode.USAGE;
    }

    private String problem(final ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException)) {
            return e.getMessage();
        }
        final UnmatchedArgumentException unmatched = (UnmatchedArgumentException) e;
        final String word = "'" + unmatched.getUnmatched().get(0) + "'";
        if (unmatched.isUnknownOption()) {
            final List<String> similar = unmatched.getSuggestions();
            return "unknown option " + word
                + (similar.isEmpty() ? "" : "; similar: " + String.join(", ", similar));
        }
        return e.getCommandLine().getCommandSpec() != spec ? "unexpected argument " + word
            : "unknown command " + word + ", there is: " + String.join(", ", spec.subcommands().keySet());
    }

    private int fail(final String command, final Throwable e) {
        outputFailed |= e instanceof OutputException;
        if (e instanceof OutputException && ((OutputException) e).isReaderGone()) {
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
