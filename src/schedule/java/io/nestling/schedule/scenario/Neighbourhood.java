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

/** Directed workloads: a run of neighbouring keys comes and goes, while readers look at it and beside it. */
final class Neighbourhood {
    private final Workload workload;
    private final Random random;
    private final Keys keys;
    private final List<Integer> run = new ArrayList<>();

    Neighbourhood(final Workload workload, final Random random) {
        this.workload = workload;
        this.random = random;
        this.keys = workload.keys();
        final int size = Math.min(keys.size(), 2 + random.nextInt(6));
        final int from = random.nextInt(keys.size() - size + 1);
        for (int i = from; i < from + size; i++) {
            run.add(keys.atRank(i));
        }
    }

    void fill() {
        putAllBefore();
        switch (random.nextInt(4)) {
            case 0, 1 -> changesPlaces();
            case 2 -> comesBack();
            default -> usesBlocksAgain();
        }
    }

    void fillAndComeBack() {
        putAllBefore();
        comesBack();
    }

    private void putAllBefore() {
        for (int i = 0; i < keys.size(); i++) {
            workload.before().add(i);
        }
    }

    /** Neighbours that were removed come back one after the other. */
    private void comesBack() {
        run.forEach(key -> workload.before().add(~key));
        final boolean upwards = random.nextBoolean();
        final List<Integer> order = new ArrayList<>(run);
        if (!upwards) {
            Collections.reverse(order);
        }
        final List<Operation> puts = new ArrayList<>();
        order.stream().filter(key -> random.nextInt(3) > 0).forEach(key -> puts.add(Operation.of(What.PUT, key)));
        if (random.nextInt(3) == 0) {
            Collections.shuffle(puts, random);
        }
        if (random.nextInt(3) == 0 && !puts.isEmpty()) {
            puts.add(Operation.of(What.REMOVE, puts.get(0).key()));
        }
        workload.programs().add(puts);
        final List<Operation> looks = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            looks.add(!workload.traits().ordered() ? Operation.of(What.GET, any())
                : scan(random.nextInt(5) == 0 ? -1 : run.get(upwards ? 0 : run.size() - 1)));
        }
        workload.programs().add(looks);
    }

    /** One or two neighbours are removed and put again, while readers ask for them and for those beside them. */
    private void changesPlaces() {
        final int one = any();
        final int other = random.nextBoolean() ? one : any();
        if (random.nextBoolean()) {
            workload.before().add(~other);
        }
        final List<Operation> swaps = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            swaps.add(Operation.of(What.REMOVE, one));
            swaps.add(Operation.of(What.PUT, other));
            if (one != other && random.nextBoolean()) {
                swaps.add(Operation.of(What.REMOVE, other));
                swaps.add(Operation.of(What.PUT, one));
            }
        }
        workload.programs().add(swaps);
        for (int fiber = random.nextInt(2); fiber >= 0; fiber--) {
            final List<Operation> looks = new ArrayList<>();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                looks.add(look(random.nextInt(3) > 0 ? any() : random.nextBoolean() ? one : other));
            }
            workload.programs().add(looks);
        }
    }

    /** Keys are removed and their memory is used again for others, while readers walk over them. */
    private void usesBlocksAgain() {
        final List<Integer> fresh = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            if (!run.contains(i) && random.nextInt(3) == 0) {
                fresh.add(i);
            }
        }
        fresh.forEach(key -> workload.before().add(~key));
        final boolean removedBefore = random.nextBoolean();
        final List<Operation> writes = new ArrayList<>();
        run.forEach(key -> {
            if (removedBefore) {
                workload.before().add(~key);
            } else {
                writes.add(Operation.of(What.REMOVE, key));
            }
        });
        writes.add(Operation.of(What.ADVANCE));
        writes.add(Operation.of(What.ADVANCE));
        Collections.shuffle(fresh, random);
        fresh.stream().limit(8).forEach(key -> writes.add(Operation.of(What.PUT, key)));
        workload.programs().add(writes);
        final List<Operation> looks = new ArrayList<>();
        looks.add(random.nextBoolean() && workload.traits().ordered()
            ? new Operation(random.nextBoolean() ? What.SCAN : What.BACK_SCAN, new int[] {-1}, 40) : look(any()));
        workload.programs().add(looks);
    }

    private Operation look(final int key) {
        final int dice = random.nextInt(4);
        if (dice < 2) {
            return Operation.of(What.GET, key);
        }
        return dice == 2 || !workload.traits().ordered()
            ? Operation.of(What.GET_ALL, run.stream().mapToInt(Integer::intValue).toArray()) : scan(key);
    }

    private Operation scan(final int key) {
        return new Operation(random.nextBoolean() ? What.SCAN : What.BACK_SCAN, new int[] {key}, random.nextInt(8));
    }

    private int any() {
        return run.get(random.nextInt(run.size()));
    }
}
