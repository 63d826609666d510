/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.ReferenceIndex;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** Indexes with one error each: the contracts must find it. */
class ContractsCatchErrorsTest {
    /** An error and the tests that must find it. */
    private record Broken(
        String error, BiFunction<OrderedIndex, IndexContext, OrderedIndex> broken, List<String> caughtBy) {
    }

    private static Broken broken(
        final String error, final BiFunction<OrderedIndex, IndexContext, OrderedIndex> broken,
        final String... caughtBy) {
        return new Broken(error, broken, List.of(caughtBy));
    }

    private static Broken brokenCursor(
        final String error, final UnaryOperator<EntryCursor> broken, final String... caughtBy) {
        return broken(error, (index, context) -> new ForwardingIndex(index) {
            @Override
            public EntryCursor cursor() {
                return broken.apply(super.cursor());
            }
        }, caughtBy);
    }

    @TestFactory
    Stream<DynamicTest> shouldFind() {
        return allBroken().flatMap(broken -> broken.caughtBy.stream().map(test -> dynamicTest(
            broken.error + ": " + test,
            () -> assertNotNull(
                ContractRunner.failure(contract(new BrokenFactory(broken.broken), test), test)))));
    }

    private static Stream<Broken> allBroken() {
        return Stream.of(points(), memory(), cursors()).flatMap(List::stream);
    }

    /** The contract that a test belongs to, for indexes of a factory. */
    private static Object contract(final IndexFactory factory, final String test) {
        return ReferenceIndexTest.contracts(factory).stream()
            .filter(contract -> ContractRunner.tests(contract).contains(test))
            .findFirst().orElseThrow(() -> new IllegalArgumentException(test));
    }

