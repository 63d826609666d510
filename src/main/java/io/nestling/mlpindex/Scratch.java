/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.ScratchPool;

/** The working objects of longer reads. */
final class Scratch extends ScratchPool.Scratch {
    static final ScratchPool<Scratch> POOL = new ScratchPool<>(Scratch::new);

    final Node node = new Node();
    final RunPosition position = new RunPosition();

    private Scratch() {
    }
}
