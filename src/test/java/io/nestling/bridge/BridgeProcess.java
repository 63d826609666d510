/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

/** Main class of the processes that {@link BridgeProcessTest} starts. */
public final class BridgeProcess {
    private BridgeProcess() {
    }

    /**
     * Prints the name of the bridge, why faster ones were refused, and both on one line.
     *
     * @param args none
     */
    public static void main(final String[] args) {
        System.out.println(NativeBridges.get().name());
        NativeBridges.refusals().forEach(System.out::println);
        NativeBridges.get(); // no second warning
        System.out.println(NativeBridges.description());
    }
}
