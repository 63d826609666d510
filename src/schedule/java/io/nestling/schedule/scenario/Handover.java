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

    void fill() {
        final int first = random.nextInt(keys.size());
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
        final List<Integer> gone = new ArrayList<>(behind);
        Collections.shuffle(gone, random);
        gone.forEach(key -> writes.add(Operation.of(What.REMOVE, key)));
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            writes.add(Operation.of(What.ADVANCE));
        }
        Collections.shuffle(gone, random);
        gone.forEach(key -> writes.add(Operation.of(random.nextInt(4) == 0 ? What.REMOVE : What.PUT, key)));
        return writes;
    }

    private Operation look(final int one, final List<Integer> behind) {
        final int key = behind.isEmpty() || random.nextInt(3) > 0 ? one : behind.get(random.nextInt(behind.size()));
        if (!workload.traits().ordered() || random.nextInt(5) == 0) {
            return Operation.of(What.GET, key);
        }
        return new Operation(random.nextInt(4) == 0 ? What.BACK_SCAN : What.SCAN,
            new int[] {random.nextInt(4) == 0 ? -1 : key}, 1 + random.nextInt(8));
    }
}
