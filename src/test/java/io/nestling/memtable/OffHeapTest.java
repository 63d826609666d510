/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.NativeBridges;
import io.nestling.catalog.IndexType;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.junit.jupiter.api.Test;

class OffHeapTest {
    private static final int KEYS = 3000;

    @Test
    void shouldCountEachPurpose() {
        final Set<Memtable> both = Collections.synchronizedSet(new LinkedHashSet<>());
        final OffHeap view = new OffHeap(both);
        assertEquals(0, view.getReservedBytes());
        try (Memtable trie = open(IndexType.TRIE); Memtable cuckoo = open(IndexType.COCUCKOO)) {
            fill(trie);
            trie.deleteRange(key(0), key(10));
            both.add(trie);
            final long index = view.getIndexBytes();
            assertEquals(trie.stats().indexBytes() - trie.state().heap().bytes(), index);
            assertEquals(0, view.getOrderBytes());
            assertEquals(trie.stats().rangeTombstoneBytes(), view.getRangeTombstoneBytes());
            assertEquals(trie.stats().recordBytes(), view.getRecordBytes());
            fill(cuckoo);
            both.add(cuckoo);
            assertEquals(2, view.getMemtables());
            assertTrue(view.getOrderBytes() >= KEYS * 16L, view.getOrderBytes() + " bytes");
            assertEquals(index + cuckoo.stats().indexBytes() - cuckoo.state().heap().bytes(),
                view.getIndexBytes() + view.getOrderBytes());
            final long parts =
                view.getIndexBytes() + view.getOrderBytes() + view.getRecordBytes() + view.getRangeTombstoneBytes();
            assertTrue(view.getReservedBytes() >= parts, view.getReservedBytes() + " of " + parts);
        }
        assertEquals(0, view.getIndexBytes() + view.getRecordBytes() + view.getOrderBytes() + view.getReservedBytes());
    }

    @Test
    void shouldKnowOpenMemtables() {
        final Memtable memtable = open(IndexType.TRIE);
        assertTrue(OffHeap.isOpen(memtable));
        memtable.close();
        assertFalse(OffHeap.isOpen(memtable));
    }

    @Test
    void shouldRegisterABean() throws Exception {
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        final ObjectName name = new ObjectName(OffHeap.OBJECT_NAME);
        OffHeap.unregister();
        OffHeap.register();
        try (Memtable memtable = open(IndexType.TRIE)) {
            fill(memtable);
            assertThrows(IllegalStateException.class, OffHeap::register);
            final OffHeapMXBean bean = JMX.newMXBeanProxy(server, name, OffHeapMXBean.class);
            assertTrue(bean.getRecordBytes() >= memtable.stats().recordBytes());
            assertEquals(NativeBridges.description(), bean.getBridge());
        } finally {
            OffHeap.unregister();
        }
        assertFalse(server.isRegistered(name));
    }

    private static Memtable open(final IndexType index) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(1).capacityBytes(4 << 20).build());
    }

    private static void fill(final Memtable memtable) {
        for (int i = 0; i < KEYS; i++) {
            memtable.put(key(i), new byte[10]);
        }
    }

    private static byte[] key(final int i) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
    }
}
