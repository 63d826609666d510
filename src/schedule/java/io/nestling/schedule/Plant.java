/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A bug that is planted in the product to see that the search finds it. A file {@code NAME.plant} says in its first line what the
 * bug is, then names the source file, the kind of scenarios and the memory that find it,
 * the number of schedules within which it has to be found, and which text is replaced by which:
 * <pre>
 * what the bug is
 * file: wormhole/LeafSnapshot.java
 * kind: wormhole
 * memory: weak
 * schedules: 30000
 * &lt;&lt;&lt;&lt;
 * text before
 * ====
 * text after
 * &gt;&gt;&gt;&gt;
 * </pre>
 * A text that the source does not have is an error: a rename has to change the plant too.
 *
 * @param name name of the plant
 * @param kind kind of the scenarios that find it
 * @param weak whether it takes weak memory to find it
 * @param schedules schedules within which it has to be found
 * @param source name of the source file below {@code io/nestling}
 * @param text the source with the bug
 */
record Plant(String name, String kind, boolean weak, long schedules, String source, String text) {
    private static final String SUFFIX = ".plant";

    /** Reads all plants of a directory, by name. */
    static List<Plant> all(final Path directory, final Path sources) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX)).sorted().map(file -> read(file, sources)).toList();
        }
    }

    private static Plant read(final Path file, final Path sources) {
        final String name = file.getFileName().toString().replace(SUFFIX, "");
        try {
            final String plant = Files.readString(file);
            final String source = value(name, plant, "file");
            String text = Files.readString(sources.resolve("io/nestling").resolve(source));
            int end = plant.indexOf("<<<<\n");
            if (end < 0) {
                throw wrong(name, "it replaces no text: expected <<<<, ==== and >>>> in lines of their own");
            }
            for (int at = end; at >= 0; at = plant.indexOf("<<<<\n", end)) {
                final int middle = plant.indexOf("\n====\n", at);
                end = plant.indexOf("\n>>>>", middle + 5);
                if (middle < 0 || end < 0) {
                    throw wrong(name, "expected ==== and >>>> behind each <<<<");
                }
                final String before = plant.substring(at + 5, middle);
                if (!text.contains(before)) {
                    throw wrong(name, source + " does not have this text any more:\n" + before);
                }
                text = text.replace(before, end > middle + 5 ? plant.substring(middle + 6, end) : "");
            }
            return new Plant(name, value(name, plant, "kind"),
                Input.isWeak("plant " + name + ": memory", value(name, plant, "memory")),
                Input.number("plant " + name + ": schedules", value(name, plant, "schedules")), source, text);
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException("plant " + name + ": " + e, e);
        }
    }

    private static IllegalStateException wrong(final String name, final String what) {
        return new IllegalStateException("plant " + name + ": " + what);
    }

    private static String value(final String name, final String plant, final String key) {
        return plant.lines().filter(line -> line.startsWith(key + ": ")).findFirst()
            .orElseThrow(() -> wrong(name, "expected a line \"" + key + ": \"")).substring(key.length() + 2);
    }

    /** Compiles the source with the bug against the product on the class path; returns the class files by internal name. */
    Map<String, byte[]> compile() {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        final Map<String, ByteArrayOutputStream> files = new HashMap<>();
        final JavaFileManager manager = new ForwardingJavaFileManager<>(compiler.getStandardFileManager(problems, null, null)) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                final Location location, final String className, final JavaFileObject.Kind fileKind, final FileObject sibling) {
                final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                files.put(className.replace('.', '/'), bytes);
                return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/')), fileKind) {
                    @Override
                    public OutputStream openOutputStream() {
                        return bytes;
                    }
                };
            }
        };
        final JavaFileObject unit =
            new SimpleJavaFileObject(URI.create("memory:///io/nestling/" + source), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(final boolean ignoreEncodingErrors) {
                    return text;
                }
            };
        final List<String> options = List.of("-proc:none", "-nowarn", "-g", "-cp", System.getProperty("java.class.path"));
        if (!compiler.getTask(null, manager, problems, options, null, List.of(unit)).call()) {
            throw new IllegalStateException("plant " + name + " does not compile: " + problems.getDiagnostics());
        }
        final Map<String, byte[]> classes = new HashMap<>();
        files.forEach((className, bytes) -> classes.put(className, bytes.toByteArray()));
        return classes;
    }
}
