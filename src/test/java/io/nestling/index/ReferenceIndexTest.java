/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.ReferenceIndex;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * The contracts find nothing wrong with an index that is right. It needs no memory from the bridge, so that
 * this runs the contracts by hand instead of extending them, which would have it run with every bridge.
 */
class ReferenceIndexTest {
    /** All contracts of one thread, on indexes of a factory. */
    static List<Object> contracts(final IndexFactory factory) {
        final OrderedIndexContract ordered = new OrderedIndexContract() {
            @Override
            protected IndexFactory factory() {
                return factory;
            }
        };
        final IndexModelContract model = new IndexModelContract() {
            @Override
            protected IndexFactory factory() {
                return factory;
            }
        };
        final IndexSpaceContract space = new IndexSpaceContract() {
            @Override
            protected IndexFactory factory() {
                return factory;
            }
        };
        return List.of(ordered, ordered.new CursorOfIndex(), model, space);
    }

    @TestFactory
    Stream<DynamicTest> shouldFulfilTheContracts() {
        final IndexConcurrencyContract concurrency = new IndexConcurrencyContract() {
            @Override
            protected IndexFactory factory() {
                return ReferenceIndex.concurrentFactory();
            }
        };
        final List<DynamicTest> tests = new ArrayList<>();
        for (final Object contract : contracts(ReferenceIndex.factory())) {
            addTests(contract, tests);
        }
        addTests(concurrency, tests);
        assertTrue(tests.size() > 30, () -> "only " + tests.size() + " tests");
        return tests.stream();
    }

    private static void addTests(final Object contract, final List<DynamicTest> tests) {
        for (final String test : ContractRunner.tests(contract)) {
            tests.add(dynamicTest(test, () -> {
                final Throwable failure = ContractRunner.failure(contract, test);
                if (failure != null) {
                    throw failure;
                }
            }));
        }
    }
}
