/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bridge.BridgeReport;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Describes the machine and process of a run.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class MachineProbe {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL_NAME = "model name";
    private static final long MODEL_BYTES = 1L << 30;
    private static final long SMALLEST_MODEL_BYTES = 128L << 20;
    private static final int COPIES = 4;
    private static final long MODEL_NANOS = 20_000_000L;
    private static final String UNKNOWN = "unknown";
    private static final String OWN_OPTIONS = "-Dio.nestling.";

    private MachineProbe() {
    }

    /** Returns the facts on machine and process, and the user's command, in the order in which to show them. */
    public static Map<String, Object> facts(final String command) {
        final BridgeReport bridge = BridgeReport.probe();
        final Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("date", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS)));
        facts.put("command", command);
        facts.put("version", version());
        facts.put("processor", processor());
        facts.put("cores", Runtime.getRuntime().availableProcessors());
        SystemMemory.ofSystem("MemTotal").ifPresent(bytes -> facts.put("memoryBytes", bytes));
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
            + System.getProperty("os.arch"));
        facts.put("jdk", bridge.jdk());
        facts.put("heapBytes", Runtime.getRuntime().maxMemory());
        facts.put("collector", ManagementFactory.getGarbageCollectorMXBeans().stream().map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", ")));
        facts.put("options", options());
        facts.put("bridge", bridge.bridge());
        facts.put("hugePages", bridge.hugePages());
        facts.put("hugePagesOfKernel", bridge.kernelSetting());
        facts.put("glibcTunables", Optional.ofNullable(System.getenv("GLIBC_TUNABLES")).orElse(""));
        return facts;
    }

    /**
     * Returns the options of the virtual machine that speed depends on: by size and kind of the heap a collector moves a peer's
     * objects.
     */
    private static String options() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("-X") || option.startsWith(OWN_OPTIONS)).collect(Collectors.joining(" "));
    }

    private static String version() {
        final String version = MachineProbe.class.getPackage().getImplementationVersion();
        return version == null ? UNKNOWN : version;
    }

    private static String processor() {
        try {
            return Files.readAllLines(PROCESSORS).stream().filter(line -> line.startsWith(MODEL_NAME))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse(UNKNOWN);
        } catch (final IOException e) {
            return UNKNOWN;
        }
    }

    /**
     * Measures the memory in a few seconds, with one gibibyte twice, or less if four times that is not available. Empty if too
     * little memory is available.
     */
    public static Optional<MachineModel> model() {
        long bytes = MODEL_BYTES;
        final long available = SystemMemory.now().availableBytes().orElse(COPIES * MODEL_BYTES);
        while (COPIES * bytes > available) {
            bytes >>= 1;
        }
        return bytes < SMALLEST_MODEL_BYTES ? Optional.empty() : Optional.of(new MemoryModelProbe(bytes, MODEL_NANOS).measure());
    }
}
