/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.KeepVersions;
import io.nestling.schedule.scenario.MemtableScenario.Kind;
import io.nestling.schedule.scenario.Operation.What;
import io.nestling.schedule.scenario.Workload.Traits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Directed workloads on a memtable: what happens to it between its opening and its end. Most have two fibers, for all stops to be
 * tried.
 */
enum LifeCycle implements Workload.Filler {
    /**
     * Writers set and delete the same few keys, with nobody else beside them. Their numbers follow the order of the writes of
     * each key, and all become visible.
     */
    WRITERS {
        @Override
        public void fill(final Workload workload, final Random random) {
            workload.fill(random);
            final int[] keys = some(workload, random, 2);
            for (int i = random.nextInt(3) == 0 ? 3 : 2; i > 0; i--) {
                workload.programs().add(times(1 + random.nextInt(2), () -> random.nextInt(4) == 0
                    ? Operation.of(What.REMOVE, keys[random.nextInt(2)]) : Operation.of(What.PUT, keys[random.nextInt(2)])));
            }
        }
    },
    /**
     * Batches of several keys, some deleted, some in a range that the batch deletes, beside others and reads of these keys. Who
     * reads sees all of a batch or nothing.
     */
    BATCHES {
        @Override
        public void fill(final Workload workload, final Random random) {
            workload.fill(random);
            final int[] keys = some(workload, random, 2 + random.nextInt(4));
            workload.programs().add(times(1 + random.nextInt(2), () -> batch(keys, random)));
            final List<Operation> looks = times(1 + random.nextInt(2), () -> random.nextBoolean()
                ? Operation.of(What.GET_ALL, keys) : workload.reads(random, 1).get(0));
            workload.programs().add(looks);
            more(workload, random, 3, () -> times(1 + random.nextInt(2), () -> batch(some(workload, random, 3), random)));
        }
    },
    /**
     * Ranges that overlap are deleted while keys in them are set and read. Each read sees the range tombstones up to its moment,
     * and none above it.
     */
    RANGES {
        @Override
        public void fill(final Workload workload, final Random random) {
            workload.fill(random);
            workload.programs().add(times(1 + random.nextInt(4), () -> random.nextInt(3) > 0
                ? Operation.of(What.REPLACE, hot(workload, random)) : Operation.of(What.PUT, hot(workload, random))));
            workload.programs().add(workload.reads(random, 1 + random.nextInt(3)));
            more(workload, random, 3, () -> workload.writes(random, 1 + random.nextInt(3), workload.keys().size()));
        }
    },
    /**
     * A memtable is frozen beside writers, and flushed at once. No write is taken behind that, and the flush has all that were.
     */
    FREEZE {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int there = workload.fill(random);
            final List<Operation> writes = new ArrayList<>(writes(workload, random, there));
            workload.programs().add(writes);
            if (random.nextInt(4) == 0) {
                writes.add(Operation.of(What.FREEZE));
                workload.programs().add(List.of(Operation.of(What.FLUSH)));
                return;
            }
            final List<Operation> end = new ArrayList<>(List.of(Operation.of(What.FREEZE)));
            end.add(random.nextBoolean() ? Operation.of(What.FLUSH) : workload.reads(random, 1).get(0));
            end.addAll(random.nextInt(3) == 0 ? workload.writes(random, 1, there) : List.of());
            workload.programs().add(end);
            more(workload, random, 3, () -> random.nextBoolean() ? List.of(Operation.of(What.FLUSH))
                : writes(workload, random, there));
        }
    },
    /**
     * A flush beside writers, readers with snapshots, and other flushes. It passes on one state, and what the snapshots before it
     * see.
     */
    FLUSH {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int there = workload.fill(random);
            workload.programs().add(writes(workload, random, there));
            workload.programs().add(List.of(Operation.of(What.FLUSH)));
            more(workload, random, 3, () -> switch (random.nextInt(3)) {
                case 0 -> writes(workload, random, there);
                case 1 -> workload.reads(random, 2);
                default -> List.of(Operation.of(random.nextBoolean() ? What.FREEZE : What.FLUSH));
            });
        }
    },
    /**
     * A memtable is closed beside readers, writers and flushes. Each call ends rightly or is refused, none is taken behind it,
     * and all memory is given back.
     */
    CLOSE {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int there = workload.fill(random);
            workload.programs().add(beside(workload, random, there));
            final List<Operation> end = new ArrayList<>(List.of(Operation.of(What.CLOSE)));
            end.addAll(random.nextInt(3) > 0 ? List.of() : random.nextBoolean() ? workload.reads(random, 1)
                : workload.writes(random, 1, there));
            workload.programs().add(end);
            more(workload, random, 3, () -> random.nextInt(4) == 0 ? List.of(Operation.of(What.CLOSE))
                : beside(workload, random, there));
        }

        private List<Operation> beside(final Workload workload, final Random random, final int there) {
            return switch (random.nextInt(5)) {
                case 0 -> writes(workload, random, there);
                case 1 -> List.of(Operation.of(random.nextInt(3) == 0 ? What.FREEZE : What.FLUSH));
                default -> workload.reads(random, 1 + random.nextInt(3));
            };
        }
    },
    /**
     * New keys come while cursors are opened one after the other, each of which has to put them in order. It shows all keys that
     * are visible to it.
     */
    ORDER {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int there = random.nextInt(workload.keys().size());
            for (int i = 0; i < there; i++) {
                workload.before().add(i);
            }
            final int[] next = {there};
            final int writers = 1 + random.nextInt(2);
            for (int i = 0; i < writers; i++) {
                final int count = 1 + random.nextInt(random.nextBoolean() ? 3 : 40);
                workload.programs().add(times(count, () -> next[0] < workload.keys().size() && random.nextInt(4) > 0
                    ? Operation.of(What.PUT, next[0]++) : Operation.of(What.PUT, hot(workload, random))));
            }
            workload.programs().add(times(1 + random.nextInt(3), () -> scan(random)));
            more(workload, random, 3, () -> random.nextBoolean()
                ? List.of(Operation.of(What.FLUSH)) : times(2, () -> scan(random)));
        }
    },
    /**
     * One key or two are set again and again beside reads of them: replaced records are recycled. Each read sees whole values, of
     * its moment.
     */
    UPDATES {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int[] keys = some(workload, random, 1 + random.nextInt(2));
            for (int i = 2 + random.nextInt(6); i > 0; i--) {
                workload.before().add(keys[random.nextInt(keys.length)]);
            }
            workload.programs().add(times(3 + random.nextInt(6), () -> random.nextInt(8) == 0
                ? batch(keys, random) : Operation.of(What.PUT, keys[random.nextInt(keys.length)])));
            workload.programs().add(times(1 + random.nextInt(2), () -> random.nextInt(3) > 0
                ? Operation.of(What.GET, keys[0]) : new Operation(What.ZIGZAG, new int[] {keys[0]}, 1 + random.nextInt(3))));
            more(workload, random, 3, () -> List.of(Operation.of(random.nextBoolean() ? What.FLUSH : What.ADVANCE)));
        }

        @Override
        Kind kind(final IndexType type, final long seed) {
            final KeepVersions keep = seed % 2 == 0 ? KeepVersions.NEWEST : KeepVersions.NEEDED_BY_SNAPSHOTS;
            return new Kind(type, 1, CAPACITY_BYTES, Long.BYTES + (int) (seed / 2 % 2) * 16, keep, false, false, false);
        }
    },
    /**
     * Operands are added to one key or two, which are set and deleted too, beside reads, flushes and writers who do the same:
     * replaced records are recycled, but for those that operands need. Each read sees all operands of its moment, in order.
     */
    OPERANDS {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int[] keys = some(workload, random, 1 + random.nextInt(2));
            final boolean reserves = random.nextInt(4) == 0;
            for (int i = reserves ? 0 : random.nextInt(8); i > 0; i--) {
                workload.before().add(keys[random.nextInt(keys.length)]);
            }
            if (!reserves && random.nextBoolean()) { // beyond a small shard
                workload.fill(random);
            }
            final Maker<Operation> writer = () -> reserves ? reserved(keys, random) : write(keys, random);
            workload.programs().add(times(3 + random.nextInt(6), writer));
            workload.programs().add(times(1 + random.nextInt(2), () -> switch (random.nextInt(4)) {
                case 0, 1 -> Operation.of(What.GET, keys[0]);
                case 2 -> Operation.of(What.GET_ALL, keys);
                default -> new Operation(What.ZIGZAG, new int[] {keys[0]}, 1 + random.nextInt(3));
            }));
            more(workload, random, 2, () -> switch (random.nextInt(4)) {
                case 0 -> List.of(Operation.of(What.ADVANCE));
                case 1 -> times(1 + random.nextInt(2), writer);
                default -> List.of(Operation.of(What.FLUSH));
            });
        }

        private Operation write(final int[] keys, final Random random) {
            final int key = keys[random.nextInt(keys.length)];
            return switch (random.nextInt(12)) {
                case 0, 1 -> Operation.of(What.MERGE_ALL, keys[0], key);
                case 2 -> batch(keys, random);
                case 3 -> Operation.of(What.REMOVE, key);
                case 4, 5, 6 -> Operation.of(What.PUT, key);
                default -> Operation.of(What.MERGE, key);
            };
        }

        private Operation reserved(final int[] keys, final Random random) {
            final int key = keys[random.nextInt(keys.length)];
            return Operation.of(random.nextInt(3) == 0 ? What.RESERVED : What.MERGE_RESERVED, keys[0], key);
        }

        @Override
        Kind kind(final IndexType type, final long seed) {
            final KeepVersions keep = seed % 2 == 0 ? KeepVersions.NEWEST : KeepVersions.NEEDED_BY_SNAPSHOTS;
            return new Kind(type, 1, CAPACITY_BYTES, Long.BYTES + (int) (seed / 2 % 2) * 16, keep, false, true, false);
        }
    },
    /**
     * A key is set again and again beside the opening of a cursor, and so is another key behind that, maybe in another shard,
     * which moves the epoch on. The cursor, read at the end, sees what was there when it was opened.
     */
    CURSORS {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int[] keys = some(workload, random, 2);
            for (int i = 6 + random.nextInt(2); i > 0; i--) {
                workload.before().add(keys[i % 2]);
            }
            workload.programs().add(times(3, () -> Operation.of(What.PUT, keys[0])));
            final List<Operation> beside = times(2, () -> Operation.of(What.PUT, keys[1]));
            beside.add(0, Operation.of(What.OPEN, keys[0]));
            workload.programs().add(beside);
        }

        @Override
        Kind kind(final IndexType type, final long seed) {
            return new Kind(type, 2, CAPACITY_BYTES, Long.BYTES, KeepVersions.NEWEST, false, false, seed % 2 == 0);
        }
    },
    /**
     * Writers reserve numbers together and use them from the last to the first, some of them on the same keys, beside reads,
     * flushes and an end of all writes. A key's newest version is the one with the greatest number, whichever came first.
     */
    RESERVED {
        @Override
        public void fill(final Workload workload, final Random random) {
            final int[] keys = some(workload, random, 2);
            final boolean ends = random.nextInt(3) == 0;
            for (int i = ends ? 1 : 2 + random.nextInt(2); i > 0; i--) {
                workload.programs().add(times(1 + random.nextInt(2), () -> {
                    final int[] written = new int[1 + random.nextInt(3)];
                    Arrays.setAll(written, at -> keys[random.nextInt(2)]);
                    return Operation.of(What.RESERVED, written);
                }));
            }
            if (ends) {
                workload.programs().add(List.of(Operation.of(What.FREEZE)));
                workload.programs().add(List.of(Operation.of(What.FLUSH)));
                return;
            }
            more(workload, random, 2, () -> switch (random.nextInt(3)) {
                case 0 -> times(2, () -> Operation.of(What.GET, keys[0]));
                case 1 -> List.of(Operation.of(What.FLUSH));
                default -> workload.reads(random, 1);
            });
        }
    },
    /**
     * Long values fill small slabs, so that a few writes begin new ones, until there is no space. What was written is read as it
     * was, and what is refused changes nothing.
     */
    GROWTH {
        @Override
        public void fill(final Workload workload, final Random random) {
            // Up to the end of the first slab of records, or to anywhere.
            long left = random.nextInt(3) > 0 ? SMALL_BYTES / 2 - random.nextInt(12 << 10)
                : random.nextInt((int) SMALL_BYTES);
            for (long value = 1; left > 0; value++) {
                final int key = random.nextInt(workload.keys().size());
                workload.before().add(key);
                left -= RECORD_BYTES + workload.keys().key(key).length + MemtableLog.length(value, LONG_VALUE);
            }
            final int writers = random.nextInt(3) == 0 ? 1 : 2;
            for (int i = 0; i < writers; i++) {
                workload.programs().add(times(1 + random.nextInt(4), () -> random.nextInt(4) == 0
                    ? batch(some(workload, random, 2), random) : Operation.of(What.PUT, hot(workload, random))));
            }
            if (writers == 1 || random.nextInt(3) == 0) {
                workload.programs().add(workload.reads(random, 1 + random.nextInt(2)));
            }
        }

        @Override
        Kind kind(final IndexType type, final long seed) {
            return new Kind(type, 1, SMALL_BYTES, LONG_VALUE, keep(seed), true, false, false);
        }
    };

    private static final long CAPACITY_BYTES = 4L << 20;
    private static final long SMALL_BYTES = 192L << 10;
    private static final int LONG_VALUE = 1 << 11;
    /* What a record takes beside key and value. */
    private static final int RECORD_BYTES = 24;

    Kind kind(final IndexType type, final long seed) {
        final int shards = 1 + (int) (seed / 2 & 1);
        return new Kind(
            type, shards, CAPACITY_BYTES, Long.BYTES, keep(seed), false, false, shards > 1 && (seed / 16 & 1) == 0);
    }

    private static KeepVersions keep(final long seed) {
        return KeepVersions.values()[(int) (seed / 4 % KeepVersions.values().length)];
    }

    /** Makes the scenario of a seed. */
    MemtableScenario scenario(final IndexType type, final long seed) {
        return new MemtableScenario(kind(type, seed), new Workload(seed, new Traits(true, true), this));
    }

    /** A scenario without directions, or the next one of those here. */
    static MemtableScenario inTurn(final IndexType type, final long seed) {
        final int number = (int) Math.floorMod(seed, (long) values().length + 1);
        return number < values().length ? values()[number].scenario(type, seed) : plain(type, seed);
    }

    /** A workload of any kind, without an end. */
    static MemtableScenario plain(final IndexType type, final long seed) {
        return new MemtableScenario(FLUSH.kind(type, seed), new Workload(seed, new Traits(true, true)));
    }

    // ---- parts of programs ----

    /** Makes an operation or a program. */
    private interface Maker<T> {
        T make();
    }

    private static List<Operation> times(final int count, final Maker<Operation> maker) {
        final List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            operations.add(maker.make());
        }
        return operations;
    }

    /** Adds a third fiber to one scenario of so many. */
    private static void more(final Workload workload, final Random random, final int ofMany, final Maker<List<Operation>> maker) {
        if (random.nextInt(ofMany) == 0) {
            workload.programs().add(maker.make());
        }
    }

    private static int hot(final Workload workload, final Random random) {
        return random.nextInt(workload.keys().hot());
    }

    private static int[] some(final Workload workload, final Random random, final int count) {
        final int[] keys = new int[count];
        for (int i = 0; i < count; i++) {
            keys[i] = hot(workload, random);
        }
        return keys;
    }

    private static Operation batch(final int[] keys, final Random random) {
        final int[] written = keys.clone();
        for (int i = 0; i < written.length; i++) {
            written[i] = random.nextInt(5) == 0 ? ~written[i] : written[i];
        }
        return new Operation(What.BATCH, written, random.nextInt(3) == 0 ? 1 + random.nextInt(written.length) : 0);
    }

    private static Operation scan(final Random random) {
        return new Operation(random.nextInt(3) == 0 ? What.BACK_SCAN : What.SCAN, new int[] {-1}, 20 + random.nextInt(60));
    }

    private static List<Operation> writes(final Workload workload, final Random random, final int there) {
        return random.nextInt(3) == 0 ? times(1 + random.nextInt(2), () -> batch(some(workload, random, 3), random))
            : workload.writes(random, 1 + random.nextInt(3), there);
    }
}
