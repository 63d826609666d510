/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The second, fourth and so on of the planted bugs. */
class OddPlantsTest {
    @TestFactory
    Stream<DynamicTest> shouldFindPlants() throws IOException {
        return Plants.part(1);
    }
}
