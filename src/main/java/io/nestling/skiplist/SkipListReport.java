/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.bytes.QuotedBytes;
import io.nestling.offheap.KeySource;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows what a list is made of, in figures, or as text: one node a line in key order, with its tower, key, chunk and payload. No
 * writer may be at work.
 */
final class SkipListReport {
    private SkipListReport() {
    }

    static void dump(final Nodes nodes, final Appendable out) throws IOException {
        final KeySource keys = nodes.keys();
        for (int node = nodes.next(HEAD, 0); node != NULL; node = nodes.next(node, 0)) {
            final long payload = nodes.payload(node);
            final int meta = nodes.meta(node);
            final byte[] key = new byte[keys.keyLength(payload & PAYLOAD_MASK)];
            keys.copyKey(payload & PAYLOAD_MASK, key, 0);
            out.append("*".repeat(height(meta))).append(' ').append(QuotedBytes.text(key, 0, key.length));
            out.append(" chunk ").append(QuotedBytes.text(key, chunkPosition(meta), CHUNK_BYTES));
            out.append(" at ").append(Integer.toString(chunkPosition(meta)));
            out.append(payload < 0 ? " dead " : " payload ").append(Long.toString(payload & PAYLOAD_MASK)).append('\n');
        }
    }

    /** Counts nodes, memory and buckets. */
    static Map<String, Object> figures(final Nodes nodes, final NodeArena arena, final NodeHash hash) {
        final Map<Integer, Long> byHeight = new TreeMap<>();
        long count = 0;
        long links = 0;
        for (int node = nodes.next(HEAD, 0); node != NULL; node = nodes.next(node, 0)) {
            final int height = height(nodes.meta(node));
            byHeight.merge(height, 1L, Long::sum);
            count++;
            links += height;
        }
        final Map<String, Object> heights = new LinkedHashMap<>();
        byHeight.forEach((height, ofHeight) -> heights.put(height.toString(), ofHeight));
        long cells = 0;
        long lost = 0;
        for (int bucket = 0; bucket < hash.buckets(); bucket++) {
            cells += hash.cells(bucket).length;
            lost += (hash.header(bucket) & NodeHashLayout.INCOMPLETE) != 0 ? 1 : 0;
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("nodes", count);
        figures.put("nodesByHeight", heights);
        figures.put("averageHeight", count == 0 ? 0.0 : (double) links / count);
        figures.put("freeBytes", arena.bytesFree());
        figures.put("retiredBytes", arena.bytesRetired());
        figures.put("hashBuckets", hash.buckets());
        figures.put("hashBytes", hash.bytes());
        figures.put("hashCells", cells);
        figures.put("hashBucketsThatLackNodes", lost);
        return figures;
    }
}
