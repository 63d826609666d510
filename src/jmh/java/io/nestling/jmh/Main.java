/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.jmh.peer.CassandraFlags;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Starts JMH with what this suite needs: a header with bridge, pages and machine, the profiler of the garbage
 * collector unless another one is asked for, and in each fork the flags that some peers cannot do without.
 */
public final class Main {
    private static final Set<String> ONLY_TELLING = Set.of("-h", "-l", "-lp", "-lprof", "-lrf");
    private static final String PROFILER = "-prof";
    private static final String FORK_FLAGS = "-jvmArgsPrepend";
    private static final int NATIVE_ACCESS_SINCE = 22;
    private static final int UNSAFE_OPTION_SINCE = 23;

    private Main() {
    }

    /**
     * Runs benchmarks, or the check of the suite.
     *
     * @param arguments those of JMH; or {@code smoke} alone
     * @throws IOException if results cannot be written
     */
    public static void main(final String[] arguments) throws IOException {
        if (arguments.length == 1 && arguments[0].equals("smoke")) {
            Smoke.run();
            return;
        }
        final List<String> all = new ArrayList<>(List.of(arguments));
        if (all.stream().noneMatch(ONLY_TELLING::contains)) {
            System.out.println("# " + RunHeader.machine() + "\n# " + RunHeader.memory());
            if (!all.contains(PROFILER)) {
                all.addAll(List.of(PROFILER, "gc"));
            }
            addForkFlags(all);
        }
        org.openjdk.jmh.Main.main(all.toArray(new String[0]));
    }

    private static void addForkFlags(final List<String> arguments) {
        final String flags = String.join(" ", forkFlags());
        final int given = arguments.indexOf(FORK_FLAGS) + 1;
        if (given > 0 && given < arguments.size()) {
            arguments.set(given, flags + " " + arguments.get(given));
        } else {
            arguments.addAll(List.of(FORK_FLAGS, flags));
        }
    }

    /** The flags for this version of Java. */
    static List<String> forkFlags() {
        final List<String> flags = new ArrayList<>(CassandraFlags.all());
        final int version = Runtime.version().feature();
        if (version >= NATIVE_ACCESS_SINCE) {
            flags.add("--enable-native-access=ALL-UNNAMED");
        }
        if (version >= UNSAFE_OPTION_SINCE) {
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return flags;
    }
}
