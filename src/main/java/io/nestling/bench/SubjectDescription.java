/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * The description of a subject in a report: a name in lower case with underscores, whether it is not of this library, and its
 * configuration in a line for people.
 */
public record SubjectDescription(String name, boolean peer, String configuration) {
}
