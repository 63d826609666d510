/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;

import java.time.Duration;

/** Ends dynamic tests that hang: JUnit's own default timeout, whose seconds it takes over, leaves these out. */
public final class DynamicTestTimeout implements InvocationInterceptor {
    private static final String SECONDS_PROP_NAME = "junit.jupiter.execution.timeout.default";

    @Override
    public void interceptDynamicTest(
        final Invocation<Void> invocation, final DynamicTestInvocationContext test, final ExtensionContext context)
        throws Throwable {
        final Duration limit = context.getConfigurationParameter(SECONDS_PROP_NAME, Long::valueOf).map(Duration::ofSeconds)
            .orElse(null);
        if (limit == null) {
            invocation.proceed();
        } else {
            assertTimeoutPreemptively(limit, invocation::proceed, () -> context.getDisplayName() + " hangs");
        }
    }
}
