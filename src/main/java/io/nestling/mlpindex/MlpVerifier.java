/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.Locale;

/**
 * Checks the whole structure.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes fill the first cells of their bucket without gaps, and the other cells are zero; a node stands in one of the two
 * buckets of its prefix; the writer's counts of cells and leaves are right.
 * <li>A bit of the flat levels is set exactly if the table has a node at the first level for its prefix.
 * <li>Every child of an inner node has a node one level below the node's fullKeyLen, and every node of the table is reached once
 * this way.
 * <li>An inner node has at least two children, or one inner node that is too wide to replace it; as many cells as its children
 * need, or one more; its fullKeyLen is not below its level; unused bytes of a list repeat a child.
 * <li>The key of an inner node is the smallest word below it.
 * <li>The payload of a leaf of another length has a key with the leaf's word; keys of a run ascend, no chunk is empty; the number
 * of keys is the index's count.
 * <li>Blocks in use are those of flat levels, runs and boxes.
 * </ol>
 */
final class MlpVerifier implements NodeVisit.Visitor {
    private final MlpIndex index;
    private final BucketTable table;
    private final LeafReader leaves;
    private final KeySource keys;
    private final long[] leafCounts = new long[LAST_LEVEL + 1];
    private long nodes;
    private long entries;
    private long blockBytes = BlockAllocator.RESERVED_BYTES;
    private long lastWord;
    private boolean anyLeaf;
    private byte[] before;

    MlpVerifier(final MlpIndex index) {
        this.index = index;
        this.table = index.lookup().table();
        this.leaves = index.lookup().leaves();
        this.keys = leaves.keys();
    }

    void verify() {
        final long inTable = verifyBuckets();
        new NodeVisit(index.lookup(), this).run();
        require(nodes == inTable, 3, "%d nodes are reached, the table has %d", nodes, inTable);
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            require(leafCounts[level] == index.writer().counts().leaves(level), 1, "%d leaves at level %d, %d were counted",
                leafCounts[level], level, index.writer().counts().leaves(level));
        }
        require(entries == index.entryCount(), 6, "%d keys, the index counts %d", entries, index.entryCount());
        blockBytes += index.lookup().flat().bytesUsed();
        require(blockBytes == index.blocks().bytesUsed(), 7, "%d bytes of blocks are known, %d are in use", blockBytes,
            index.blocks().bytesUsed());
    }

    private static void require(final boolean condition, final int invariant, final String text, final Object... values) {
        if (!condition) {
            throw new IllegalStateException("invariant " + invariant + ": " + String.format(Locale.ROOT, text, values));
        }
    }

    private long verifyBuckets() {
        final Node node = new Node();
        long cells = 0;
        long count = 0;
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            int cell = 0;
            for (final int used = table.used(bucket); cell < used; cell += cells(node.meta)) {
                table.read(bucket, cell, node);
                require(cell + cells(node.meta) <= CELLS, 1, "a node leaves bucket %d", bucket);
                final long hash = table.hash(node.key, level(node.meta));
                require(BucketTable.primary(hash, table.buckets()) == bucket
                    || BucketTable.secondary(hash, table.buckets()) == bucket, 1,
                    "word %x at level %d does not belong into bucket %d", node.key, level(node.meta), bucket);
                count++;
            }
            cells += cell;
            for (; cell < CELLS; cell++) {
                table.read(bucket, cell, node);
                require(node.meta == FREE && node.key == 0, 1, "free cell %d of bucket %d is not zero", cell, bucket);
            }
        }
        require(cells == index.writer().cellsUsed(), 1, "%d cells are in use, %d were counted", cells,
            index.writer().cellsUsed());
        return count;
    }

    @Override
    public void visit(final Node node, final int depth) {
        nodes++;
        if (isLeaf(node.meta)) {
            leafCounts[level(node.meta)]++;
            verifyLeaf(node);
        } else {
            verifyInner(node);
        }
    }

    private void verifyInner(final Node node) {
        final int full = fullKeyLen(node.meta);
        final long[] bits = new long[ChildMap.WORDS];
        node.copyBits(bits, 0);
        final int count = ChildMap.size(bits);
        require(full >= level(node.meta) && full < LAST_LEVEL, 4, "fullKeyLen %d at level %d", full, level(node.meta));
        require(count == count(node.meta), 4, "%d children, %d counted, of word %x", count, count(node.meta), node.key);
        require(count >= 1 && (cells(node.meta) != SMALL_CELLS || count <= SMALL_CHILDREN)
            && (cells(node.meta) != MEDIUM_CELLS || count <= MEDIUM_CHILDREN && count > SMALL_CHILDREN - 2)
            && (cells(node.meta) != LARGE_CELLS || count > MEDIUM_CHILDREN - 4), 4,
            "%d children in %d cells", count, cells(node.meta));
        final Node first = new Node();
        final int child = ChildMap.ceiling(bits, 0);
        require(table.find(KeyWord.extend(node.key, full, child), full + 1, first), 3, "no first child of %x", node.key);
        require(count > 1 || cells(first.meta) > cells(node.meta), 4, "one child, of %d cells, below word %x",
            cells(first.meta), node.key);
        require(node.key == first.key, 5, "minKey %x, the first child has %x", node.key, first.key);
    }

    private void verifyLeaf(final Node node) {
        require(!anyLeaf || Long.compareUnsigned(lastWord, node.key) < 0, 3, "word %x after %x", node.key, lastWord);
        anyLeaf = true;
        lastWord = node.key;
        final long payload = MlpNodeLayout.payload(node.meta);
        if (kind(node.meta) == RUN) {
            before = null;
            verifyRun(payload, node.key);
            return;
        }
        entries++;
        if (kind(node.meta) == SINGLE) {
            final byte[] key = key(payload);
            require(key.length != KeyWord.BYTES && KeyWord.of(key, 0, key.length) == node.key, 6,
                "payload %d has another key than word %x", payload, node.key);
        } else if (kind(node.meta) == BOXED) {
            blockBytes += MlpBlockClasses.bytes(0);
            require(leaves.unbox(payload) > MAX_LEAF_PAYLOAD, 6, "a box for payload %d", leaves.unbox(payload));
        }
    }

    private void verifyRun(final long run, final long word) {
        final Runs runs = leaves.runs();
        final long header = runs.header(run);
        blockBytes += MlpBlockClasses.bytes(Runs.sizeClass(header));
        if (Runs.kind(header) == Runs.CHUNK) {
            verifyChunk(runs, run, word);
            return;
        }
        require(Runs.count(header) > 1, 6, "a directory of %d chunks", Runs.count(header));
        for (int i = 0; i < Runs.count(header); i++) {
            final long chunk = runs.entry(run, i);
            blockBytes += MlpBlockClasses.bytes(Runs.sizeClass(runs.header(chunk)));
            verifyChunk(runs, chunk, word);
        }
    }

    private void verifyChunk(final Runs runs, final long chunk, final long word) {
        final int count = Runs.count(runs.header(chunk));
        require(count > 0 && count <= Runs.capacity(Runs.sizeClass(runs.header(chunk))), 6, "a chunk of %d keys", count);
        for (int i = 0; i < count; i++) {
            final byte[] key = key(runs.entry(chunk, i));
            require(KeyWord.of(key, 0, key.length) == word, 6, "a key with another word than %x", word);
            require(before == null || Arrays.compareUnsigned(before, key) < 0, 6, "keys of the run of %x do not ascend", word);
            before = key;
            entries++;
        }
    }

    private byte[] key(final long payload) {
        final byte[] key = new byte[keys.keyLength(payload)];
        keys.copyKey(payload, key, 0);
        return key;
    }
}
