/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs tests of a contract by hand, so that a test can say that they fail. */
final class ContractRunner {
    private ContractRunner() {
    }

    /** Names of the test methods of a contract. */
    static List<String> tests(final Object contract) {
        return Arrays.stream(contract.getClass().getMethods())
            .filter(method -> method.isAnnotationPresent(Test.class)
                || method.isAnnotationPresent(TestFactory.class))
            .map(Method::getName).sorted().collect(Collectors.toList());
    }

    /**
     * Runs one test method of a contract.
     *
     * @return what it throws, or null
     * @throws IllegalArgumentException if there is no such test or it does not apply to the index
     */
    static Throwable failure(final Object contract, final String methodName) {
        final Method method;
        try {
            method = contract.getClass().getMethod(methodName);
        } catch (final NoSuchMethodException e) {
            throw new IllegalArgumentException(methodName + " is no test of " + contract.getClass(), e);
        }
        Throwable failure = failure(contract, method);
        if (failure instanceof TestAbortedException) {
            throw new IllegalArgumentException(methodName + " does not apply", failure);
        }
        for (final Method after : contract.getClass().getMethods()) {
            if (after.isAnnotationPresent(AfterEach.class)) {
                final Throwable late = failure(contract, after);
                failure = failure == null ? late : failure;
            }
        }
        return failure;
    }

    private static Throwable failure(final Object contract, final Method method) {
        try {
            method.setAccessible(true);
            final Object result = method.invoke(contract);
            if (result instanceof Stream<?>) {
                final List<?> tests = ((Stream<?>) result).toList();
                for (final Object test : tests) {
                    ((DynamicTest) test).getExecutable().execute();
                }
            }
            return null;
        } catch (final InvocationTargetException e) {
            return e.getCause();
        } catch (final Throwable e) {
            return e;
        }
    }
}
