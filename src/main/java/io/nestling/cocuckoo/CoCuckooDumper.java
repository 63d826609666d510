/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.bytes.QuotedBytes;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.io.IOException;

/** Writes an index as text: regions by their patterns, the subgraphs of each, and the keys of each bucket. */
final class CoCuckooDumper {
    private final CoCuckoo index;
    private final Slab slab;

    CoCuckooDumper(final CoCuckoo index) {
        this.index = index;
        this.slab = index.reader().slab();
    }

    void dump(final Appendable out) throws IOException {
        for (final long region : index.directory().regions().toArray()) {
            dump(region, out);
        }
    }

    private void dump(final long region, final Appendable out) throws IOException {
        final long base = base(region);
        final SubgraphForest forest = index.forest();
        final int buckets = bucketsOf(region);
        final int depth = slab.getInt(base + DEPTH_OFFSET);
        out.append("region ").append(bits(slab.getInt(base + PATTERN_OFFSET), depth)).append(" at ").append(Long.toString(base))
            .append(" buckets ").append(Integer.toString(buckets)).append('\n');
        for (int root = 0; root < buckets; root++) {
            if (!forest.isEmpty(base, root) && forest.isRoot(base, root)) {
                out.append("  subgraph ").append(Integer.toString(root)).append(
                    forest.isMaximal(base, root) ? " maximal" : " vacancies " + forest.vacancies(base, root)).append('\n');
                for (long rest = forest.members(base, buckets, root); rest != 0; rest &= rest - 1) {
                    dumpBucket(base, buckets, Long.numberOfTrailingZeros(rest), out);
                }
            }
        }
        for (long block = Stash.first(slab, base); block != NULL; block = slab.getLong(block)) {
            for (long slot = Stash.slots(block); slot < block + RegionArena.STASH_BYTES; slot += SLOT_BYTES) {
                if (isPresent(slab.getLongAcquire(slot))) {
                    out.append("  stash ");
                    dumpKey(slot, out);
                }
            }
        }
    }

    /** Returns the lowest bits of a pattern as digits. */
    private static String bits(final int pattern, final int depth) {
        final StringBuilder digits = new StringBuilder("...");
        for (int bit = depth - 1; bit >= 0; bit--) {
            digits.append(pattern >>> bit & 1);
        }
        return digits.toString();
    }

    private void dumpBucket(final long base, final int buckets, final int bucket, final Appendable out) throws IOException {
        for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
            final long slot = slotOffset(base, bucket, i);
            if (isPresent(slab.getLongAcquire(slot))) {
                final int other = alternate(slab.getLong(slot + TAG_OFFSET), buckets, bucket);
                out.append("    bucket ").append(Integer.toString(bucket)).append(" -> ").append(Integer.toString(other))
                    .append(' ');
                dumpKey(slot, out);
            }
        }
    }

    private void dumpKey(final long slot, final Appendable out) throws IOException {
        final KeySource keys = index.reader().keys();
        final long payload = payload(slab.getLongAcquire(slot));
        final byte[] key = new byte[keys.keyLength(payload)];
        keys.copyKey(payload, key, 0);
        out.append(QuotedBytes.text(key, 0, key.length)).append(" payload ").append(Long.toString(payload)).append('\n');
    }
}
