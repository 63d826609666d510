/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A rewrite of a bucket of MlpIndex: who reads it under one version reads one state.
 * <p>
 * Weakened: the reader looks at the version plainly and without a fence. The compiler makes one look of the two.
 */
final class BucketVersionStress {
    private static final int LAST_OFFSET = MlpNodeLayout.BUCKET_BYTES - Long.BYTES;
    private static final Blocks BLOCKS = new Blocks(MlpNodeLayout.BUCKET_BYTES);
    private static final Slab SLAB = BLOCKS.slab();
    private static final AtomicIntegerArray PLAIN_VERSIONS = new AtomicIntegerArray(2 * Blocks.COUNT);
    private static final MlpVersions VERSIONS = new MlpVersions(2 * Blocks.COUNT, new WriteFailure());

    /** A bucket, of which the first and the last word are looked at. */
    static class Bucket {
        final long block = BLOCKS.next();
        final long bucket = MlpNodeLayout.bucketAt(block);

        Bucket() {
            SLAB.putLong(block, 0);
            SLAB.putLong(block + LAST_OFFSET, 0);
            PLAIN_VERSIONS.setPlain((int) bucket, 0);
        }

        final void rewrite() {
            SLAB.putLong(block, 1);
            SLAB.putLong(block + LAST_OFFSET, 1);
        }

        final void read(final II_Result r) {
            int version;
            do {
                version = VERSIONS.begin(bucket);
                r.r1 = (int) SLAB.getLong(block);
                r.r2 = (int) SLAB.getLong(block + LAST_OFFSET);
            } while (!VERSIONS.unchanged(bucket, version));
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "one state")
    @Outcome(expect = Expect.FORBIDDEN, desc = "torn")
    public static class Kept extends Bucket {
        /** Rewrites the bucket. */
        @Actor
        public void writer() {
            VERSIONS.beginChange(bucket);
            rewrite();
            VERSIONS.endChange(bucket);
        }

        /** Reads it. */
        @Actor
        public void reader(final II_Result r) {
            read(r);
        }
    }

    /** By plain looks. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "one state")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "to be read anew")
    @Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE_INTERESTING, desc = "torn")
    public static class Weakened extends Bucket {
        /** Rewrites the bucket, as MlpVersions has it. */
        @Actor
        public void writer() {
            PLAIN_VERSIONS.setOpaque((int) bucket, 1);
            VarHandle.releaseFence();
            rewrite();
            PLAIN_VERSIONS.setRelease((int) bucket, 2);
        }

        /** Reads it. */
        @Actor
        public void reader(final II_Result r) {
            final int version = PLAIN_VERSIONS.getPlain((int) bucket);
            final int first = (int) SLAB.getLong(block);
            final int last = (int) SLAB.getLong(block + LAST_OFFSET);
            final boolean isWhole = (version & 1) == 0 && PLAIN_VERSIONS.getPlain((int) bucket) == version;
            r.r1 = isWhole ? first : -1;
            r.r2 = isWhole ? last : -1;
        }
    }
}
