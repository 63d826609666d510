/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.memory.ScratchPool;

/** What a read works with that is not over at once. */
final class Scratch extends ScratchPool.Scratch {
    static final ScratchPool<Scratch> POOL = new ScratchPool<>(Scratch::new);

    final Node node = new Node();
    final RunPosition position = new RunPosition();

    private Scratch() {
    }
}
