/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.schedule.scenario.Operation.What;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** The operations of a scenario, made from a seed: its keys, those put before, and a list of operations for each fiber. */
final class Workload {
    /** Properties of an index: it keeps keys in order; it takes many writers. */
    record Traits(boolean ordered, boolean manyWriters) { }

    /** Shape: a reader asks twice for a key that goes and comes back, or for one beside it. */
    static final int REREAD = 6;
    /** Shape: neighbours come back one after the other, among so many keys that leaves have borders between them. */
    static final int COMEBACK = 7;

    private final long seed;
    private final Traits traits;
    private final Keys keys;
    private final List<Integer> before = new ArrayList<>();
    private final List<List<Operation>> programs = new ArrayList<>();

    /** Chooses what is there before and what fibers do, once there are keys. */
    interface Filler {
        void fill(Workload workload, Random random);
    }

    Workload(final long seed, final Traits traits) {
        this(seed, traits, -1);
    }

    /**
     * Makes a workload.
     *
     * @param asked its shape; negative: any
     */
    Workload(final long seed, final Traits traits, final int asked) {
        this.seed = seed;
        this.traits = traits;
        final Random random = new Random(seed);
        final int dice = random.nextInt(9);
        final int shape = asked < 0 ? dice : asked;
        keys = switch (shape) {
            case Siblings.SWAP, Siblings.SEESAW -> Siblings.keys(shape, random);
            case Handover.SHAPE -> Handover.keys(random);
            case REREAD -> new Keys(random, 1, random.nextBoolean() ? 2 : 3 + random.nextInt(4));
            case COMEBACK -> new Keys(random, 1, 20 + random.nextInt(40));
            default -> anyKeys(random);
        };
        switch (shape) {
            case 0, 1 -> new Neighbourhood(this, random).fill();
            case 2 -> tiny(random);
            case Siblings.SWAP, Siblings.SEESAW -> new Siblings(this, random).fill(shape);
            case Handover.SHAPE -> new Handover(this, random).fill();
            case REREAD -> reread(random);
            case COMEBACK -> new Neighbourhood(this, random).fillAndComeBack();
            default -> any(random);
        }
        if (shape != Handover.SHAPE && random.nextInt(4) == 0) {
            programs.add(Collections.nCopies(1 + random.nextInt(4), Operation.of(What.ADVANCE))); // epochs go on beside all else
        }
    }

    Workload(final long seed, final Traits traits, final Filler filler) {
        this.seed = seed;
        this.traits = traits;
        final Random random = new Random(seed);
        keys = anyKeys(random);
        filler.fill(this, random);
    }

    private static Keys anyKeys(final Random random) {
        return new Keys(random, 2 + random.nextInt(random.nextBoolean() ? 3 : 9));
    }

    /** Returns how many sampled schedules it is worth. */
    int samples() {
        return programs.size() > 2 ? 200 : 40;
    }

    Keys keys() {
        return keys;
    }

    Traits traits() {
        return traits;
    }

    /** Returns the numbers of the keys that are put before, in order; {@code ~number} is removed again. */
    List<Integer> before() {
        return before;
    }

    List<List<Operation>> programs() {
        return programs;
    }

    /** One write against one read: few enough steps to try every pair of stops. */
    private void tiny(final Random random) {
        final int there = fill(random);
        programs.add(writes(random, 1 + random.nextInt(2), there));
        programs.add(reads(random, 1));
    }

    /**
     * A key goes and comes back, and with it perhaps the nodes above it, while a reader asks twice for it or for one beside it:
     * once seen again, it must not be missed; its neighbour must be seen each time.
     */
    private void reread(final Random random) {
        for (int i = 0; i < keys.size(); i++) {
            before.add(i);
        }
        final int key = random.nextInt(keys.hot());
        programs.add(List.of(Operation.of(What.REMOVE, key), Operation.of(What.PUT, key)));
        final int asked = random.nextBoolean() ? key : (key + 1) % keys.hot();
        programs.add(List.of(look(random, asked), look(random, asked)));
    }

    private Operation look(final Random random, final int key) {
        return switch (random.nextInt(traits.ordered ? 4 : 3)) {
            case 0 -> Operation.of(What.GET_ALL, key);
            case 3 -> new Operation(What.SCAN, new int[] {key}, 0);
            default -> Operation.of(What.GET, key);
        };
    }

