/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import java.util.LinkedHashMap;
import java.util.Map;

/** Counts what a list is made of. No writer may be at work. */
final class SkipListFigures {
    private final long[] byHeight = new long[MAX_HEIGHT + 1];
    private final long[] byChunkEnd = new long[GOES_ON + 1];
    private long chunkPositions;
    private long nodeBytes;

    SkipListFigures(final Nodes nodes) {
        for (int node = nodes.next(HEAD, 0); node != NULL; node = nodes.next(node, 0)) {
            final int meta = nodes.meta(node);
            byHeight[height(meta)]++;
            byChunkEnd[chunkEnd(meta)]++;
            chunkPositions += chunkPosition(meta);
            nodeBytes += offset(units(height(meta)));
        }
    }

    Map<String, Object> figures(final long entries, final NodeArena arena, final NodeHash hash) {
        final Map<String, Object> heights = new LinkedHashMap<>();
        int top = 0;
        long links = 0;
        for (int height = 1; height <= MAX_HEIGHT; height++) {
            if (byHeight[height] > 0) {
                heights.put(Integer.toString(height), byHeight[height]);
                top = height;
                links += height * byHeight[height];
            }
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("nodes", entries);
        figures.put("levels", top);
        figures.put("nodesByHeight", heights);
        figures.put("averageHeight", entries == 0 ? 0.0 : (double) links / entries);
        figures.put("nodeBytes", nodeBytes);
        figures.put("nodeBytesPerKey", entries == 0 ? 0.0 : (double) nodeBytes / entries);
        figures.put("averageChunkPlace", entries == 0 ? 0.0 : (double) chunkPositions / entries);
        figures.put("keysThatEndInTheirChunk", entries - byChunkEnd[GOES_ON]);
        figures.put("freeBytes", arena.bytesFree());
        figures.put("retiredBytes", arena.bytesRetired());
        addHash(figures, hash);
        return figures;
    }

    private static void addHash(final Map<String, Object> figures, final NodeHash hash) {
        long cells = 0;
        long lost = 0;
        for (int bucket = 0; bucket < hash.buckets(); bucket++) {
            cells += hash.cells(bucket).length;
            lost += (hash.header(bucket) & NodeHashLayout.INCOMPLETE) != 0 ? 1 : 0;
        }
        figures.put("hashBuckets", hash.buckets());
        figures.put("hashBytes", hash.bytes());
        figures.put("hashCells", cells);
        figures.put("hashBucketsThatLackNodes", lost);
    }
}
