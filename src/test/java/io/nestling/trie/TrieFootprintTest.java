/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.index.IndexContext;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a trie takes: of the heap nothing a key, off the heap little, and after close nothing at all. */
class TrieFootprintTest {
    private static final int KEY_BYTES = 8;
    private static final long MIB = 1 << 20;
    private static final long SLAB_BYTES = 1 << 30;
    private static final Pattern RANGE = Pattern.compile("^([0-9a-f]{6,})-([0-9a-f]{6,}) ");

    @Test
    void shouldTakeNoHeapPerKey() throws IOException {
        load(1_000_000, 60);
    }

    @Test
    @Tag("long")
    void shouldTakeAtMostFortyBytesPerKeyOfTenMillion() throws IOException {
        load(10_000_000, 40);
    }

    private static void load(final int keys, final double maxBytesPerKey) throws IOException {
        final Random random = Seeds.random("TrieFootprintTest");
        final byte[] key = new byte[KEY_BYTES];
        final long heapBefore = usedHeap();
        final InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(SLAB_BYTES));
        for (int i = 0; i < keys; i++) {
            random.nextBytes(key);
            trie.put(key, 0, KEY_BYTES, i);
        }
        final long heapGrowth = usedHeap() - heapBefore;
        final double bytesPerKey = (double) trie.bytesUsed() / trie.entryCount();
        final long address = trie.nodes.slab().address(0);
        final long resident = residentBytesAt(address);
        assertTrue(heapGrowth < 4 * MIB, heapGrowth + " bytes of heap for " + keys + " keys");
        assertTrue(bytesPerKey <= maxBytesPerKey, bytesPerKey + " bytes a key");
        assertTrue(Math.abs(trie.entryCount() - keys) < keys / 100, "random keys are distinct");
        trie.close();
        assumeTrue(resident > 0, "the mapping is found by its address in /proc/self/smaps");
        assertTrue(resident >= trie.bytesUsed(), "resident " + resident + " of " + trie.bytesUsed());
        assertEquals(0, residentBytesAt(address), "resident bytes after close");
    }

    @Test
    void shouldGiveEverythingBackToTheBudget() {
        final IndexContext context = IndexContext.standalone(64 * MIB);
        final InMemoryTrie trie = new InMemoryTrie(context);
        assertTrue(context.budget().used() > 0);
        trie.close();
        assertEquals(0, context.budget().used());
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Resident bytes of the mapping that holds an address; 0 if there is none. */
    private static long residentBytesAt(final long address) throws IOException {
        final Path smaps = Path.of("/proc/self/smaps");
        if (address == 0 || !Files.isReadable(smaps)) {
            return 0;
        }
        // The slab's first part and the rest of it are two mappings, one behind the other.
        long next = address;
        boolean inside = false;
        long bytes = 0;
        for (final String line : Files.readAllLines(smaps)) {
            final Matcher range = RANGE.matcher(line);
            if (range.find()) {
                final long end = Long.parseUnsignedLong(range.group(2), 16);
                inside = Long.parseUnsignedLong(range.group(1), 16) <= next && next < end && end <= address + SLAB_BYTES;
                next = inside ? end : next;
            } else if (inside && line.startsWith("Rss:")) {
                bytes += Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        return bytes;
    }
}
