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
 * A directed workload of three threads: one puts a key, a second one removes those behind it, lets epochs go on and puts them
 * back, so that blocks are used again; a third one reads along. Where an index takes one writer alone, the first one reads too.
 */
final class Handover {
    /** Shape of a {@link Workload}. */
    static final int SHAPE = 5;

    private final Workload workload;
    private final Random random;
    private final Keys keys;

    Handover(final Workload workload, final Random random) {
        this.workload = workload;
        this.random = random;
        this.keys = workload.keys();
    }

    static Keys keys(final Random random) {
        return new Keys(random, 1 + random.nextInt(2), 4 + random.nextInt(4));
    }

    void fill() {
        final int first = random.nextInt(keys.size() - 1);
        final int one = keys.atRank(first);
        final List<Integer> behind = new ArrayList<>();
        for (int rank = first + 1; rank < Math.min(keys.size(), first + 2 + random.nextInt(5)); rank++) {
            behind.add(keys.atRank(rank));
        }
        for (int i = 0; i < keys.size(); i++) {
            if (i != one || !workload.traits().manyWriters()) {
                workload.before().add(i);
            }
        }
        workload.programs().add(List.of(workload.traits().manyWriters() ? Operation.of(What.PUT, one) : look(one, behind)));
        workload.programs().add(writes(behind));
        workload.programs().add(List.of(look(one, behind)));
    }

    private List<Operation> writes(final List<Integer> behind) {
        final List<Operation> writes = new ArrayList<>();
        final List<Integer> there = new ArrayList<>(behind);
        final List<Integer> gone = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            Collections.shuffle(there, random);
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 1 + random.nextInt(2); i > 0 && !there.isEmpty(); i--) {
                gone.add(there.remove(0));
                writes.add(Operation.of(What.REMOVE, gone.get(gone.size() - 1)));
            }
            writes.addAll(Collections.nCopies(1 + random.nextInt(2), Operation.of(What.ADVANCE)));
            for (int i = random.nextInt(3); i > 0 && !gone.isEmpty(); i--) {
                there.add(gone.remove(random.nextInt(gone.size())));
                writes.add(Operation.of(What.PUT, there.get(there.size() - 1)));
            }
        }
        return writes;
    }

    private Operation look(final int one, final List<Integer> behind) {
        final int key = random.nextInt(4) > 0 ? one : behind.get(random.nextInt(behind.size()));
        if (!workload.traits().ordered() || random.nextInt(6) == 0) {
            return Operation.of(What.GET, key);
        }
        return new Operation(random.nextInt(8) == 0 ? What.BACK_SCAN : What.SCAN,
            new int[] {random.nextInt(8) == 0 ? -1 : key}, 1 + random.nextInt(4));
    }
}
