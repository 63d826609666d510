/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

/** What a thread needs for a read that is not over at once, made once for each thread. */
final class Scratch {
    static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    final Node node = new Node();
    final RunPosition position = new RunPosition();

    private Scratch() {
    }
}
