/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Everything that the verifier claims to check is broken once. */
class MlpVerifierTest {
    private static final int BUDGET_BYTES = 64 << 20;
    private static final long WORD = 0x0102_0300_0000_0000L;
    private static final long STEP = 0x1_0000_0001L;
    private static final int NUMBERS = 500;
    /* Words of keys of ten bytes: one that is alone, and one that many share. */
    private static final long SINGLE_WORD = 0x2000_0000_0000_0000L;
    private static final long RUN_WORD = 0x3000_0000_0000_0000L;
    private static final long BOXED_WORD = 0x4000_0000_0000_0000L;
    private static final int SINGLE_NUMBER = 1_000;
    private static final int FIRST_OF_RUN = 1_001;
    private static final int KEYS_OF_RUN = 20;

    private static byte[] longer(final long word, final int more) {
        return ByteBuffer.allocate(Long.BYTES + Short.BYTES).putLong(word).putShort((short) more).array();
    }

    private static byte[] keyOf(final long number) {
        if (number < SINGLE_NUMBER) {
            return ByteBuffer.allocate(Long.BYTES).putLong(WORD + STEP * number).array();
        }
        return number == SINGLE_NUMBER ? longer(SINGLE_WORD, 1) : longer(RUN_WORD, (int) number);
    }

