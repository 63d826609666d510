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
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fails on every use of a package that {@link PackageRules} does not allow. */
class PackageDependencyTest {
    private static final int NEWER_RELEASE = 22;
    private static final Edge NEWER_EDGE =
            new Edge("io.nestling.bridge.FfmBridge$Functions", "java.lang.foreign.Linker");

    @TempDir
    private Path directory;

    @Test
    void shouldUseOnlyWhatTheRulesAllow() throws Exception {
        final Path classes = classes();
        final List<Edge> edges = ClassFileEdges.read(classes, isJar(classes) ? "base" : null);
        assertTrue(edges.contains(new Edge(NativeBridge.class.getName(), "io.nestling.bridge.MemoryAdvice")),
                () -> "too few edges were read: " + edges.size());
        assertNone(PackageRules.violations(edges));
    }

    @Test
    void shouldUseOnlyWhatTheRulesAllowInTheVersionForNewerJdks() throws Exception {
        final Path classes = classes();
        assumeTrue(isJar(classes) && Runtime.version().feature() >= NEWER_RELEASE, "needs a newer jdeps");
        assumeTrue(hasEntry(classes, "META-INF/versions/" + NEWER_RELEASE + "/"), "no newer classes");
        final List<Edge> edges = ClassFileEdges.read(classes, String.valueOf(NEWER_RELEASE));
        assertTrue(edges.contains(NEWER_EDGE),
                () -> "the newer version was not read: " + edges.size());
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
                PackageRules.violations(ClassFileEdges.read(out, null)));
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
                edge("memtable.Memtable", "me.tongfei.progressbar.ProgressBar"),
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

    private static boolean hasEntry(final Path jar, final String name) throws IOException {
        try (ZipFile file = new ZipFile(jar.toFile())) {
            return file.getEntry(name) != null;
        }
    }

    private static boolean isJar(final Path classes) {
        return classes.toString().endsWith(".jar");
    }

    /** What is tested: the packed jar; with -Pquick the directory, without the classes for newer JDKs. */
    private Path classes() throws URISyntaxException {
        final Path classes =
                Path.of(NativeBridge.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return isJar(classes) ? classes : baseClasses(classes);
    }

    /** A copy of a class directory without META-INF, which jdeps takes for classes of a wrong name. */
    private Path baseClasses(final Path classes) {
        final Path copy = directory.resolve("base");
        try (Stream<Path> files = Files.walk(classes.resolve("io"))) {
            for (final Path file : (Iterable<Path>) files::iterator) {
                final Path target = copy.resolve(classes.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        return copy;
    }

    private Path source(final String name, final String text) throws IOException {
        final Path file = directory.resolve("source").resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
