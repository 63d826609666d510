/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Supplier;

/**
 * Checks a whole list. No writer may work meanwhile.
 * <ol>
 * <li>Keys ascend strictly along level 0.
 * <li>Level {@code i} links exactly the nodes of a height above {@code i}, in the order of level 0, and ends with null.
 * <li>A node's chunk holds the bytes of its key at the chunk's position, zeroes behind the key's end, and its meta word has the
 * number of these bytes.
 * <li>No node of a level is dead, and no link marked; every node is flagged as linked and none as unlinked.
 * <li>No node is higher than the list, and no height is outside 1 to {@link SkipListNodeLayout#MAX_HEIGHT}.
 * <li>Nodes, cells, free, retired and lost units fill the arena up to its position and share nothing.
 * <li>The number of nodes is the entry count.
 * <li>Each node has one slot in the hash, in its bucket, unless that is incomplete; no bucket is locked, and none has other
 * nodes.
 * </ol>
 */
final class SkipListVerifier {
    private final Nodes nodes;
    private final KeySource keys;
    private final NodeArena arena;
    private final NodeHash hash;
    private final long entryCount;
    private final BitSet units = new BitSet();
    private final int[] expected = new int[MAX_HEIGHT];
    private long hashedNodes;
    private byte[] keyBefore = new byte[0];
    private byte[] key = new byte[0];

    SkipListVerifier(final Nodes nodes, final NodeArena arena, final NodeHash hash, final long entryCount) {
        this.hash = hash;
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.arena = arena;
        this.entryCount = entryCount;
    }

    void verify() {
        Arrays.setAll(expected, level -> nodes.link(HEAD, level));
        long count = 0;
        for (int node = expected[0]; node != NULL; node = expected[0]) {
            visit(node, count == 0);
            count++;
        }
        for (int level = 1; level < MAX_HEIGHT; level++) {
            final int at = level;
            check(expected[level] == NULL, 2, () -> "level " + at + " goes on to node " + expected[at]);
        }
        final long found = count;
        check(found == entryCount, 7, () -> found + " nodes found, entry count is " + entryCount);
        checkBuckets();
        checkUnits();
    }

    private void visit(final int node, final boolean first) {
        final int meta = nodes.meta(node);
        final int height = height(meta);
        check(height >= 1 && height <= MAX_HEIGHT && height <= nodes.height(), 5,
            () -> "node " + node + " has height " + height + ", the list " + nodes.height());
        claim(node, units(height));
        final long payload = nodes.payload(node);
        check(payload >= 0 && (meta & LINKED) != 0 && (meta & UNLINKED) == 0, 4,
            () -> "node " + node + " has payload " + payload + " and meta " + Integer.toHexString(meta));
        for (int level = 0; level < height; level++) {
            final int at = level;
            if (expected[level] != node && level > 0 && nodes.isIncomplete()) {
                break;
            }
            check(expected[level] == node, 2,
                () -> "level " + at + " leads to node " + expected[at] + " in place of " + node);
            expected[level] = nodes.link(node, level);
            check(expected[level] >= 0, 4, () -> "link " + at + " of node " + node + " is marked");
        }
        key = new byte[keys.keyLength(payload)];
        keys.copyKey(payload, key, 0);
        check(first || Arrays.compareUnsigned(keyBefore, key) < 0, 1,
            () -> "node " + node + " has key " + text(key) + " after " + text(keyBefore));
        checkChunk(node, meta);
        checkHash(node);
        keyBefore = key;
    }

    private void checkChunk(final int node, final int meta) {
        final int position = chunkPosition(meta);
        final int rest = key.length - position;
        check(rest >= 0 && chunkEnd(meta) == Math.min(rest, GOES_ON), 3,
            () -> "node " + node + ": chunk at " + position + " has " + chunkEnd(meta) + " of " + key.length + " bytes");
        long chunk = 0;
        for (int i = 0; i < CHUNK_BYTES; i++) {
            chunk = chunk << Byte.SIZE | (position + i < key.length ? key[position + i] & 0xFF : 0);
        }
        final long right = chunk;
        check(nodes.chunk(node) == right, 3, () -> "node " + node + " has chunk " + Long.toHexString(nodes.chunk(node))
            + ", its key at " + position + " is " + Long.toHexString(right));
    }

    private void checkHash(final int node) {
        final long hashed = nodes.hashOf(key, 0, key.length);
        final boolean has = hash.has(hashed, node);
        check(has || hash.isIncomplete(hashed), 8, () -> "node " + node + " of key " + text(key) + " is not in the hash");
        hashedNodes += has ? 1 : 0;
    }

    private void checkBuckets() {
        long slots = 0;
        for (int bucket = 0; bucket < hash.buckets(); bucket++) {
            final int at = bucket;
            check((hash.header(bucket) & NodeHashLayout.LOCKED) == 0, 8, () -> "bucket " + at + " is locked");
            for (final int cell : hash.cells(bucket)) {
                claim(cell, LOW_UNITS);
            }
            slots += hash.slotsTaken(bucket);
        }
        final long taken = slots;
        check(taken == hashedNodes, 8, () -> taken + " slots for " + hashedNodes + " nodes");
    }

    private void checkUnits() {
        for (int size = 1; size <= MAX_UNITS; size++) {
            for (final int node : arena.freeNodes(size)) {
                claim(node, size);
            }
        }
        final long missing = arena.endOfUnits() - FIRST_UNIT - units.cardinality() - arena.unitsLost();
        check(missing << UNIT_SHIFT == arena.bytesRetired(), 6,
            () -> missing + " units belong to nothing, " + arena.bytesRetired() + " bytes are retired");
    }

    private void claim(final int node, final int size) {
        check(node >= FIRST_UNIT && node + size <= arena.endOfUnits(), 6, () -> "node " + node + " is outside the arena");
        final int taken = units.nextSetBit(node);
        check(taken < 0 || taken >= node + size, 6, () -> "unit " + taken + " has two owners");
        units.set(node, node + size);
    }

    private static String text(final byte[] key) {
        return Arrays.toString(Arrays.copyOf(key, Math.min(key.length, 100)));
    }

    private static void check(final boolean holds, final int invariant, final Supplier<String> what) {
        if (!holds) {
            throw new IllegalStateException("invariant " + invariant + " is broken: " + what.get());
        }
    }
}
