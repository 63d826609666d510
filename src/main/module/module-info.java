/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Off-heap memtables for LSM stores. {@link io.nestling.memtable.Memtable} is where to begin; {@link io.nestling.sstable} has the
 * table files that it is flushed into. Native access, where the JDK asks for it: {@code --enable-native-access=io.nestling}.
 */
// Agrona has only the name in its manifest, and its two buffer interfaces are parameters of Memtable.
@SuppressWarnings("requires-transitive-automatic")
module io.nestling {
    requires transitive org.agrona.core;
    requires org.lz4.java;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires static java.management;
    requires static com.github.benmanes.caffeine;
    requires static io.netty.buffer;
    requires static micrometer.core;

    exports io.nestling.bytes;
    exports io.nestling.caffeine;
    exports io.nestling.catalog;
    exports io.nestling.index;
    exports io.nestling.key;
    exports io.nestling.memory;
    exports io.nestling.memtable;
    exports io.nestling.micrometer;
    exports io.nestling.netty;
    exports io.nestling.sstable;
    exports io.nestling.trie.view;
}
