/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * The description of a subject in a report.
 *
 * @param name lower case with underscores
 * @param peer true if it is not of this library
 * @param configuration its configuration in a line for people
 */
public record SubjectDescription(String name, boolean peer, String configuration) {
}