    private static List<Broken> points() {
        return List.of(
            broken("drops the empty key", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    return length == 0 ? NONE : super.put(key, offset, length, payload);
                }
            }, "shouldHoldEveryKeyOf", "shouldDoWhatASortedMapDoes"),
            broken("ignores the offset", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long get(final byte[] key, final int offset, final int length) {
                    return super.get(key, 0, length);
                }
            }, "shouldTakeKeysFromTheMiddleOfAnArray"),
            broken("cuts long keys", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    return super.put(
                        key, offset, length > 65_534 ? Math.min(length, 65_536) - 1 : length, payload);
                }
            }, "shouldHoldEveryKeyOf", "shouldRefuseBadInputAndStayAsItWas"),
            broken("keeps 31 bits of a payload", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    return super.put(
                        key, offset, length, payload < 0 ? payload : payload & Integer.MAX_VALUE);
                }
            }, "shouldHoldEveryPayloadUpToTheLimit", "shouldReplaceAnyPayloadByAnyOther"),
            broken("does not return what an update replaces", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    super.put(key, offset, length, payload);
                    return NONE;
                }
            }, "shouldHoldEveryKeyOf", "shouldDoWhatASortedMapDoes"),
            broken("looks up 32 keys of a batch", (index, context) -> new ForwardingIndex(index) {
                @Override
                public void getAll(final KeyBatch keys, final long[] payloads) {
                    final KeyBatch some = new KeyBatch();
                    for (int i = 0; i < Math.min(32, keys.size()); i++) {
                        some.add(keys.array(i), keys.offset(i), keys.length(i));
                    }
                    super.getAll(some, payloads);
                }
            }, "shouldLookUpBatchesAsSingleKeys"),
            broken("counts updates as entries", (index, context) -> new ForwardingIndex(index) {
                private long count;

                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    count++;
                    return super.put(key, offset, length, payload);
                }

                @Override
                public long entryCount() {
                    return count;
                }
            }, "shouldCountEntries", "shouldDoWhatASortedMapDoes"),
            broken("inserts before it refuses", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    if (payload == -2 && get(key, offset, length) == NONE) {
                        super.put(key, offset, length, 0);
                    }
                    return super.put(key, offset, length, payload);
                }
            }, "shouldRefuseBadInputAndStayAsItWas"));
    }

    private static List<Broken> memory() {
        return List.of(
            broken("keeps memory when closed", (index, context) -> new ForwardingIndex(index) {
                @Override
                public void close() {
                    super.close();
                    context.budget().tryAcquire(1);
                }
            }, "shouldBeEmptyAtFirst"),
            broken("takes memory for every update", (index, context) -> new ForwardingIndex(index) {
                private long updates;

                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    updates++;
                    return super.put(key, offset, length, payload);
                }

                @Override
                public long bytesUsed() {
                    return super.bytesUsed() + updates;
                }
            }, "shouldUseNoMoreMemoryAfterManyUpdatesOfOneKey"),
            broken("answers when closed", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long get(final byte[] key, final int offset, final int length) {
                    try {
                        return super.get(key, offset, length);
                    } catch (final IllegalStateException e) {
                        return NONE;
                    }
                }
            }, "everyCallThrowsIllegalStateExceptionWhenClosed"),
            broken("loses a key when space runs out", (index, context) -> new ForwardingIndex(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    try {
                        return super.put(key, offset, length, payload);
                    } catch (final SpaceExhaustedException e) {
                        final EntryCursor cursor = cursor();
                        if (cursor.first()) {
                            remove(cursor.keyBuffer(), 0, cursor.keyLength());
                        }
                        throw e;
                    }
                }
            }, "shouldStayWholeWhenSpaceRunsOut"),
            broken("promises without looking", (index, context) -> new ForwardingIndex(index) {
                @Override
                public void reserve(final int entries, final long keyBytes) {
                    // An index that sets less aside than it should is found only if what is left falls
                    // between two sizes: one that sets nothing aside is found with every seed.
                }
            }, "shouldKeepWhatReservePromises", "reserveThrowsSpaceExhaustedExceptionWhenItCannotPromise"));
    }

    private static List<Broken> cursors() {
        return List.of(
            broken("orders bytes as signed", (index, context) -> new ReferenceIndex(context, signedMap()),
                "shouldWalkInBothDirections", "shouldDoWhatASortedMapDoes"),
            brokenCursor("commonPrefix too short by one", cursor -> new ForwardingCursor(cursor) {
                @Override
                public int commonPrefix() {
                    return Math.max(0, super.commonPrefix() - 1);
                }
            }, "shouldWalkInBothDirections", "shouldDoWhatASortedMapDoes"),
            brokenCursor("commonPrefix left from the step before a seek",
                cursor -> new ForwardingCursor(cursor) {
                private int last;

                @Override
                public int commonPrefix() {
                    last = Math.max(last, super.commonPrefix());
                    return super.commonPrefix() == 0 ? last : super.commonPrefix();
                }
            }, "shouldMoveAsASortedListDoes"),
            brokenCursor("seekLowerThan finds the key itself", cursor -> new ForwardingCursor(cursor) {
                @Override
                public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
                    return super.seek(key, offset, length) && keyLength() == length
                        || super.seekLowerThan(key, offset, length);
                }
            }, "shouldSeekEveryKeyAndItsNeighbours", "shouldDoWhatASortedMapDoes"),
            brokenCursor("seek skips the key itself", cursor -> new ForwardingCursor(cursor) {
                @Override
                public boolean seek(final byte[] key, final int offset, final int length) {
                    return super.seek(key, offset, length)
                        && (!Arrays.equals(key, offset, offset + length, keyBuffer(), 0, keyLength())
                            || next());
                }
            }, "shouldSeekEveryKeyAndItsNeighbours", "shouldDoWhatASortedMapDoes"),
            brokenCursor("comes back after the last entry", cursor -> new ForwardingCursor(cursor) {
                @Override
                public boolean previous() {
                    return super.valid() ? super.previous() : super.last();
                }
            }, "shouldStayNowhereAfterEitherEnd", "shouldWalkInBothDirections"),
            brokenCursor("moves when it is closed", cursor -> new ForwardingCursor(cursor) {
                @Override
                public void close() {
                    // does not even leave its entry
                }
            }, "shouldStayOnNoEntryOnceClosed"),
            brokenCursor("forgets where it is when it turns", cursor -> new ForwardingCursor(cursor) {
                private boolean forward = true;

                @Override
                public boolean next() {
                    forward = true;
                    return super.next();
                }

                @Override
                public boolean previous() {
                    final boolean turned = forward;
                    forward = false;
                    return super.previous() && (!turned || super.previous());
                }
            }, "shouldTurnAtEveryEntry", "shouldDoWhatASortedMapDoes"));
    }

    private static NavigableMap<byte[], Long> signedMap() {
        return new TreeMap<>(Arrays::compare);
    }

    /** Breaks what the reference index does. */
    private record BrokenFactory(
        BiFunction<OrderedIndex, IndexContext, OrderedIndex> broken) implements IndexFactory {
        @Override
        public PointIndex create(final IndexContext context) {
            return broken.apply((OrderedIndex) ReferenceIndex.factory().create(context), context);
        }

        @Override
        public String indexName() {
            return "broken";
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public boolean storesKeys() {
            return true;
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }
}
