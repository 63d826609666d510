/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bridge.BridgeReport;
import io.nestling.catalog.IndexType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}: version, JDK, bridge, pages, indexes. */
final class VersionReport implements IVersionProvider {
    @Override
    public String[] getVersion() {
        final BridgeReport bridge = BridgeReport.probe();
        final List<String> lines = new ArrayList<>();
        lines.add("nestling " + version());
        lines.add(Figures.line("jdk", bridge.jdk()));
        lines.add(Figures.line("bridge", bridge.bridge()));
        for (final String refusal : bridge.refusals()) {
            lines.add(Figures.line("", "not " + refusal));
        }
        lines.add(Figures.line("2 MiB pages", hugePages(bridge)));
        lines.add(Figures.line("indexes", Arrays.stream(IndexType.values()).map(IndexType::indexName)
            .collect(Collectors.joining(", "))));
        return lines.toArray(new String[0]);
    }

    private static String version() {
        final String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not packed)" : version;
    }

    /** Returns whether the system provides huge pages, with the likely reason if not. */
    static String hugePages(final BridgeReport bridge) {
        if (bridge.hugePages()) {
            return "yes";
        }
        if (bridge.probedBytes() == 0) {
            return "no (the bridge '" + bridge.bridge() + "' cannot ask for them)";
        }
        return "no (" + Figures.bytes(bridge.hugeBytes()) + " of " + Figures.bytes(bridge.probedBytes())
            + "; setting of the kernel: " + bridge.kernelSetting() + ")";
    }
}
