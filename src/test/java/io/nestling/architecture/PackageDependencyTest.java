/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.architecture.PackageRules.Edge;
import io.nestling.bridge.NativeBridge;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fails on every use of a package that {@link PackageRules} does not allow. */
class PackageDependencyTest {
    private static final String MAIN = "io.nestling.cli.Main";
    private static final int NEWER_RELEASE = 22;
    private static final Edge NEWER_EDGE =
            new Edge("io.nestling.bridge.FfmBridge$Functions", "java.lang.foreign.Linker");

    @TempDir
    private Path directory;

    @Test
    void shouldUseOnlyWhatTheRulesAllow() throws Exception {
        final List<Edge> edges = ClassFileEdges.read(classes(false));
        assertRead(new Edge(NativeBridge.class.getName(), "io.nestling.bridge.MemoryAdvice"), edges);
        if (hasCommandLine()) {
            assertRead(new Edge(MAIN, "picocli.CommandLine"), edges);
        }
        assertNone(PackageRules.violations(edges));
    }

    @Test
    void shouldUseOnlyWhatTheRulesAllowInTheVersionForNewerJdks() throws Exception {
        assumeTrue(Runtime.version().feature() >= NEWER_RELEASE, "needs a newer jdeps");
        final Path classes = classes(true);
        assumeTrue(Files.exists(classes.resolve(NEWER_EDGE.from().replace('.', '/') + ".class")), "no newer classes");
        final List<Edge> edges = ClassFileEdges.read(classes);
        assertRead(NEWER_EDGE, edges);
        assertNone(PackageRules.violations(edges));
    }

    @Test
    void shouldFindAForbiddenUseInClassFiles() throws Exception {
        final Path upper = source("memtable/Planted.java",
                "package io.nestling.memtable; public class Planted { }");
        final Path lower = source("bytes/Lower.java",
                "package io.nestling.bytes; class Lower { Object o = new io.nestling.memtable.Planted(); }");
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final Path out = Files.createDirectory(directory.resolve("classes"));
        final int exitCode =
                compiler.run(null, null, null, "-d", out.toString(), upper.toString(), lower.toString());
        assertEquals(0, exitCode);

        assertEquals(
                List.of("io.nestling.bytes.Lower -> io.nestling.memtable.Planted"
                        + "   ('bytes' may not use 'memtable')"),
                PackageRules.violations(ClassFileEdges.read(out)));
    }

    @Test
    void shouldKnowTheForbiddenEdges() {
        final List<Edge> forbidden = List.of(
                edge("memtable.Memtable", "io.nestling.trie.InMemoryTrie"),
                edge("memtable.Memtable", "io.nestling.sstable.SstableWriter"),
                edge("sstable.SstableWriter", "io.nestling.memtable.Memtable"),
                edge("memtable.order.LazyKeySorter", "io.nestling.memtable.MemtableState"),
                edge("trie.InMemoryTrie", "io.nestling.wormhole.Wormhole"),
                edge("index.MergingCursor", "io.nestling.bridge.NativeBridge"),
                edge("adapter.cassandra.NestlingMemtable", "io.nestling.adapter.rocksdb.RocksSstSink"),
                edge("cli.Main", "io.nestling.adapter.cassandra.NestlingMemtable"),
                edge("cli.Main", "io.nestling.trie.InMemoryTrie"),
                edge("memtable.Memtable", "net.jpountz.lz4.LZ4Factory"),
                edge("catalog.IndexType", "picocli.CommandLine"),
                edge("memtable.Memtable", "io.micrometer.core.instrument.Gauge"),
                edge("trie.InMemoryTrie", "io.netty.buffer.ByteBuf"),
                edge("bytes.Varint", "org.agrona.DirectBuffer"),
                edge("index.PointIndex", "sun.misc.Unsafe"),
                edge("sstable.SstableReader", "com.google.common.hash.BloomFilter"),
                edge("util.Strings", "java.lang.Object"),
                edge("Main", "java.lang.Object"));
        for (final Edge edge : forbidden) {
            assertEquals(1, PackageRules.violations(List.of(edge)).size(), edge.toString());
        }
    }

    @Test
    void shouldKnowTheAllowedEdges() {
        final List<Edge> allowed = List.of(
                edge("bytes.Varint", "java.lang.Object"),
                edge("offheap.Slab", "io.nestling.bridge.NativeBridge"),
                edge("netty.NettyMemory", "io.netty.buffer.ByteBuf"),
                edge("index.cuckoo.RelocationPath", "io.nestling.index.PointIndex"),
                edge("cuckootrie.CuckooTrie", "io.nestling.index.cuckoo.RelocationPath"),
                edge("catalog.IndexType", "io.nestling.skiplist.SkipList"),
                edge("memtable.FreezeEvent", "jdk.jfr.Event"),
                edge("memtable.order.LazyKeySorter", "io.nestling.memtable.order.KeyLog"),
                edge("adapter.cassandra.NestlingMemtable", "org.apache.cassandra.db.memtable.Memtable"),
                edge("cli.Main", "io.nestling.catalog.IndexType"),
                edge("sstable.BlockBuilder", "net.jpountz.lz4.LZ4Factory"));
        assertNone(PackageRules.violations(allowed));
    }

    private static Edge edge(final String from, final String to) {
        return new Edge(PackageRules.ROOT + "." + from, to);
    }

    private static void assertNone(final List<String> violations) {
        assertTrue(violations.isEmpty(), () -> "forbidden uses:\n  " + String.join("\n  ", violations));
    }

    private static void assertRead(final Edge expected, final List<Edge> edges) {
        assertTrue(edges.contains(expected), () -> expected + " is not among the " + edges.size() + " edges that were read");
    }

    /** Copies what is tested, the packed jars or, with -Pquick, the directory: without module descriptors. */
    private Path classes(final boolean newer) throws Exception {
        final Path copy = directory.resolve("tested");
        final Set<URI> sources = new LinkedHashSet<>();
        sources.add(location(NativeBridge.class));
        if (hasCommandLine()) {
            sources.add(location(Class.forName(MAIN)));
        }
        for (final URI source : sources) {
            if (source.getPath().endsWith(".jar")) {
                try (FileSystem jar = FileSystems.newFileSystem(Path.of(source))) {
                    copy(jar.getPath("/"), copy, newer);
                }
            } else {
                copy(Path.of(source), copy, newer);
            }
        }
        return copy;
    }

    /** Returns whether the command line is there: the build of src/cassandra has the library alone. */
    private static boolean hasCommandLine() {
        return PackageDependencyTest.class.getResource("/" + MAIN.replace('.', '/') + ".class") != null;
    }

    private static URI location(final Class<?> source) throws URISyntaxException {
        return source.getProtectionDomain().getCodeSource().getLocation().toURI();
    }

    private static void copy(final Path root, final Path to, final boolean newer) throws IOException {
        copy(root, "io", to);
        if (newer) {
            copy(root.resolve("META-INF/versions/" + NEWER_RELEASE), "io", to);
        }
    }

    private static void copy(final Path root, final String folder, final Path to) throws IOException {
        if (Files.exists(root.resolve(folder))) {
            try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                for (final Path file : (Iterable<Path>) files::iterator) {
                    final Path target = to.resolve(root.relativize(file).toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(target);
                    } else {
                        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }

    private Path source(final String name, final String text) throws IOException {
        final Path file = directory.resolve("source").resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