    private static MlpIndex open() {
        final MlpIndex index = new MlpIndex(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BUDGET_BYTES),
            new EpochReclaimer(), new HeapKeySource(MlpVerifierTest::keyOf), BUDGET_BYTES));
        for (int i = 0; i < NUMBERS; i++) {
            index.put(keyOf(i), 0, Long.BYTES, i);
        }
        for (int i = SINGLE_NUMBER; i < FIRST_OF_RUN + KEYS_OF_RUN; i++) {
            index.put(keyOf(i), 0, Long.BYTES + Short.BYTES, i);
        }
        index.put(ByteBuffer.allocate(Long.BYTES).putLong(BOXED_WORD).array(), 0, Long.BYTES, PointIndex.MAX_PAYLOAD);
        return index;
    }

    /** A damage and the number of the invariant that it breaks. */
    enum Damage {
        FREE_CELL(1) {
            @Override
            void doTo(final MlpIndex index) {
                final BucketTable table = table(index);
                long bucket = 0;
                while (table.used(bucket) == CELLS) {
                    bucket++;
                }
                table.slab().putLong(cellOffset(bucket, CELLS - 1) + KEY_OFFSET, 5);
            }
        },
        LEAF_COUNT(1) {
            @Override
            void doTo(final MlpIndex index) {
                index.writer().counts().added(MlpNodeLayout.leaf(EXACT, LAST_LEVEL - 1, 0));
            }
        },
        CELL_COUNT(1) {
            @Override
            void doTo(final MlpIndex index) {
                final Node leaf = leaf(index, WORD);
                table(index).slab().clear(leaf.at, 1 << CELL_SHIFT);
            }
        },
        WRONG_BUCKET(1) {
            @Override
            void doTo(final MlpIndex index) {
                final Node leaf = leaf(index, WORD);
                final long other = bucketAt(leaf.at) ^ 1;
                index.writer().remove(leaf.at);
                while (table(index).used(other) == CELLS) {
                    index.writer().remove(bucketOffset(other));
                }
                index.writer().append(other, leaf);
            }
        },
        UNKNOWN_PREFIX(3) {
            @Override
            void doTo(final MlpIndex index) {
                index.lookup().flat().remove(WORD);
            }
        },
        PREFIX_OF_NOTHING(2) {
            @Override
            void doTo(final MlpIndex index) {
                index.lookup().flat().add(0x0109_0000_0000_0000L);
            }
        },
        LOST_LEAF(3) {
            @Override
            void doTo(final MlpIndex index) {
                index.writer().remove(leaf(index, WORD).at);
            }
        },
        CHILD_COUNT(4) {
            @Override
            void doTo(final MlpIndex index) {
                final Node node = leafParent(index, WORD);
                node.meta = cells(node.meta) == SMALL_CELLS
                    ? small(level(node.meta), fullKeyLen(node.meta), count(node.meta) - 1, smallChildren(node.meta))
                    : wide(cells(node.meta), level(node.meta), fullKeyLen(node.meta), count(node.meta) - 1);
                index.writer().writeMeta(node);
            }
        },
        SMALLEST_WORD(5) {
            @Override
            void doTo(final MlpIndex index) {
                final Node node = leafParent(index, WORD);
                node.key++;
                index.writer().writeMinKey(node);
            }
        },
        KEY_OF_ANOTHER_WORD(6) {
            @Override
            void doTo(final MlpIndex index) {
                final Node leaf = leaf(index, SINGLE_WORD);
                leaf.meta = MlpNodeLayout.leaf(SINGLE, level(leaf.meta), FIRST_OF_RUN);
                index.writer().writeMeta(leaf);
            }
        },
        SMALL_PAYLOAD_IN_A_BOX(6) {
            @Override
            void doTo(final MlpIndex index) {
                index.blocks().slab().putLong(MlpNodeLayout.payload(leaf(index, BOXED_WORD).meta), 7);
            }
        },
        ORDER_OF_A_RUN(6) {
            @Override
            void doTo(final MlpIndex index) {
                final Runs runs = index.lookup().leaves().runs();
                final long chunk = chunk(index);
                final long first = runs.entry(chunk, 0);
                runs.slab().putLong(Runs.entryOffset(chunk, 0), runs.entry(chunk, 1));
                runs.slab().putLong(Runs.entryOffset(chunk, 1), first);
            }
        },
        EMPTY_CHUNK(6) {
            @Override
            void doTo(final MlpIndex index) {
                final long header = index.lookup().leaves().runs().header(chunk(index));
                index.blocks().slab().putLong(chunk(index), Runs.header(Runs.CHUNK, Runs.sizeClass(header), 0));
            }
        },
        ENTRY_COUNT(6) {
            @Override
            void doTo(final MlpIndex index) {
                final long chunk = chunk(index);
                final long header = index.lookup().leaves().runs().header(chunk);
                index.blocks().slab().putLong(chunk,
                    Runs.header(Runs.CHUNK, Runs.sizeClass(header), Runs.count(header) - 1));
            }
        },
        LOST_BLOCK(7) {
            @Override
            void doTo(final MlpIndex index) {
                index.blocks().allocate(0);
            }
        };

        private final int invariant;

        Damage(final int invariant) {
            this.invariant = invariant;
        }

        abstract void doTo(MlpIndex index);

        private static BucketTable table(final MlpIndex index) {
            return index.lookup().table();
        }

        private static Node leaf(final MlpIndex index, final long word) {
            final Node node = new Node();
            int level = FIRST_LEVEL;
            table(index).require(word, level, node);
            while (!isLeaf(node.meta)) {
                level = fullKeyLen(node.meta) + 1;
                table(index).require(word, level, node);
            }
            return node;
        }

        private static Node leafParent(final MlpIndex index, final long word) {
            final Node node = new Node();
            final Node child = new Node();
            int level = FIRST_LEVEL;
            table(index).require(word, level, node);
            assertFalse(isLeaf(node.meta));
            table(index).require(word, fullKeyLen(node.meta) + 1, child);
            while (!isLeaf(child.meta)) {
                level = level(child.meta);
                table(index).require(word, level, node);
                table(index).require(word, fullKeyLen(node.meta) + 1, child);
            }
            return node;
        }

        /** The chunk of the run, which has one. */
        private static long chunk(final MlpIndex index) {
            final Node leaf = leaf(index, RUN_WORD);
            assertEquals(RUN, MlpNodeLayout.kind(leaf.meta));
            final long run = MlpNodeLayout.payload(leaf.meta);
            final Runs runs = index.lookup().leaves().runs();
            return Runs.kind(runs.header(run)) == Runs.CHUNK ? run : runs.entry(run, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void verifyThrowsIllegalStateExceptionWhenSomethingIsWrong(final Damage damage) {
        try (MlpIndex index = open()) {
            index.verify();
            damage.doTo(index);
            final IllegalStateException e = assertThrows(IllegalStateException.class, index::verify);
            assertTrue(e.getMessage().startsWith("invariant " + damage.invariant + ":"), e.getMessage());
        }
    }
}