    private void any(final Random random) {
        final int there = fill(random);
        final int writers = traits.manyWriters ? 1 + random.nextInt(3) : 1;
        final int readers = writers > 1 ? random.nextInt(3) : 1 + random.nextInt(2);
        for (int i = 0; i < writers; i++) {
            programs.add(writes(random, 1 + random.nextInt(writers > 1 ? 4 : 9), there));
        }
        for (int i = 0; i < readers; i++) {
            programs.add(reads(random, 1 + random.nextInt(3)));
        }
    }

    /** Chooses what is put before; returns how many keys are. */
    int fill(final Random random) {
        final double share = random.nextInt(3) / 2.0;
        for (int i = 0; i < keys.hot(); i++) {
            if (random.nextDouble() < share) {
                before.add(i);
            }
        }
        final int there = keys.hot() + random.nextInt(keys.size() - keys.hot() + 1);
        for (int i = keys.hot(); i < there; i++) {
            before.add(i);
        }
        if (random.nextInt(3) == 0) {
            churn(random);
        }
        return there;
    }

    /** Removes some and puts some of these again: leaves free blocks and moved entries. */
    private void churn(final Random random) {
        final List<Integer> copy = new ArrayList<>(before);
        Collections.shuffle(copy, random);
        for (final int key : copy.subList(0, random.nextInt(1 + before.size()))) {
            before.add(~key);
            if (random.nextBoolean()) {
                before.add(key);
            }
        }
    }

    List<Operation> writes(final Random random, final int count, final int there) {
        final List<Operation> operations = new ArrayList<>();
        final boolean manyOthers = random.nextInt(4) == 3 && keys.size() > keys.hot();
        final int favourite = random.nextInt(keys.hot());
        int next = there;
        for (int i = 0; i < count; i++) {
            final int key = random.nextInt(3) == 0 ? favourite : random.nextInt(keys.hot());
            final int dice = random.nextInt(12);
            if (manyOthers && dice < 8) {
                final boolean come = random.nextBoolean();
                for (int j = random.nextInt(12); j >= 0 && (!come || next < keys.size()); j--) {
                    operations.add(come ? Operation.of(What.PUT, next++)
                        : Operation.of(What.REMOVE, random.nextInt(keys.size())));
                }
            } else if (dice == 0) {
                operations.add(Operation.of(What.ADVANCE));
            } else if (traits.manyWriters && dice < 3) {
                operations.add(Operation.of(random.nextBoolean() ? What.PUT_IF_ABSENT : What.REPLACE, key));
            } else {
                operations.add(Operation.of(dice < 8 ? What.PUT : What.REMOVE, key));
            }
        }
        return operations;
    }

    List<Operation> reads(final Random random, final int count) {
        final List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final int key = random.nextInt(8) == 0 ? random.nextInt(keys.size()) : random.nextInt(keys.hot());
            switch (random.nextInt(traits.ordered ? 6 : 3)) {
                case 0, 1 -> operations.add(Operation.of(What.GET, key));
                case 2 -> {
                    final int[] batch = new int[1 + random.nextInt(random.nextBoolean() ? 5 : 40)];
                    Arrays.setAll(batch, j -> random.nextInt(random.nextInt(3) == 0 ? keys.size() : keys.hot()));
                    operations.add(Operation.of(What.GET_ALL, batch));
                }
                default -> operations.add(new Operation(What.values()[What.SCAN.ordinal() + random.nextInt(3)],
                    new int[] {random.nextInt(9) == 0 ? -1 : key}, random.nextInt(random.nextInt(3) == 0 ? 40 : 6)));
            }
        }
        return operations;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("scenario " + seed + ": " + keys.size() + " keys, before " + before + '\n');
        final TreeSet<Integer> used = new TreeSet<>();
        for (final List<Operation> program : programs) {
            text.append("  ").append(program).append('\n');
            program.forEach(operation -> Arrays.stream(operation.keys()).forEach(used::add));
        }
        for (final int key : used) {
            text.append(key < 0 ? "" : "  key " + key + " = " + HexFormat.of().formatHex(keys.key(key)) + '\n');
        }
        return text.toString();
    }
}
