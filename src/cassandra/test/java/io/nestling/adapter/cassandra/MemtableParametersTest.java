/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.exceptions.ConfigurationException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MemtableParametersTest {
    @BeforeAll
    static void start() {
        CassandraProcess.start();
    }

    @Test
    void shouldTakeWhatItKnowsOutOfTheMap() {
        final Map<String, String> options = new HashMap<>(Map.of(
            "index", "wormhole", "row_index", "trie", "storage", "off_heap", "shards", "3",
            "wide_partition_bytes", "100", "other", "x"));
        NestlingMemtable.factory(options);
        assertEquals(Map.of("other", "x"), options);
    }

    @Test
    void shouldMakeEqualFactoriesOfEqualParameters() {
        final Object one = NestlingMemtable.factory(new HashMap<>(Map.of("index", "trie", "shards", "2")));
        final Object other = NestlingMemtable.factory(new HashMap<>(Map.of("index", "TRIE", "shards", "2")));
        assertEquals(one, other);
        assertEquals(one.hashCode(), other.hashCode());
        assertNotEquals(one, NestlingMemtable.factory(new HashMap<>(Map.of("index", "trie", "shards", "3"))));
    }

    @ParameterizedTest
    @CsvSource({
        "index,btree,wormhole", "row_index,btree,wormhole", "index,cocuckoo,skip_list",
        "storage,disk,partitions_on_heap", "shards,0,1 to 1024", "shards,many,1 to 1024",
        "wide_partition_bytes,-1,0 to 1048576"})
    void factoryThrowsConfigurationExceptionWhenValueIsUnknown(
        final String name, final String value, final String limits) {
        final ConfigurationException e = assertThrows(
            ConfigurationException.class, () -> NestlingMemtable.factory(new HashMap<>(Map.of(name, value))));
        for (final String part : new String[] {name, value, limits}) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
    }
}
