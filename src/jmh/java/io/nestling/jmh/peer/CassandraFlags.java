/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Flags of the virtual machine without which Cassandra's classes do not work, from the file {@code
 * cassandra.flags}.
 */
public final class CassandraFlags {
    private static final String RESOURCE = "cassandra.flags";
    private static final String OPENS = "--add-opens=";
    private static final String EXPORTS = "--add-exports=";

    private CassandraFlags() {
    }

    /**
     * All of them.
     *
     * @return flags of the form {@code --add-opens=module/package=ALL-UNNAMED} or {@code --add-exports=...}
     */
    public static List<String> all() {
        try (InputStream stream = CassandraFlags.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("resource " + RESOURCE + " is missing");
            }
            return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)).lines()
                .map(String::strip).filter(line -> line.startsWith("--")).toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Those that this virtual machine was started without.
     *
     * @return a part of all flags
     */
    public static List<String> missing() {
        final List<String> missing = new ArrayList<>();
        for (final String flag : all()) {
            if (!isGiven(flag)) {
                missing.add(flag);
            }
        }
        return missing;
    }

    private static boolean isGiven(final String flag) {
        final boolean opens = flag.startsWith(OPENS);
        final String target = flag.substring(opens ? OPENS.length() : EXPORTS.length());
        final int slash = target.indexOf('/');
        final String packageName = target.substring(slash + 1, target.indexOf('='));
        final Module reader = CassandraFlags.class.getModule();
        return ModuleLayer.boot().findModule(target.substring(0, slash))
            .map(module -> opens ? module.isOpen(packageName, reader) : module.isExported(packageName, reader))
            .orElse(true);
    }
}
