/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.schedule.scenario.Operation.What;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Directed workloads on keys that differ in one byte, so that the nodes above them are narrow, wide or full: children come and go
 * one for the other, or most of them go and come back, so that tables, leaves and nodes shrink and grow while readers look on.
 */
final class Siblings {
    /** Shapes of a {@link Workload}. */
    static final int SWAP = 3;
    static final int SEESAW = 4;

    private final Workload workload;
    private final Random random;
    private final Keys keys;
    private final List<Integer> there = new ArrayList<>();
    private final List<Integer> absent = new ArrayList<>();
    /* Keys that come or go. */
    private final List<Integer> changed = new ArrayList<>();

    Siblings(final Workload workload, final Random random) {
        this.workload = workload;
        this.random = random;
        this.keys = workload.keys();
    }

    static Keys keys(final int shape, final Random random) {
        if (shape == SEESAW) {
            return new Keys(random, 2 + random.nextInt(3), 7 + random.nextInt(4));
        }
        return new Keys(random, 1, switch (random.nextInt(4)) {
            case 0 -> 3 + random.nextInt(6);
            case 1 -> 20 + random.nextInt(40);
            default -> 8 + random.nextInt(11);
        });
    }

    void fill(final int shape) {
        final int later = shape == SWAP ? Math.min(keys.size() / 2, 1 + random.nextInt(3)) : 0;
        for (int i = 0; i < keys.size(); i++) {
            if (i < keys.size() - later) {
                workload.before().add(i);
                there.add(i);
            } else {
                absent.add(i);
            }
        }
        workload.programs().add(shape == SWAP ? swaps() : goAndComeBack());
        final List<Operation> looks = new ArrayList<>();
        for (int i = random.nextInt(2); i >= 0; i--) {
            looks.add(look());
        }
        workload.programs().add(looks);
    }

    /** One goes, another one comes in its place. */
    private List<Operation> swaps() {
        final List<Operation> swaps = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0 && !there.isEmpty() && !absent.isEmpty(); i--) {
            final Integer come = absent.remove(random.nextInt(absent.size()));
            final Integer gone = random.nextBoolean() ? neighbour(come) : there.get(random.nextInt(there.size()));
            there.remove(gone);
            changed.add(come);
            changed.add(gone);
            swaps.add(Operation.of(What.REMOVE, gone));
            swaps.add(swaps.size() - random.nextInt(2), Operation.of(What.PUT, come)); // behind it or before it
            there.add(come);
            absent.add(gone);
        }
        return swaps;
    }

    /** The nearest key in order that is there, mostly behind another one. */
    private Integer neighbour(final int key) {
        final int step = random.nextInt(4) == 0 ? -1 : 1;
        for (int rank = keys.rank(key) + step; rank >= 0 && rank < keys.size(); rank += step) {
            if (there.contains(keys.atRank(rank))) {
                return keys.atRank(rank);
            }
        }
        return there.get(0);
    }

    /** Most go, then they come back; some of any parent or those of one stay. */
    private List<Operation> goAndComeBack() {
        if (random.nextBoolean()) {
            Collections.shuffle(there, random);
        } else {
            there.sort((one, other) -> Integer.compare(keys.rank(one), keys.rank(other))); // those of one parent stay
        }
        final int staying = Math.min(there.size(), 3 + random.nextInt(8));
        absent.addAll(there.subList(staying, there.size()));
        there.subList(staying, there.size()).clear();
        final List<Operation> operations = new ArrayList<>();
        absent.forEach(key -> operations.add(Operation.of(What.REMOVE, key)));
        if (random.nextBoolean()) {
            Collections.shuffle(absent, random);
        }
        absent.forEach(key -> operations.add(Operation.of(What.PUT, key)));
        return operations;
    }

    private Operation look() {
        final int key = there.isEmpty() ? 0 : there.get(random.nextInt(there.size()));
        final int dice = random.nextInt(workload.traits().ordered() ? 6 : 2);
        if (dice == 0) {
            return Operation.of(What.GET, key);
        }
        if (dice == 1) {
            return Operation.of(What.GET_ALL, there.stream().limit(5).mapToInt(Integer::intValue).toArray());
        }
        final int start = switch (random.nextInt(changed.isEmpty() ? 4 : 8)) {
            case 0 -> -1;
            case 4, 5, 6, 7 -> changed.get(random.nextInt(changed.size()));
            case 1 -> keys.atRank(random.nextInt(Math.min(3, keys.size())));
            default -> key;
        };
        return new Operation(dice < 5 ? What.SCAN : What.BACK_SCAN, new int[] {start}, random.nextInt(6));
    }
}
